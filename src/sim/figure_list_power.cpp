// Figures of the site's power, and of what the grid sees.
#include "figure_list.hpp"

namespace TIDEWATT_NAMESPACE::sim::detail {
namespace {

constexpr const char* no_case = "`grid.case` names no power system";

constexpr Figure power[] = {
    {"it_mean_MW",
     "MW",
     "mean power of the servers",
     "mean power at the servers' AC inputs, including fans",
     "",
     {.scope = Scope::both}},
    {"neighbours_mean_MW", "MW", "of them neighbours", "mean power of other loads on the same feeders",
     "the site has no neighbours"},
    {"pcc_mean_MW",
     "MW",
     "mean power",
     "power at the point of common coupling; with one job on all nodes and no battery, extremes are exact, otherwise "
     "those of 1 ms means",
     "",
     {.headline = 4, .of_model = true}},
    {"pcc_max_MW", "MW", "largest power", "", "", {.headline = 5, .of_instants = true}},
    {"pcc_min_MW", "MW", "smallest power", ""},
    {"pcc_step_1s_max_MW",
     "MW",
     "largest change over 1 s",
     "largest |P(t + 1 s) − P(t)|",
     "",
     {.headline = 6, .of_instants = true, .of_model = true}},
    {"pcc_ramp_up_max_MW_per_s",
     "MW/s",
     "steepest rise over 0.1 s",
     "largest ±(mean over (t, t + 0.1 s) − mean over (t − 0.1 s, t)) ÷ 0.1 s",
     "",
     {.headline = 7, .of_instants = true, .of_model = true}},
    {"pcc_ramp_down_max_MW_per_s",
     "MW/s",
     "steepest fall over 0.1 s",
     "",
     "",
     {.headline = 8, .of_instants = true, .of_model = true}},
    {"feeder_loading_max_percent", "%", "feeder, largest millisecond",
     "largest apparent power (1 ms mean) of each feeder level (rack, row, hall, site), in percent of the summed "
     "ratings of its branches; no overload by itself"},
    {"feeder_loading_mean_max_percent", "%", "feeder, highest over 15 min",
     "the same as a root mean square over 15 min (a shorter run: over the run), which is what ratings are for; the "
     "summary warns above 100"},
    {"pcc_dominant_Hz", "Hz", "largest spectral line",
     "largest spectral line at or above 0.02 Hz in the longest uninterrupted iterating interval, and its amplitude "
     "(Welch: 1 ms, Hann, 2¹⁶ samples, mean removed, interpolated); only local maxima count",
     "there is none"},
    {"pcc_dominant_MW", "MW", "its amplitude", "", "there is none"},
};

constexpr Figure grid[] = {
    {"freq_deviation_max_mHz", "mHz", "largest frequency deviation",
     "largest deviation of system frequency and of the voltage at the connection that the site's own load causes, "
     "without disturbances of the grid"},
    {"volt_deviation_max_percent", "%", "largest voltage deviation", ""},
    {"rules_from_s",
     "s",
     "rules look from",
     "the part of the run that rules look at, from `site.rules_from_s` to `site.rules_until_s` or the run's end. All "
     "figures of ramps, bands, cycles, flicker and excursions cover this part",
     "",
     {.in_tables = false}},
    {"rules_until_s", "s", "rules look until", "", "", {.in_tables = false}},
    {"ramp_up_MW_per_s",
     "MW/s",
     "steepest rise",
     "largest ramps over 0.1, 1, 10 s (at every bin), 60, 300 and 900 s (at every 100 ms), and over the windows of the "
     "rules; `null` if two windows do not fit, and a rule on it is *not measured*",
     "",
     {.in_tables = false}},
    {"ramp_down_MW_per_s", "MW/s", "steepest fall", "", "", {.in_tables = false}},
    {"band_rms_MW",
     "MW",
     "swing in a band, RMS",
     "root mean square of the power filtered to 0.1–1, 1–2.5, 2.5–7 and 7–60 Hz and to the rules' own bands",
     "",
     {.in_tables = false}},
    {"rainflow_cycles",
     "",
     "cycles of the load",
     "largest range; number of cycles above a tenth and above half of it. `/grid_cycles` has all classes",
     "",
     {.in_tables = false}},
    {"flicker_P_st_230V_50Hz", "", "flicker P_st, 230 V lamp",
     "flicker severity per IEC 61000-4-15 and lamp system: worst ten minutes, worst two hours",
     "no such interval was complete"},
    {"flicker_P_st_120V_60Hz", "", "flicker P_st, 120 V lamp", "", "no such interval was complete"},
    {"flicker_P_lt_230V_50Hz",
     "",
     "flicker P_lt, 230 V lamp",
     "",
     "no such interval was complete",
     {.in_tables = false}},
    {"flicker_P_lt_120V_60Hz",
     "",
     "flicker P_lt, 120 V lamp",
     "",
     "no such interval was complete",
     {.in_tables = false}},
    {"voltage_outside_5_percent",
     "",
     "voltage beyond 5 %",
     "number and duration of excursions below and above",
     "",
     {.in_tables = false}},
    {"frequency_outside_36_mHz", "", "frequency beyond 36 mHz", "", "", {.in_tables = false}},
    {"compliance", "", "rules of the utility",
     "verdict over all rule sets, the worst first (fail, undecided, not measured, pass); the rules that did not pass, "
     "and by what fraction of their limit. `/compliance` has all rules",
     "the site has no rules"},
    {"compliance_not_passed", "", "not passed", "", "all rules pass"},
    {"order_kept", "", "order to draw less",
     "during curtailments: largest 1 ms power, mean, largest 1 ms excess over the limit, energy above it (100 ms "
     "means); number of whole intervals of 5 and 15 minutes within the orders (`n_means_…`) and of those whose mean is "
     "above the limit (`n_over_…`), and the largest such excess (`short_MW`; 0: met). The verdict of `run` and of "
     "`tidewatt orders` is that of these intervals; without one, an order is not judged",
     "none lasts for 100 ms of the run"},
    {"load_lost_MW", "MW", "load lost",
     "largest fall of the load during a disturbance and half a second after it, including the iteration's own dips; "
     "energy demand that no source served (a site without power has no demand)",
     "the load never falls by a disturbance"},
    {"unserved_MWh", "MWh", "energy not served", "", "the site has no device between connection and racks"},
    {"power_lost_s",
     "s",
     "time without power",
     "time without power",
     "no device or event of the site can interrupt it",
     {.in_tables = false}},
    {"reserves_fast_from_s",
     "s",
     "fast reserve from",
     "with `grid.reserves`: when the fast reserve was called, number of under-frequency stages that opened, system "
     "load that they shed",
     "it never was",
     {.in_tables = false}},
    {"reserves_stages_open", "", "under-frequency stages open", "", "without `grid.reserves`", {.in_tables = false}},
    {"reserves_shed_MW", "MW", "system load shed", "", "without `grid.reserves`", {.in_tables = false}},
};

constexpr Figure machines[] = {
    {"grid_case", "", "system, site's bus, window",
     "if `grid.case` names a power system of several machines: the part of the waveform that acts on it; the largest "
     "frequency swing of a machine (highest minus lowest); the number of that machine's bus",
     no_case},
    {"grid_case_machine_swing_mHz", "mHz", "largest swing of a machine", "", no_case},
    {"grid_case_machine_bus", "", "that machine's bus", "", no_case, {.digits = 15}},
    {"grid_case_bus_mHz", "mHz", "frequency at the site's bus",
     "frequency at the site's bus (100 ms mean, relative to nominal); lowest and highest voltage, and its swing in "
     "percent of nominal; largest swing of a rotor relative to the mean of all",
     no_case},
    {"grid_case_bus_pu", "pu", "voltage at the site's bus", "", no_case},
    {"grid_case_rotor_deg", "°", "largest swing of a rotor", "", no_case},
    {"grid_case_least_damped", "", "least damped swing",
     "the swing mode with the least damping; the mode that a sustained nearest spectral line would excite most",
     no_case},
    {"grid_case_most_driven", "", "swing that is driven most", "", no_case},
    {"grid_case_left_out_slower_s", "s", "left out: slower than",
     "the case has no governors, so changes slower than this time are left out; with `site.load_settings`: when and "
     "why voltage and frequency would disconnect the site",
     "no change is that slow"},
    {"grid_case_site_leaves", "", "the site would leave", "", "it stays"},
};

constexpr FigureTopic topics[] = {
    {"Power at the connection", power}, {"Grid", grid}, {"On a power system of several machines", machines}};

}  // namespace

std::span<const FigureTopic> power_topics() { return topics; }

}  // namespace TIDEWATT_NAMESPACE::sim::detail
