"""A number enters only through a unit that was read: in a column's name, a cell, or from --unit."""
import pytest
from import_case import put, read, said

from tidewatt import importers
from tidewatt.importers import rates, units


def table(tmp_path, head, *cells, kind="csv", **options):
    rows = "".join(f"2026-04-01T08:00:{15 * i:02}Z,{c}\n" for i, c in enumerate(cells))
    return importers.import_logs(kind, [put(tmp_path, "t.csv", f"time,{head}\n{rows}")], **options)


def test_units_in_lower_case_and_camel_case(tmp_path):
    done = table(tmp_path, "gpu,power_w,energy_mj,temp_c,sm_clock_mhz,inlet_f", "0,650,1000000,61,1755,68", "0,651,1009750,61,1755,68").table
    assert list(done["power_W"]) == [650, 651] and done["energy_J"].diff().iloc[1] == pytest.approx(9.75)
    assert list(done["temperature_degC"]) == [61, 61] and list(done["sm_clock_MHz"]) == [1755, 1755] and list(done["inlet_degC"]) == pytest.approx([20, 20])
    assert [units.split(n)[1] for n in ("rack7_w", "RackKW", "loadWatts", "Load_KW", "Energy (MJ)", "energy_mJ")] == ["W", "", "W", "kW", "MJ", "mJ"]
    assert units.split("phase_c") == ("phase_c", "") and units.split("power_mw")[1] == ""


def test_mw_in_lower_case_is_asked_for(tmp_path):
    with pytest.raises(importers.InputError, match="'power_mw' may be mW or MW: --unit power_mw=mW"):
        table(tmp_path, "power_mw", "650000")
    assert list(table(tmp_path, "power_mw", "650000", units={"power_mw": "mW"}).table["power_W"]) == [650]
    report = table(tmp_path, "power_mw,temp_c", "650000,61").report
    assert said(report, "left out: 'power_mw' may be mW or MW")


def test_a_unit_of_the_caller_is_used_or_refused(tmp_path):
    assert list(table(tmp_path, "Load,temp_c", "1.5,20", units={"Load": "kW"}).table["Load_W"]) == [1500]
    assert list(table(tmp_path, "power", "1.5", units={"power": "kW"}).table["power_W"]) == [1500]
    assert list(table(tmp_path, "power_W", "1.5", units={"power_W": "kW"}).table["power_W"]) == [1500]  # the caller's goes first
    with pytest.raises(importers.InputError, match="does nothing: lod is no column"):
        table(tmp_path, "Load,temp_c", "1.5,20", units={"lod": "kW"})
    with pytest.raises(importers.InputError, match="kilo is none of"):
        table(tmp_path, "power_W", "1.5", units={"power": "kilo"})
    with pytest.raises(importers.InputError, match="--unit does nothing for sacct"):
        importers.import_logs("sacct", [put(tmp_path, "s.txt", "JobID|State\n")], units={"power": "W"})
    assert said(table(tmp_path, "power,temp_c", "1.5,20").report, "left out: 'power' names no unit: --unit power=W")
    with pytest.raises(importers.InputError, match="'Rack Power' names no unit"):
        table(tmp_path, "Rack Power", "1.5")


@pytest.mark.parametrize("text,currency,factor", [
    ("Price (EUR/MWh)", "EUR", 1), ("Preis [€ per kWh]", "EUR", 1000), ("c€/kWh", "EUR", 10), ("EUR ct/kWh", "EUR", 10), ("GBp/kWh", "GBP", 10), ("rate p/kWh", "GBP", 10),
    ("GBP/MWh", "GBP", 1), ("AU$/MWh", "AUD", 1), ("SEK/kWh", "SEK", 1000), ("SEK öre/kWh", "SEK", 10), ("price_eur_per_kwh", "EUR", 1000), ("$/MWh", "$", 1), ("US cents/kWh", "USD", 10),
])  # fmt: skip
def test_prices_have_a_currency_and_an_energy(text, currency, factor):
    unit = rates.price_unit(text)
    assert (unit.currency, unit.per_MWh) == (currency, pytest.approx(factor))


@pytest.mark.parametrize("text,factor", [
    ("gCO2eq/kWh", 1), ("kgCO2/MWh", 1), ("carbon_intensity_lb_per_MWh", 0.45359237), ("lbs CO2/MWh", 0.45359237), ("intensity [tCO2/MWh]", 1000), ("tonnes/GWh", 1),
    ("Carbon intensity gCO₂eq/kWh (direct)", 1), ("kg_co2_per_kwh", 1000), ("EUR/MWh", None), ("carbon", None),
])  # fmt: skip
def test_intensities_have_a_mass_and_an_energy(text, factor):
    assert rates.carbon_factor(text) == (None if factor is None else pytest.approx(factor))


def hourly(tmp_path, kind, head, values, **options):
    rows = "".join(f"2026-04-01T{h:02}:00Z,{v}\n" for h, v in enumerate(values))
    return importers.import_logs(kind, [put(tmp_path, "h.csv", f"time,{head}\n{rows}")], **options)


def test_prices_and_intensities_enter_in_their_units(tmp_path):
    done = hourly(tmp_path, "price", "Unit rate (p/kWh)", [20, -5])
    assert list(done.table["price_per_MWh"]) == [200, -50] and set(done.table["currency"]) == {"GBP"}
    for head, zone, currency, doubt in (("RRP ($/MWh)", None, "AUD", False), ("Spot ($/MWh)", "Pacific/Auckland", "NZD", False), ("HOEP ($/MWh)", None, "CAD", False),
                                        ("LMP ($/MWh)", None, "USD", False), ("Spot ($/MWh)", None, "USD", True)):
        done = hourly(tmp_path, "price", head, [80, 90], time_zone=zone)
        assert set(done.table["currency"]) == {currency} and said(done.report, "taken as USD") == doubt
    assert list(hourly(tmp_path, "price", "price", [0.2], units={"price": "EUR/kWh"}).table["price_per_MWh"]) == [200]
    assert list(hourly(tmp_path, "price", "Price (EUR/MWh)", [20], units={"price": "c€/kWh"}).table["price_per_MWh"]) == [200]
    with pytest.raises(importers.InputError, match="names no currency and energy; say --unit price=EUR/MWh"):
        hourly(tmp_path, "price", "price", [0.2], columns={"price": "price"})
    with pytest.raises(importers.InputError, match="does nothing"):
        hourly(tmp_path, "price", "Price (EUR/MWh)", [20], units={"cost": "EUR/kWh"})
    assert list(hourly(tmp_path, "carbon", "emissions (lb/MWh)", [1000]).table["carbon_g_per_kWh"]) == [pytest.approx(453.59237)]
    assert list(hourly(tmp_path, "carbon", "carbon_intensity", [0.3], units={"carbon": "t/MWh"}).table["carbon_g_per_kWh"]) == [pytest.approx(300)]
    done = hourly(tmp_path, "carbon", "Carbon-free energy percentage (CFE%),Carbon intensity gCO2eq/kWh", ["40,300"])
    assert list(done.table["carbon_g_per_kWh"]) == [300]
    for head, words in (("renewable share CO2-free (%)", "percentage"), ("carbon intensity", "names no mass per energy")):
        with pytest.raises(importers.InputError, match=words):
            hourly(tmp_path, "carbon", head, [40])


def test_ptdaemon_has_channels_and_a_word_for_no_reading(tmp_path):
    line = "Time,05-06-2026 10:00:0{s}.500,Watts,{w},Volts,-1.0,Mark,run,A1,Time,05-06-2026 10:00:0{s}.400,Watts,{a},Volts,230.1,Mark,run\n"
    table, report = read("power", put(tmp_path, "p.txt", line.format(s=0, w=900.5, a=900.5) + line.format(s=1, w=-1.0, a=-1.0) + line.format(s=2, w=901.5, a=-3.5)))
    assert table["power_W"].isna().tolist() == [False, True, False] and table["A1_W"].iloc[2] == -3.5 and str(table["time"].iloc[0]) == "2026-05-06 10:00:00.500000"
    assert said(report, "p.txt:2", "-1 is the analyser's word")


def test_own_weather_is_read_in_every_unit_that_run_takes(tmp_path):
    text = "time,drybulb_degF,rh_frac,pressure_hPa\n2025-07-01T00:00,68,0.5,1000\n2025-07-01T01:00,86,0.4,990.5\n"
    table = importers.import_logs("weather", [put(tmp_path, "own.csv", text)]).table
    assert table[["drybulb_degC", "rh_pct", "pressure_Pa"]].to_numpy().tolist() == [[pytest.approx(20), 50, 100000], [pytest.approx(30), 40, 99050]]
    with pytest.raises(importers.InputError, match="run --weather"):
        importers.import_logs("weather", [put(tmp_path, "dew.csv", text.replace("rh_frac", "dewpoint_degC"))])


@pytest.mark.parametrize("cells", [("600 W", "610 W", "1.02 kW", "965"), ("1.01 kW", "1.02 kW", "965", "990 W")])
def test_a_bare_number_among_several_units_is_blank(cells, tmp_path):
    done = table(tmp_path, "node power", *cells)
    assert done.table["node_power_W"].isna().tolist() == [c == "965" for c in cells] and said(done.report, f"t.csv:{2 + cells.index('965')}", "'965' has no unit")
    assert table(tmp_path, "node power", *cells, units={"node power": "W"}).table["node_power_W"].iloc[cells.index("965")] == 965
    assert list(table(tmp_path, "node power", "600 W", "965", "610 W").table["node_power_W"]) == [600, 965, 610]


@pytest.mark.parametrize("column, file", [("Usage", "Usage,Units\n{t}1,2570.01,kWh\n{t}2,2589.07,kWh\n"), ("Usage [kWh]", "Usage [kWh]\n{t}1,2570\n{t}2,2580\n"),
                                          ("Usage [kWh]", "Usage\n,kWh\n{t}1,2570\n{t}2,2580\n"), ("Usage", "Usage\n{t}1,2570 kWh\n{t}2,2580 kWh\n")])  # fmt: skip
def test_a_unit_against_the_file_is_refused(column, file, tmp_path):
    path = put(tmp_path, "t.csv", "time," + file.format(t="2026-04-01T08:00:0"))
    for options in ({"columns": {"time": "time", "power": column}, "units": {"power": "kW"}}, {"units": {column: "kW"}}):
        with pytest.raises(importers.InputError, match="--unit says kW and the file says kWh"):
            importers.import_logs("csv", [path], **options)


def test_energy_that_is_asked_for_as_power_names_the_way_out(tmp_path):
    with pytest.raises(importers.InputError, match="kWh is no unit of it; it is energy: --column energy=Usage --unit energy=kWh"):
        table(tmp_path, "Usage", "2570", "2580", columns={"time": "time", "power": "Usage"}, units={"power": "kWh"})


def test_a_column_without_a_unit_beside_its_like_is_told(tmp_path):
    report = table(tmp_path, "dgx07 GPU 0,dgx07 GPU 1,Fan", "600,1.2 kW,3", "601,1.3 kW,4").report
    assert said(report, "left out: 'dgx07 GPU 0' names no unit", "--unit 'dgx07 GPU 0=W'") and not said(report, "Fan")


def test_a_column_without_one_value_is_refused(tmp_path):
    with pytest.raises(importers.InputError, match="t.csv: temperature_degC: not one row has a value"):
        table(tmp_path, "gpu,temperature_degC", "0,-272.13", "0,-272.13")
    with pytest.raises(importers.InputError, match="EA_W: not one row has a value"):
        table(tmp_path, "EA_W,EB_W", ",1", ",2", columns={"time": "time", "EA_W": "EA_W", "EB_W": "EB_W"})
    assert said(table(tmp_path, "EA_W,EB_W", ",1", ",2").report, "EA_W: no value")


def test_a_product_has_the_digits_of_the_file(tmp_path):
    done = table(tmp_path, "A [kW],B_W", "1034.6,1034.6 kW", "0.6999,699.9").table
    assert list(done["A_W"]) == [1034600.0, 699.9] and list(done["B_W"]) == [1034600.0, 699.9]
