// The sentences of a result's summary.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "figure_text.hpp"
#include "sim/common_key.hpp"
#include "summary_cause.hpp"
#include "summary_events.hpp"
#include "summary_figures.hpp"
#include "summary_text.hpp"
#include "summary_waveform.hpp"
#include "tidewatt/sim/kinds.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr double least_shown_share = 5e-4;

std::string length_text(double s) {
  if (s >= 2.0 * 86400.0) return fmt::format("{:.3g} days", s / 86400.0);
  if (s >= 2.0 * 3600.0) return fmt::format("{:.3g} h", s / 3600.0);
  return s >= 120.0 ? fmt::format("{:.3g} min", s / 60.0) : fmt::format("{:.3g} s", s);
}

class Sentences {
 public:
  explicit Sentences(const sim::Result& result) : f_(result) {}

  std::string all() {
    range();
    training();
    weather();
    swing();
    limits();
    slowest();
    power();
    waveform();
    out_ += event_sentences(f_);
    smoothing();
    rules();
    costs();
    trust();
    return std::move(out_);
  }

 private:
  void say(const std::string& sentence) { out_ += sentence + "\n"; }
  /// A number of the summary with its unit.
  std::string said(const char* key) const { return figure_text(key, f_[key]); }
  bool known(std::initializer_list<const char*> keys) const {
    return std::all_of(keys.begin(), keys.end(), [&](const char* k) { return std::isfinite(f_[k]); });
  }

  /// What the run is not meant for comes first: temperatures beyond what fluids and servers take.
  void range() {
    const std::string fluids = f_.text("out_of_range");
    if (!fluids.empty()) say("Out of range: " + fluids + ".");
    const auto& kind = f_.texts("/events/kind");
    const auto& time = f_.array("/events/time");
    const auto first = std::find(kind.begin(), kind.end(), "over_shutdown_temperature");
    if (first == kind.end()) return;
    say(fmt::format(
        "Heat switches servers off, first at {} s. They draw no power and start again only within the range "
        "of their coolant.",
        shown(time[static_cast<std::size_t>(first - kind.begin())], 6)));
  }

  void training() {
    const std::string length = length_text(f_["simulated_s"]), gpus = shown(f_["n_gpu"], every_digit);
    if (!known({"tokens_per_s_mean", "iteration_s"}))
      return say(fmt::format("In {} no job on the {} GPUs reaches an iteration.", length, gpus));
    const std::string tokens = shown(f_["tokens_per_s_mean"] * 1e-6);
    if (several())
      say(fmt::format("Over {}, {} jobs on {} GPUs process {} million tokens per second while they train{}. {}.",
                      length, jobs_.size(), gpus, tokens, utilisation(), each_job()));
    else
      say(fmt::format(
          "Over {}, {} GPUs process {} million tokens per second while they train: an iteration takes {}{}.", length,
          gpus, tokens, said("iteration_s"), utilisation()));
    const double stops = f_["n_interruptions_unexpected"], planned = f_["n_interruptions_planned"];
    if (stops + planned > 0.0)
      say(fmt::format("Interruptions of the job{}: {:.0f} unexpected, {:.0f} planned; {} of the time is effective.",
                      several() ? "s" : "", stops, planned, said("effective_time_percent")));
  }

  bool several() const { return jobs_.size() > 1; }

  /// Of the peak of the format in use, and beside it of the bf16 peak where they differ.
  std::string utilisation() const {
    if (!known({"tflops_per_gpu", "mfu_percent"})) return {};
    const std::string format = f_.text("utilisation_precision");
    std::string out = fmt::format(", at {} per GPU and {} MFU", said("tflops_per_gpu"), said("mfu_percent"));
    if (!format.empty()) out += fmt::format(" of the peak in {}", format);
    if (known({"mfu_bf16_percent"}) && format != "bf16")
      out += fmt::format(" ({} of the peak in bf16)", said("mfu_bf16_percent"));
    return out;
  }

  std::string each_job() const {
    std::vector<std::string> parts;
    parts.reserve(jobs_.size());
    for (const auto& j : jobs_)
      parts.push_back(std::isfinite(j.tokens_per_s)
                          ? fmt::format("{} {} million on {} GPUs with an iteration of {} s", j.name,
                                        shown(j.tokens_per_s * 1e-6), shown(j.n_gpu, every_digit), shown(j.iteration_s))
                          : fmt::format("{} none on {} GPUs", j.name, shown(j.n_gpu, every_digit)));
    return "By job: " + listed(parts);
  }

  void weather() {
    const std::string from = f_.provenance("weather_text");
    if (!from.empty()) say("The outdoor air is from " + from + ".");
  }

  void swing() {
    if (!known({"throughput_swing_percent"})) return;
    const auto hours = f_.whole("throughput_min_hours");
    if (hours.empty())
      return say(fmt::format(
          "Hourly throughput swings by {}, which is no more than the steps' own errors: no hour is the slowest.",
          said("throughput_swing_percent")));
    std::string begins;
    for (const auto hour : hours) begins += fmt::format("{}{:02d}:00", begins.empty() ? "" : ", ", hour);
    say(
        fmt::format("Hourly throughput swings by {} between the best and the worst hour; the slowest hours begin at "
                    "{}. tidewatt sweep FILE --monte-carlo gives its distribution.",
                    said("throughput_swing_percent"), begins));
    if (worst_is_first())
      say("The run begins at that hour of the day: chips and fans that settle at the start may decide it, not the "
          "weather. A run with another run.start tells.");
  }

  /// Whether a slowest hour is the one in which the run begins, whose start decides as much as the weather.
  bool worst_is_first() const {
    const std::string start = f_.provenance("start_time");
    const auto at = start.find_first_of("T ");
    const auto hours = f_.whole("throughput_min_hours");
    return at != std::string::npos && std::ranges::any_of(hours, [&](std::int64_t hour) {
             return fmt::format("{:02d}", hour) == start.substr(at + 1, 2);
           });
  }

  void limits() {
    auto shares = f_.list("limiter_share");
    if (shares.empty()) return;
    static const std::map<std::string, std::string> names = {{"power", "the power limit"},
                                                             {"thermal", "the temperature limit"},
                                                             {"slowdown", "the hardware slowdown"},
                                                             {"clock", "the highest clock or a clock lock"},
                                                             {"brake", "the power brake"},
                                                             {"memory", "the memory's temperature limit"},
                                                             {"none", "nothing"}};
    std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> parts;
    for (const auto& [name, share] : shares)
      if (share >= least_shown_share)
        parts.push_back(fmt::format("{} {} %", names.contains(name) ? names.at(name) : name, shown(100.0 * share)));
    say(fmt::format("Limits on the clocks, by share of the compute time: {}.", listed(parts)));
    if (const std::string cause = worst_is_first() ? "" : swing_cause(f_, shares.front().first); !cause.empty())
      say(cause);
    if (known({"throughput_swing_percent"}))
      say("The causes of the swing, and the levers against it: tidewatt run FILE --explain swing.");
  }

  void slowest() {
    if (!known({"clock_mean_MHz", "clock_slowest_MHz"})) return;
    say(fmt::format("The mean clock is {}; the slowest GPU falls to {}. Dies average {} and peak at {}.",
                    said("clock_mean_MHz"), said("clock_slowest_MHz"), said("die_mean_degC"), said("die_max_degC")));
    if (!known({"clock_alone_MHz", "slowest_behind_percent", "straggler_loss_percent"})) return;
    if (f_["straggler_loss_percent"] > 0.0)
      say(
          fmt::format("Alone, GPUs would run at {} on average; {} is {} slower than that, and the others' wait "
                      "for it costs {} of the tokens.",
                      said("clock_alone_MHz"), several() ? "each job's slowest" : "the slowest",
                      said("slowest_behind_percent"), said("straggler_loss_percent")));
  }

  /// Ratings are thermal: the mean decides, and peaks beyond it are named beside it.
  void feeder() {
    const auto means = f_.list("feeder_loading_mean_max_percent");
    for (const auto& [level, peak] : f_.list("feeder_loading_max_percent")) {
      const auto mean = std::find_if(means.begin(), means.end(), [&](const auto& m) { return m.first == level; });
      if (mean == means.end() || peak <= 100.0) continue;
      const std::string key = fmt::format("site.feeder.{}_rating_MVA", level);
      if (mean->second > 100.0)
        say(fmt::format(
            "The feeder is overloaded: its level '{}' carries up to {} % of its rating over 15 min, {} % in the "
            "largest millisecond ({}).",
            level, shown(mean->second), shown(peak), key));
      else
        say(fmt::format(
            "The feeder's level '{}' carries up to {} % of its rating over 15 min, which it can; its largest "
            "millisecond is {} % ({}).",
            level, shown(mean->second), shown(peak), key));
    }
  }

  void power() {
    if (!known({"it_mean_MW", "pcc_mean_MW"})) return;
    std::string text =
        fmt::format("The servers draw {} on average and the connection {}", said("it_mean_MW"), said("pcc_mean_MW"));
    if (known({"pue"})) text += fmt::format(": PUE {}", said("pue"));
    if (f_["wue_L_per_kWh"] > 0.0) text += fmt::format(", {} L of water per kWh", shown(f_["wue_L_per_kWh"], 2));
    say(text + ".");
    feeder();
    if (f_["capacity_margin_min_percent"] < 0.0) {
      const std::string out = plant_event();
      say(fmt::format("{}: at worst, the load exceeds {} by {} %.",
                      out.empty() ? "The cooling plant is too small"
                                  : fmt::format("The cooling plant does not suffice in this run, which has a {}", out),
                      capacity_of(f_.text("capacity_margin_part")), shown(-f_["capacity_margin_min_percent"])));
    }
  }

  void waveform() {
    if (several()) {
      lines_of_jobs();
    } else if (known({"iteration_s", "pcc_dominant_Hz", "pcc_dominant_MW"})) {
      const double fundamental = 1.0 / f_["iteration_s"], largest = f_["pcc_dominant_Hz"],
                   ratio = largest / fundamental;
      const bool is_fundamental = std::abs(ratio - 1.0) < 0.1;
      const double own_MW = is_fundamental ? f_["pcc_dominant_MW"] : line_MW(f_, fundamental);
      std::string text = fmt::format("In training the load repeats with the iteration, at {} Hz{}", shown(fundamental),
                                     std::isfinite(own_MW) ? fmt::format(" with an amplitude of {} MW", shown(own_MW))
                                                           : std::string(", where no spectral line stands out"));
      if (is_fundamental) {
        text += ": the largest spectral line.";
      } else {
        const bool harmonic = ratio > 1.0 && std::abs(ratio - std::round(ratio)) < 0.1;
        text += fmt::format(". The largest spectral line is {}: {} at {}.",
                            harmonic ? fmt::format("harmonic {:.0f}", std::round(ratio)) : "not one of its harmonics",
                            said("pcc_dominant_MW"), said("pcc_dominant_Hz"));
        if (!harmonic && !f_.texts("/events/kind").empty())
          text += " An event that does not stop the job (a sag, say) may cause it.";
      }
      say(text);
    }
    if (known({"pcc_min_MW", "pcc_max_MW", "pcc_step_1s_max_MW", "pcc_ramp_up_max_MW_per_s",
               "pcc_ramp_down_max_MW_per_s"}))
      say(
          fmt::format("The connection moves between {} and {}, by at most {} from one instant to that a second "
                      "later; ramps over 0.1 s reach +{} and −{}.",
                      shown(f_["pcc_min_MW"]), said("pcc_max_MW"), said("pcc_step_1s_max_MW"),
                      shown(f_["pcc_ramp_up_max_MW_per_s"]), said("pcc_ramp_down_max_MW_per_s")));
    if (known({"freq_deviation_max_mHz", "volt_deviation_max_percent"}))
      say(fmt::format(
          "The site moves the grid's frequency by up to {} and the voltage at the connection by up to {}{}.",
          said("freq_deviation_max_mHz"), said("volt_deviation_max_percent"),
          grid_disturbs() ? "; the grid's own disturbances come on top" : ""));
  }

  /// Each job's load repeats with its own iteration.
  void lines_of_jobs() {
    std::vector<std::string> parts;
    for (const auto& j : jobs_)
      if (std::isfinite(j.iteration_s)) parts.push_back(fmt::format("{} at {} Hz", j.name, shown(1.0 / j.iteration_s)));
    if (parts.empty()) return;
    std::string text = fmt::format("In training the load of each job repeats with its iteration: {}", listed(parts));
    if (known({"pcc_dominant_Hz", "pcc_dominant_MW"})) {
      text += fmt::format(". The largest spectral line is {} at {}", said("pcc_dominant_MW"), said("pcc_dominant_Hz"));
      std::vector<std::string> of;
      for (const auto& j : jobs_) {
        const double ratio = f_["pcc_dominant_Hz"] * j.iteration_s, order = std::round(ratio);
        if (order >= 1.0 && std::abs(ratio - order) < 0.1)
          of.push_back(fmt::format("harmonic {:.0f} of {}", order, j.name));
      }
      if (!of.empty()) text += ": " + listed(of);
    }
    say(text + ".");
  }

  /// The first event that takes a part of the cooling plant out; empty if there is none.
  std::string plant_event() const {
    for (const auto& k : f_.texts("/events/kind"))
      if (const auto known = value_of<sim::EventKind>(k); known && sim::of_plant(*known))
        return std::string(phrase_of(*known));
    return {};
  }

  /// Whether the run has a disturbance caused by the grid.
  bool grid_disturbs() const {
    const auto& kind = f_.texts("/events/kind");
    return std::any_of(kind.begin(), kind.end(), [](const std::string& k) {
      const auto known = value_of<sim::EventKind>(k);
      return known && sim::of_grid(*known);
    });
  }

  static std::string capacity_of(const std::string& part) {
    if (part.empty()) return "its capacity";
    return "the capacity of its " + (part == "distribution" ? "distribution units"
                                     : part == "rejection"  ? "heat rejection"
                                                            : part);
  }

  /// Which parts of GPU power smoothing acted.
  void smoothing() {
    if (!f_.has("smoothing_floor_s")) return;
    const double floor_s = f_["smoothing_floor_s"], hysteresis_s = f_["smoothing_hysteresis_s"];
    say(
        fmt::format("GPU smoothing, mean over the jobs' GPUs: ramp down holds power up for {} s, ramp up holds it down "
                    "for {} s, the floor holds it up for {} s.",
                    shown(f_["smoothing_ramp_down_s"]), shown(f_["smoothing_ramp_up_s"]), shown(floor_s)));
    if (floor_s == 0.0)
      say(hysteresis_s > 0.0
              ? fmt::format(
                    "The floor and the hysteresis change nothing: in the {} s in which work below the floor is missing "
                    "and the hysteresis lasts, power has not come down to it.",
                    shown(hysteresis_s))
              : "The floor and the hysteresis change nothing: power without smoothing does not fall below the floor, "
                "or the "
                "hysteresis is 0.");
  }

  void rules() {
    const std::string verdict = f_.text("compliance"), open = f_.text("compliance_not_passed");
    if (verdict.empty()) return;
    say(fmt::format("Verdict on the site's rules: {}{}.", verdict, open.empty() ? "" : " (" + open + ")"));
    if (!open.empty()) say("Mitigations that would pass, and their cost: tidewatt size FILE.");
  }

  void costs() {
    if (!f_.has("cost_USD")) return;
    say(fmt::format("The run costs {} USD, {} to {} USD within the assumed prices.", shown(f_.of("cost_USD", "total")),
                    shown(f_.of("cost_USD", "total_low_prices")), shown(f_.of("cost_USD", "total_high_prices"))));
  }

  void trust() {
    const auto n_assumed = f_.texts("/trust/key").size();
    const auto& effect = f_.array("/trust/largest_effect_frac");
    const auto n_still =
        std::count_if(effect.begin(), effect.end(), [](double x) { return x < sim::least_effect_frac; });
    const std::string defaults = f_.provenance("defaults");
    const auto n_default = std::count(defaults.begin(), defaults.end(), '\n');
    std::string text =
        fmt::format("The run rests on {} assumed inputs, each with a range or a list of words", n_assumed);
    if (n_still > 0)
      text += fmt::format(
          ", {} of which move no headline of a shipped scenario by {:g} % (--explain inputs tells of this run)",
          n_still, 100.0 * sim::least_effect_frac);
    if (n_default > 0)
      text += fmt::format(", and on {} default{} that the scenario leaves to the program (--all lists them)", n_default,
                          n_default == 1 ? "" : "s");
    say(text + "." +
        (known({"energy_closure"}) ? fmt::format(" Its energy balance closes to {:.0e}.", f_["energy_closure"]) : ""));
  }

  Figures f_;
  std::vector<JobText> jobs_ = f_.jobs();
  std::string out_;
};

}  // namespace

std::string summary_sentences(const sim::Result& result) { return Sentences(result).all(); }

}  // namespace TIDEWATT_NAMESPACE::io
