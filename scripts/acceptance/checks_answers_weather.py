"""Right answers, weather and catalog: the air of the date asked for, climates on six continents, entries and keys that are found."""
import datetime
import tomllib
from pathlib import Path

import product
from product import ROOT

TINY = ROOT / "tests" / "scenarios" / "tiny.toml"


def january_epw(folder):
    """31 days, in °C the day of the month."""
    path = Path(folder) / "january.epw"
    head = ["LOCATION,Test,TS,XXX,made,000001,40.0,-75.0,-5.0,100.0", "DESIGN CONDITIONS,0", "TYPICAL/EXTREME PERIODS,0", "GROUND TEMPERATURES,0",
            "HOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0", "COMMENTS 1", "COMMENTS 2", "DATA PERIODS,1,1,Data,Sunday, 1/ 1, 1/31"]
    rows = [f"1999,1,{day},{hour},60,?9,{day},-5,50,100000" + 25 * ",0" for day in range(1, 32) for hour in range(1, 25)]
    path.write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")
    return path


def year_csv(folder):
    """2023 hour by hour, in °C the month; 30 July has 40 °C."""
    path = Path(folder) / "year.csv"
    hours = [datetime.datetime(2023, 1, 1) + datetime.timedelta(hours=k) for k in range(8760)]
    rows = [f"{t:%Y-%m-%dT%H:00},{40 if (t.month, t.day) == (7, 30) else t.month},50,1000" for t in hours]
    path.write_text("time,drybulb_degC,rh_pct,pressure_hPa\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def outdoor_degC(outcome):
    import h5py

    with h5py.File(outcome["result_file"]) as f:
        return float(f["/day/outdoor_drybulb_K"][0]) - 273.15


def dates(report):
    files = [january_epw(report.folder.name), year_csv(report.folder.name)]
    for file in files:
        off = []
        for day in (3, 10, 24):
            out = report.run(TINY, {"run.start": f"2023-01-{day:02}T12:00:00"}, "--weather", file).json
            said, wanted = out["weather_from"], 1 if file.suffix == ".csv" else day
            if abs(outdoor_degC(out) - wanted) > 0.6 or not said["day"].endswith(f"01-{day:02}") or said["kind"] != "dated" or said["file"] != file.name:
                off.append(f"{day} January: {said}, {outdoor_degC(out):.1f} °C")
        report.judge(f"line 10: {file.suffix} gives the date's air", not off, f"{3 - len(off)} of 3 days {off}", "all, said in weather_from")
        out = report.run(TINY, {"run.start": "2023-01-10T12:00:00", "weather.day": "extreme"}, "--weather", file).json
        report.judge(f"line 10: {file.suffix} gives an extreme day by name", out["weather_from"]["kind"] == "extreme" and outdoor_degC(out) > 29.0, f"{out['weather_from']}", "the hottest")
    refused = product.call([report.binary, "check", TINY, "--weather", files[0], "--set", "run.start=2023-07-10T12:00:00"])
    report.judge("line 10: a day that the file lacks is refused", refused.code == 2 and "month 7 day 10" in refused.stderr, f"exit code {refused.code}", "2, with the file's span")


def public_case(report):
    folder = product.shared_data("public_cases/epw-start-date")
    if folder is None:
        return report.skip("line 10: a public January", "no reference data")
    out = report.run(TINY, {"run.start": "2023-01-10T00:00:00", "run.duration_h": 20}, "--weather", folder / "january.epw").json
    import h5py

    with h5py.File(out["result_file"]) as f:
        air = f["/day/outdoor_drybulb_K"][:] - 273.15
    report.judge("line 10: a public January", air.min() < -3.0 and air.max() > 23.5, f"{air.min():.1f} to {air.max():.1f} °C", "-3.8 to 24.9 °C, means of steps")


def everywhere(report):
    csv = year_csv(report.folder.name)
    plant = product.call([report.binary, "plant", "crah_chilled_water", "--weather", csv, "--step-s", 3600, "--json"]).json
    report.judge("line 21: plant takes CSV", len(plant["months"]) == 12, f"{len(plant['months'])} months, PUE {plant['year']['pue']:.3f}", "12 months")
    size = product.call([report.binary, "size", TINY, "--for", "gpus", "--contract-MW", 0.2, "--weather", csv, "--set", "run.start=2023-01-10T12:00:00", "--set", "run.duration_h=0.3", "--json", "--quiet"])
    report.judge("line 21: size takes CSV, on its hottest day", size.code == 0 and size.json["weather_from"]["day"] == "2023-07-30", size.stderr.strip()[:100] or str(size.json["weather_from"]), "30 July")


def climates(report):
    entries = [tomllib.loads(p.read_text(encoding="utf-8")) for p in sorted((ROOT / "catalog" / "climate").glob("*.toml"))]
    report.within("line 21: climates", len(entries), 24, float("inf"), "", "d")
    unread = [e["name"] for e in entries if "sha256 " not in e["sources"]["typical_drybulb_degC"]]
    report.judge("line 21: each from a file that was read", not unread, f"{len(entries) - len(unread)} of {len(entries)}", "all, by sha256")
    south = [e["name"] for e in entries if e["latitude_deg"] < -15.0 and e["typical_drybulb_degC"][0] > e["typical_drybulb_degC"][6]]
    report.within("line 21: climates with their summer in January", len(south), 5, float("inf"), "", "d")
    wrong = [name for name, wanted in (("frankfurt", "frankfurt_de"), ("tokyo", "tokyo_jp"), ("johannesburg", "johannesburg_za"))
             if wanted not in product.call([report.binary, "check", TINY, "--set", f"weather.climate={name}"]).stderr.split("there are")[0]]
    report.judge("line 21: a city's name leads to its climate", not wrong, f"missed: {wrong}", "none")


def finds(report):
    show = [product.call([report.binary, "catalog", "show", *words]) for words in (["server/gb300_tray"], ["server", "gb300_tray"])]
    report.judge("line 27: catalog show KIND NAME", all(s.code == 0 for s in show) and show[0].stdout == show[1].stdout, f"exit codes {[s.code for s in show]}", "as KIND/NAME")
    keys = [product.call([report.binary, "schema", "--keys", word]).stdout for word in ("CDU", "cdu_out")]
    report.judge("line 27: schema --keys in any case, and by kind", "cdu_W_per_K" in keys[0] and "[[event]]" in keys[1], f"{len(keys[0].splitlines())} and {len(keys[1].splitlines())} lines", "cdu_W_per_K; [[event]]")


GROUPS = {"weather_dates": [dates, public_case], "weather_files": everywhere, "climates": climates, "finds": finds}
