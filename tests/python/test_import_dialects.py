"""Logs in dialects of dashboards, spreadsheets, building systems and controllers, read without naming a column."""
import pandas as pd
import pytest
from import_case import put, read, said

from tidewatt import importers

STAMPS = [f"2026-03-02 10:00:{s:02d}" for s in range(0, 60, 15)]
WATTS = [[1300.5 + 100 * i + 10 * g for i in range(4)] for g in range(2)]


def auto(folder, name, lines, kind="csv"):
    """(table, report) of a file that `auto` takes for the given kind."""
    text = lines if isinstance(lines, bytes) else "\n".join(lines) + "\n"
    done = importers.import_logs("auto", [put(folder, name, text)])
    assert done.report.kind == kind
    return done.table, done.report


def gpu(table, number):
    return table[table["gpu"] == number]["power_W"].tolist()


def test_dashboard_exports_with_legends_become_a_row_per_gpu(tmp_path):
    """Grafana's panel data: series joined by time, the query's labels as legend; units in the header of a renamed series."""
    metrics = ("DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION")
    head = '"Time",' + ",".join(f'"{m}{{gpu=""{g}"", Hostname=""node7""}}"' for m in metrics for g in (0, 1))
    rows = [f"{t},{WATTS[0][i]},{WATTS[1][i]},55,56,{1000 * i},{2000 * i}" for i, t in enumerate(STAMPS)]
    table, report = auto(tmp_path, "legends.csv", [head, *rows])
    assert list(table.columns) == ["time", "host", "gpu", "power_W", "temperature_degC", "energy_J"] and not report.warnings
    assert gpu(table, "0") == WATTS[0] and gpu(table, "1") == WATTS[1] and table["energy_J"].max() == 6.0
    head = '"Time","GPU0 Power (W)","GPU1 Power (W)","GPU0 HBM temperature (°C)","GPU1 HBM temperature (°C)","Inlet (°C)"'
    table, _ = auto(tmp_path, "renamed.csv", [head, *(f"{t},{WATTS[0][i]},{WATTS[1][i]},80,81,22" for i, t in enumerate(STAMPS))])
    assert set(table.columns) == {"time", "gpu", "power_W", "memory_temperature_degC", "inlet_degC"} and gpu(table, "1") == WATTS[1]
    # Hosts stay apart; a metric that is not known has no use.
    head = '"Time",' + ",".join(f'"{m}{{gpu=""0"", Hostname=""{h}""}}"' for m in (metrics[1], "DCGM_FI_DEV_XID_ERRORS") for h in ("a", "b"))
    table, report = auto(tmp_path, "hosts.csv", [head, *(f"{t},50,51,0,0" for t in STAMPS)])
    assert set(table["gpu"]) == {"a:0", "b:0"} and any("XID" in n for n in report.notes)


def test_formatted_cells_carry_their_own_unit(tmp_path):
    """With "formatted data" each cell has its unit, and the larger ones another prefix; for Excel a line `sep=,` comes first."""
    rows = [f'{t},{WATTS[0][i]:.1f} W,"{WATTS[1][i] / 1000:.4f} kW"' if i else f"{t},0.9 kW,850 W" for i, t in enumerate(STAMPS)]
    table, report = auto(tmp_path, "cells.csv", ["sep=,", '"Time","Rack A","Rack B"', *rows], "power")
    assert table["Rack_A_W"].tolist() == pytest.approx([900, *WATTS[0][1:]]) and not report.warnings
    assert table["Rack_B_W"].tolist() == pytest.approx([850, *WATTS[1][1:]])


def test_one_series_per_row_becomes_a_column_each(tmp_path):
    """The older export `Series;Time;Value`, with thousands apart, and a controller's list of sensors with their units."""
    rows = [f'"row {g} (W)";"{t.replace(" ", "T")}+01:00";{1e6 + WATTS[g][i]:,.3f}' for g in (0, 1) for i, t in enumerate(STAMPS)]
    table, report = auto(tmp_path, "long.csv", ['"Series";"Time";"Value"', *rows], "power")
    assert table["row_1_W"].tolist() == [1e6 + w for w in WATTS[1]] and table["time"].iloc[0] == pd.Timestamp("2026-03-02T09:00:00Z") and len(table) == 4
    sensors = (("PSU0_PWR_IN", 301, "Watts"), ("INLET_TEMP", 71.6, "degrees F"), ("FAN1", 5400, "RPM"))
    rows = [f"{n},{t},{v},{u}" for t in STAMPS for n, v, u in sensors if (n, t) != ("INLET_TEMP", STAMPS[1])]
    table, report = auto(tmp_path, "bmc.csv", ["Sensor,Timestamp,Reading,Units", *rows])
    assert table["PSU0_PWR_IN_W"].tolist() == [301] * 4 and table["INLET_TEMP_degC"].dropna().tolist() == pytest.approx([22] * 3)
    assert not report.mended and any("FAN1 [RPM]" in n for n in report.notes)  # a sensor read less often is no blank of the file


def test_metrics_name_their_quantity_beside_a_label(tmp_path):
    """Metric and GPU in columns of their own; nvidia-smi's names in a table that another program wrote."""
    metrics = (("DCGM_FI_DEV_POWER_USAGE", WATTS), ("DCGM_FI_DEV_GPU_TEMP", [[55] * 4, [56] * 4]))
    rows = [f"{t},{m},{g},{v[g][i]}" for i, t in enumerate(STAMPS) for g in (0, 1) for m, v in metrics]
    table, _ = auto(tmp_path, "long.csv", ["Time,Metric,gpu,Value", *rows])
    assert list(table.columns) == ["time", "gpu", "power_W", "temperature_degC"] and gpu(table, "1") == WATTS[1]
    table, _ = auto(tmp_path, "frame.csv", [",timestamp,power.draw (W),temperature.gpu", *(f"{i},{t},{w},55" for i, (t, w) in enumerate(zip(STAMPS, WATTS[0])))])
    assert table["power_W"].tolist() == WATTS[0] and table["temperature_degC"].tolist() == [55] * 4


def test_two_header_lines_are_joined(tmp_path):
    """A line of units below the names, or names below the groups of a merged header."""
    head = ["Timestamp,PSU0 Input Power,PSU1 Input Power,Inlet Temp,Fan1", ",Watts,Watts,degrees C,RPM"]
    table, report = auto(tmp_path, "units.csv", [*head, *(f"{t},300,{w},22,5400" for t, w in zip(STAMPS, WATTS[0]))])
    assert table["PSU1_Input_Power_W"].tolist() == WATTS[0] and not report.warnings
    head = ["Time,PSU0,,PSU1,", ",Power [W],Temp [C],Power [W],Temp [C]"]
    table, _ = auto(tmp_path, "groups.csv", [*head, *(f"{t},300,40,{w},41" for t, w in zip(STAMPS, WATTS[0]))])
    assert list(table.columns) == ["time", "PSU0_Power_W", "PSU0_Temp_degC", "PSU1_Power_W", "PSU1_Temp_degC"] and table["PSU1_Temp_degC"].tolist() == [41] * 4
    table, _ = auto(tmp_path, "zone.csv", ["time,p,t", "(UTC),(W),(°C)", *(f"{t},{w},55" for t, w in zip(STAMPS, WATTS[0]))])
    assert table["p_W"].tolist() == WATTS[0] and str(table["time"].dt.tz) == "UTC"
    # A first row without numbers is data where the header is whole.
    table, report = auto(tmp_path, "blank.csv", ["time,power_W", "2026-03-02 10:00,N/A", "2026-03-02 10:01,5"], "power")
    assert len(table) == 2 and said(report, "blank.csv:2", "no value")


@pytest.mark.parametrize("apart", [".", "\u202f", "'", ""])
def test_spreadsheets_of_other_countries(tmp_path, apart):
    """Titles as wide as the table, date and clock in two columns, decimal commas, thousands apart, sums below the table."""
    number = lambda x: f"{x:,.2f}".replace(",", "_").replace(".", ",").replace("_", apart)
    lines = ["Messung Halle 3;;;", "Datum;Uhrzeit;Leistung [kW];Zuluft [°C]", *(f"02.03.2026;{t[11:]};{number(w)};22,5" for t, w in zip(STAMPS, WATTS[0])), "Summe;;5802,00;"]
    table, report = auto(tmp_path, "halle.csv", lines)
    assert table["power_W"].tolist() == pytest.approx([1000 * w for w in WATTS[0]]) and table["Zuluft_degC"].tolist() == [22.5] * 4
    assert table["time"].iloc[1] == pd.Timestamp("2026-03-02T10:00:15") and said(report, "halle.csv:7", "without a time") and said(report, "halle.csv:1", "before the header")


def test_the_decimal_mark_is_told_by_the_file(tmp_path):
    """`1.234` is a fraction unless the file has decimal commas; `1,234` between semicolons is one, with a warning."""
    dots, report = auto(tmp_path, "dots.csv", ["time_s;a_W", "0;1.234", "1;1.240"], "power")
    assert dots["a_W"].tolist() == [1.234, 1.24] and not report.warnings
    commas, report = auto(tmp_path, "commas.csv", ["time_s;a_kW", "0;1,234", "1;1,240"], "power")
    assert commas["a_W"].tolist() == [1234, 1240] and said(report, "does not tell whether the comma")
    both, report = auto(tmp_path, "both.csv", ["time_s;a_W;b_W", "0,5;1.234;2", "1,0;1.240;3"], "power")
    assert both["a_W"].tolist() == [1234, 1240] and said(report, "'1.234' is read as 1234")
    quoted, _ = auto(tmp_path, "quoted.csv", ["time_s,a_W", '0,"1,234.5"', '1,"1,240.5"'], "power")
    assert quoted["a_W"].tolist() == [1234.5, 1240.5]


def test_versions_addresses_prices_and_phases_are_no_quantities(tmp_path):
    """What looks like a number or a unit and is none: it neither becomes a column nor tells the decimal mark."""
    head = "time_s;firmware;address;Load/kWh;load_A;load_B;load_C;P (kW)"
    table, report = auto(tmp_path, "x.csv", [head, *(f"{i};1.2.{i};10.0.0.{i};0.31;1;2;3;1.23{i}" for i in range(4))], "power")
    assert list(table.columns) == ["time_s", "P_W"] and table["P_W"].tolist() == [1230, 1231, 1232, 1233] and not report.warnings


def test_decimal_commas_tell_that_the_day_comes_first(tmp_path):
    table, report = auto(tmp_path, "fr.csv", ["Horodatage;Puissance (kW)", *(f"02/03/2026 {t[11:]};1,5" for t in STAMPS)], "power")
    assert table["time"].iloc[1] == pd.Timestamp("2026-03-02T10:00:15") and said(report, "day is taken to come first, as usual with decimal commas")


def test_clocks_of_building_systems_and_spreadsheets(tmp_path):
    """Named months, years of two digits, zones in the header, days since 1900; a zone's word is not trusted."""
    first = pd.Timestamp("2026-03-02T10:00:15")

    def second(head, stamp, tail=",5", kind="power"):
        table, report = auto(tmp_path, "clock.csv", [head, *(stamp(t) + tail for t in STAMPS)], kind)
        return table["time"].iloc[1], report

    stamp, report = second("Timestamp,Value (kW)", lambda t: f"02-Mar-26 {t[11:]} AM EST")
    assert stamp == first and said(report, "EST", "--time-zone")
    assert second("Time,Power (W)", lambda t: f'"Mar 2, 2026 {t[11:]} AM"')[0] == first
    assert second("Zeit;Leistung (W)", lambda t: f"02.03.26 {t[11:]}", ";5,5")[0] == first
    assert second("Timestamp (UTC),Rack (kW)", str)[0] == first.tz_localize("UTC")
    assert second("Date,Rack (kW)", lambda t: f"{46083 + (pd.Timestamp(t) - pd.Timestamp('2026-03-02')) / pd.Timedelta(days=1):.9f}")[0] == first
    table, _ = auto(tmp_path, "ms.csv", ["Time [ms],P (W)", "0,5", "100,6"], "power")
    assert table["time_s"].tolist() == [0, 0.1]
    _, report = auto(tmp_path, "two.csv", ["start,end,energy_kWh", *(f"{t},{t},1" for t in STAMPS)])
    assert said(report, "'start' looks like the time and is not taken, because 'end' does too")


def test_the_job_completion_log(tmp_path):
    """Two published lines of Slurm's jobcomp/filetxt, users renamed: one of an NHR centre (January 2025, issue tracker of its help desk) and an
    older one with Gres= (June 2019, UC Berkeley's node checks); their fields are those of JOB_FORMAT in the plugin's source."""
    new = ("JobId=2293679 UserId=u1(1) GroupId=g1(1) Name=run.sh JobState=FAILED Partition=a100 TimeLimit=1440 StartTime=2025-01-11T22:45:16 "
           "EndTime=2025-01-11T22:45:18 NodeList=a0532 NodeCnt=1 ProcCnt=16 WorkDir=/scratch/my work ReservationName= Tres=cpu=16,mem=240000M,node=1,"
           "billing=16,gres/gpu=1,gres/gpu:a100=1 Account=x QOS=normal WcKey=* Cluster=alex SubmitTime=2025-01-11T22:45:14 "
           "EligibleTime=2025-01-11T22:45:14 DerivedExitCode=0:0 ExitCode=2:0 ")  # fmt: skip
    old = ("JobId=4497298 UserId=u2(2) GroupId=g2(2) Name=knl_launcher JobState=COMPLETED Partition=savio2_knl TimeLimit=2880 "
           "StartTime=2019-06-19T09:31:56 EndTime=2019-06-19T09:32:03 NodeList=n0281.savio2 NodeCnt=1 ProcCnt=64 WorkDir=/x ReservationName= Gres= "
           "Account=a QOS=q WcKey= Cluster=brc SubmitTime=2019-06-19T09:31:49 EligibleTime=2019-06-19T09:31:49 DerivedExitCode=0:0 ExitCode=0:0 ")  # fmt: skip
    array = new.replace("NodeCnt=1", "NodeCnt=2").replace("Tres=cpu=16", "Gres=gpu:4 Tres=").split(" Tres=")[0] + " ArrayJobId=77 ArrayTaskId=3 ExitCode=0:0"
    table, report = auto(tmp_path, "jobcomp.log", [new, old, array, "JobId=5 UserId=x"], "sacct")
    jobs = table.set_index("job")
    assert jobs["gpus"].to_dict() == {"2293679": 1, "4497298": 0, "77_3": 8} and jobs["elapsed_s"].to_dict() == {"2293679": 2, "4497298": 7, "77_3": 2}
    assert jobs["state"]["4497298"] == "COMPLETED" and jobs["partition"]["2293679"] == "a100"
    assert said(report, "jobcomp.log:4", "torn line") and any("asked for" in n for n in report.notes)


def test_prices_with_both_clocks_and_energy_as_electric(tmp_path):
    """A collection of European prices names its zone and another one in the header, and MWh electric."""
    rows = ["Germany,DEU,2023-03-26 00:00,2023-03-26 01:00,50.0", "Germany,DEU,2023-03-26 01:00,2023-03-26 03:00,-5.0", "Germany,DEU,2023-03-26 03:00,2023-03-26 05:00,51.0"]
    table, report = auto(tmp_path, "prices.csv", ["Country,ISO3 Code,Datetime (UTC),Datetime (Local),Price (EUR/MWhe)", *rows], "price")
    assert table["time"].iloc[0] == pd.Timestamp("2023-03-26T00:00:00Z") and table["price_per_MWh"].tolist() == [50.0, -5.0, 51.0]
    assert report.facts["missing"] == ["2023-03-26 02:00:00+00:00"] and report.facts["currency"] == "EUR"


def test_a_counter_in_a_table_of_ones_own_is_continued_and_energy_by_interval_is_not(tmp_path):
    """A restart between two readings loses what was counted; an energy that falls every other reading is no counter."""
    counter = [5000 + 100 * t if t < 60 else 100 * (t - 60) for t in range(120)]
    table, report = auto(tmp_path, "counter.csv", ["time_s,energy_J,power_W", *(f"{t},{J},100" for t, J in enumerate(counter))], "power")
    assert table["energy_J"].diff().min() == 0.0 and table["energy_J"].iloc[-1] == 5000 + 100 * 118 and any("restarted" in m.what for m in report.mended)
    table, report = auto(tmp_path, "interval.csv", ["time_s,energy_J,power_W", *(f"{t},{100 + 50 * (t % 2)},100" for t in range(40))], "power")
    assert table["energy_J"].tolist()[:3] == [100, 150, 100] and not report.mended


def test_thousandths_of_a_degree(tmp_path):
    file = tmp_path / "sensors.csv"
    file.write_text("ts,die [m°C]\n1767604800000,60000\n1767604801000,60500\n", encoding="utf-8")
    done = importers.import_logs("csv", [file], columns={"time": "ts", "temperature": "die [m°C]"})
    assert done.table["temperature_degC"].tolist() == [60.0, 60.5]


ROWS = "".join(f"25.10.2025 22:{m:02}:00;996,{m};1.034,6;14,2;gut\n" for m in (0, 15, 30, 45))
TITLES = "Trendexport;Rechenzentrum Nord;;;\nErstellt am:;27.10.2025 08:14:03;Benutzer:;leit;\n"
HEAD = "Zeitstempel;Einspeisung A;Einspeisung B;Vorlauf;Status\n"


@pytest.mark.parametrize("unit_line", [";kW;kW;°C;\n", ";[kW];[kW];[°C];\n", ";Wirkleistung kW;Wirkleistung [kW];Temp. °C;\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_titles_as_wide_as_the_table_and_a_line_of_units(encoding, unit_line, tmp_path):
    table, report = read("csv", put(tmp_path, "t.csv", (TITLES + HEAD + unit_line + ROWS).encode(encoding)))
    watts, degrees = [c for c in table if c.endswith("_W")], next(c for c in table if c.endswith("_degC"))
    assert len(table) == 4 and table[watts[0]].iloc[0] == 996000 and list(table[watts[1]]) == [1034600.0] * 4 and table[degrees].iloc[0] == 14.2
    assert any("t.csv:3: taken as the header" in n for n in report.notes) and said(report, "t.csv:1, t.csv:2", "before the header")


def test_a_unit_against_the_line_of_units_is_refused(tmp_path):
    path = put(tmp_path, "t.csv", HEAD + ";Wirkleistung MW;Wirkleistung kW;;\n" + ROWS)
    with pytest.raises(importers.InputError, match="--unit says kW and the file says MW"):
        read("csv", path, columns={"time": "Zeitstempel", "power": "Einspeisung A Wirkleistung MW"}, units={"power": "kW"})


def test_a_table_without_units_says_its_header_and_what_suffices(tmp_path):
    path = put(tmp_path, "t.csv", TITLES + HEAD + ROWS)
    with pytest.raises(importers.InputError, match='line 3 was taken as the header; --unit "COLUMN=kW" alone'):
        read("csv", path)
    assert list(read("csv", path, units={"Einspeisung B": "kW"})[0]["Einspeisung_B_W"]) == [1034600.0] * 4
