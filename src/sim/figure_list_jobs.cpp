// Figures of the jobs and their GPUs.
#include "figure_list.hpp"

namespace TIDEWATT_NAMESPACE::sim::detail {
namespace {

using enum Scope;

constexpr const char* no_iteration = "no job reaches an iteration";
constexpr const char* one_server_domains = "the scale-up domain is one server";

constexpr Figure hardware[] = {
    {"n_gpu", "", "GPUs", "GPUs in the halls", "", {.scope = both}},
    {"n_rack", "", "racks (cabinets)",
     "cabinets in the halls, `servers_per_rack` servers each (an NVL36×2 has two per scale-up domain)"},
    {"scale_up_gpus", "", "GPUs of a scale-up domain", "GPUs of one scale-up domain of the jobs' network",
     "the jobs have several"},
};

constexpr Figure training[] = {
    {"tokens_per_s_mean",
     "tokens/s",
     "throughput while training",
     "tokens per second of iterating time, sum over jobs",
     no_iteration,
     {.scope = both, .headline = 2, .of_model = true, .scale = 1e-6, .shown_unit = "million tokens/s"}},
    {"iteration_s",
     "s",
     "iteration",
     "mean time of an iteration",
     no_iteration,
     {.scope = both, .headline = 3, .of_model = true}},
    {"tflops_per_gpu",
     "TFLOP/s",
     "model arithmetic per GPU",
     "model FLOPs with causal attention, per second and GPU while training; in percent of `utilisation_peak_TF`",
     no_iteration,
     {.scope = both}},
    {"mfu_percent", "%", "MFU, causal attention", "", no_iteration, {.scope = both}},
    {"mfu_bf16_percent",
     "%",
     "MFU of the bf16 peak",
     "the same model FLOPs in percent of the dense bf16 peak, as many publications count whatever the format; above "
     "100 where a narrower format is that fast",
     no_iteration,
     {.scope = both}},
    {"hfu_percent",
     "%",
     "HFU, full attention, recomputed",
     "as `mfu_percent`, with attention counted as a full square and with what the plan computes again, as Megatron-LM "
     "counts",
     no_iteration,
     {.scope = both}},
    {"utilisation_peak_TF",
     "TFLOP/s",
     "dense peak of MFU and HFU",
     "what `mfu_percent` and `hfu_percent` refer to: dense peak of one GPU at its reference clock (989.4 TFLOP/s for "
     "H100 in bf16), and its number format, that of the linear layers. Attention, head and gradients stay in bf16, so "
     "a job in a narrower format cannot reach 100 %. Jobs with several formats: all of them, and the mean peak over "
     "their GPUs",
     "several jobs and none iterates",
     {.digits = 4, .scope = both}},
    {"utilisation_precision", "", "its format, of linear layers", "", "", {.scope = both}},
    {"mfu_attention",
     "",
     "attention as MFU counts it",
     "how each counts attention: `causal` or `full`",
     "",
     {.in_tables = false}},
    {"hfu_attention", "", "attention as HFU counts it", "", "", {.in_tables = false}},
    {"precision",
     "",
     "format of the linear layers",
     "the same format and peak, from the scenario alone",
     "",
     {.in_tables = false}},
    {"peak_FLOP_per_s",
     "FLOP/s",
     "dense peak of a GPU",
     "",
     "",
     {.digits = 4, .in_tables = false, .scale = 1e-12, .shown_unit = "TFLOP/s"}},
    {"tokens_per_J", "tokens/J", "tokens per joule drawn",
     "tokens of completed iterations of all jobs, per joule drawn at the connection over the whole run, with start, "
     "pauses and losses",
     "the site drew nothing"},
    {"throughput_swing_percent",
     "%",
     "swing of hourly throughput",
     "largest minus smallest hourly mean, over the daily mean. Hours are in local standard time. An hour's throughput "
     "is its tokens ÷ its iterating seconds, so pauses, evaluations and restarts do not count. Tokens of an iteration "
     "that crosses the hour are divided by time. Hours with less than 15 iterating minutes are left out. With several "
     "jobs, an hour has the throughput of those that iterate as long, over the mean of the same jobs",
     "fewer than two hours are left",
     {.headline = 1, .of_model = true}},
    {"throughput_swing_floor_percent",
     "%",
     "swing by the engine's steps",
     "swing that the errors of the engine's steps alone can cause",
     "",
     {.in_tables = false}},
    {"throughput_min_hours", "h", "slowest hours begin at",
     "hours of the day, 0–23, in which throughput was in the lowest tenth of its range: a list, empty where the swing "
     "is below its floor; text in a sweep's table"},
    {"effective_time_percent",
     "%",
     "effective training time",
     "percentage of the jobs' time whose work was kept",
     "no job begins",
     {.scope = both}},
    {"n_interruptions_unexpected", "", "unexpected interruptions", "interruptions of all jobs", "", {.scope = both}},
    {"n_interruptions_planned", "", "planned interruptions", "", "", {.scope = both}},
    {"n_interruptions_thermal",
     "",
     "unexpected ones by overheating",
     "unexpected interruptions in which nodes switched themselves off by heat",
     "",
     {.scope = both}},
    {"n_interruptions_tray",
     "",
     "unexpected ones by trays",
     "unexpected interruptions by trays, by switch trays and by whole racks",
     one_server_domains,
     {.scope = both}},
    {"n_interruptions_switch_tray", "", "unexpected ones by switch trays", "", one_server_domains, {.scope = both}},
    {"n_interruptions_rack", "", "unexpected ones by whole racks", "", one_server_domains, {.scope = both}},
    {"n_interruptions_power",
     "",
     "unexpected ones by loss of power",
     "unexpected interruptions in which the site lost its power",
     "",
     {.scope = both, .in_tables = false}},
    {"stops_failure", "", "stops by failures",
     "stops by cause: failures of hosts and switches, with the watchdog's end of all processes; a scheduler's kill "
     "(`planned_stop = \"at_once\"`); losses of the site's power. `n`: how many. `spread_s`: time over which the "
     "processes of the job end; 0 without power; in a kill, processes whose turn has not come spin meanwhile; "
     "`spread_low_s`, `spread_high_s`: its range, where it is assumed. `ramp_down_max_MW_per_s`: steepest fall over "
     "0.1 s from the stop until work may begin again, where a window records the beginning",
     "there is no such stop"},
    {"stops_kill", "", "stops by a scheduler's kill", "", "there is no such stop"},
    {"stops_power_loss", "", "stops by loss of power", "", "there is no such stop"},
    {"name", "", "job", "the job's name", "", {.scope = job}},
    {"tokens", "tokens", "tokens", "tokens of completed iterations, and the time they took", "", {.scope = job}},
    {"iterating_s", "s", "time in iterations", "", "", {.scope = job}},
    {"n_iterations",
     "",
     "iterations run",
     "whole iterations run, repeated ones counted again; iterations whose work was lost",
     "",
     {.scope = job}},
    {"n_iterations_lost", "", "iterations lost", "", "", {.scope = job}},
    {"n_checkpoints",
     "",
     "checkpoints",
     "checkpoints written; nodes that left the job after a failure; if a whole scale-up domain left, all of its nodes",
     "",
     {.scope = job}},
    {"n_nodes_replaced", "", "nodes replaced", "", "", {.scope = job}},
};

constexpr const char* no_work = "no job computes";

constexpr Figure gpus[] = {
    {"clock_mean_MHz",
     "MHz",
     "mean clock",
     "mean clock of the GPUs, which rises while they wait; lowest clock over the run of the slowest GPU, for which all "
     "wait. On a slow host (`life.slow_host_frac`) its clock over the host's slowness",
     no_work,
     {.digits = 4, .scope = both}},
    {"clock_slowest_MHz", "MHz", "slowest clock", "", no_work, {.digits = 4, .scope = both, .headline = 12}},
    {"clock_alone_MHz",
     "MHz",
     "mean clock without waiting",
     "mean of the clocks that GPUs would have without waiting for the slowest; how far the slowest is below it, mean "
     "over the run",
     no_work,
     {.digits = 4, .scope = both}},
    {"slowest_behind_percent", "%", "slowest GPU below that, mean", "", no_work, {.digits = 2, .scope = both}},
    {"straggler_loss_percent",
     "%",
     "tokens lost to that wait",
     "tokens lost because all wait for the slowest: (T_slowest − T_alone) ÷ `iteration_s`, with the schedule's length "
     "T at the slowest GPU's mean clock and at `clock_alone_MHz`; 0 with `run.gating = false`. Identical chips "
     "(`run.spread = false`) lose less, but not nothing: rear rows and warm racks are slower too",
     no_work,
     {.digits = 2, .scope = both}},
    {"limiter_share", "share", "compute time by limiter",
     "share of compute time in which each limiter set the clock: none, power, thermal (die), clock (lock, soft start), "
     "slowdown, brake (the facility's), memory (its temperature)",
     no_work},
    {"cap_over_max_W",
     "W",
     "largest excess over a GPU's cap",
     "largest excess of a GPU's mean power over its cap in a step of work, if over 0.1 %; percentage of the working "
     "GPU time in such steps; all jobs. A cap below the driver's lowest limit, or below a job's power at the lowest "
     "clock, is refused; caps lowered by an order stop there",
     no_work,
     {.in_tables = false}},
    {"cap_over_percent", "%", "working time over the cap", "", no_work, {.in_tables = false}},
    {"die_mean_degC", "°C", "mean die", "die temperature, mean and highest", no_work, {.scope = both}},
    {"die_max_degC", "°C", "hottest die", "", "", {.headline = 11, .of_model = true}},
    {"memory_mean_degC",
     "°C",
     "mean memory",
     "memory stacks of the jobs' GPUs: mean; highest mean over a step of one GPU",
     "no GPU has a memory branch",
     {.in_tables = false}},
    {"memory_max_degC", "°C", "hottest memory", "", "no GPU has a memory branch"},
    {"fan_cycling_nodes",
     "",
     "servers whose fans cycle",
     "servers whose fans cycle between two steps of their controller, in the picture of the warmest time",
     "fans follow a straight line",
     {.in_tables = false}},
    {"fan_cycle_amplitude_K",
     "K",
     "dies' cycle by fans",
     "of these servers' hottest dies, from lowest to highest, and from one rise of the fans to the next: medians of at "
     "most 64 servers",
     "none cycles",
     {.in_tables = false}},
    {"fan_cycle_period_s", "s", "period of that cycle", "", "none cycles", {.in_tables = false}},
};

constexpr FigureTopic topics[] = {{"Site", hardware}, {"Training", training}, {"GPUs", gpus}};

}  // namespace

std::span<const FigureTopic> job_topics() { return topics; }

}  // namespace TIDEWATT_NAMESPACE::sim::detail
