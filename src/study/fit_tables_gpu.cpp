#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fit_clock_table.hpp"
#include "fit_limiter.hpp"
#include "fit_population.hpp"
#include "fit_table_parts.hpp"
#include "fit_words.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study::table_fit {
namespace {

constexpr double largest_miss_ratio = 0.1;  // rms over the limit: beyond, the noise would be taken for the law

using Keys = std::vector<std::pair<std::string, std::string>>;

/// Keys of the base that a clocks fit can write.
Keys clock_keys(const EntryBase& base) {
  Keys keys = {{"board_W", "power.board_W"},
               {"leakage_W", "power.leakage_W"},
               {"leakage_frac_per_K", "power.leakage_frac_per_K"},
               {"leakage_frac_per_V", "power.leakage_frac_per_V"},
               {"wait_activity_ratio", "power.wait_activity_ratio"},
               {"cap_margin_W", "governor.cap_margin_W"}};
  const Node* power = base.values().find("power");
  if (power && power->find("rest_leakage_ratio")) keys.emplace_back("rest_leakage_ratio", "power.rest_leakage_ratio");
  return keys;
}

/// All tables' loads under one numbering.
std::vector<ClockTable> gathered(const std::vector<std::string>& files, std::vector<std::string>& loads) {
  std::vector<ClockTable> tables;
  for (const auto& file : files)
    for (auto& t : read_clock_tables(file)) {
      for (const auto& load : t.loads)
        if (std::find(loads.begin(), loads.end(), load) == loads.end()) loads.push_back(load);
      tables.push_back(std::move(t));
    }
  for (auto& t : tables) {
    for (auto& p : t.points)
      p.load = static_cast<std::size_t>(std::find(loads.begin(), loads.end(), t.loads[p.load]) - loads.begin());
    t.loads = loads;
  }
  return tables;
}

std::vector<double> times_of(const ClockTable& t) {
  std::vector<double> out;
  out.reserve(t.points.size());
  for (const auto& p : t.points) out.push_back(p.time_s);
  return out;
}

void write_curve(EntryMaker& to, const ClockModel& model, const std::vector<FitValue>& values) {
  const FitValue &below = values[4], &above = values[5];
  if (!below.identified && !above.identified) return;
  const auto V =
      stretched_V(model.gpu.params(), below.identified ? below.value : 1.0, above.identified ? above.value : 1.0);
  FittedValue curve{"power.vf_voltage_mV", 0.0, 0.0, 0.0, to.source(), {}};
  curve.list.reserve(V.size());
  for (const double v : V) curve.list.push_back(1e3 * v);
  to.write(std::move(curve));
}

/// Whether a recorder's experiment can show the limiter: load at a free clock, not switched faster than in some seconds.
bool limits(const std::string& experiment) {
  return experiment == "soak" || experiment == "wave_of_10s" || experiment.starts_with("cap_at_");
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

std::size_t columns_of(const Columns& c, const char* name, std::vector<double>& to) {
  to = c.optional({name});
  return static_cast<std::size_t>(std::count_if(to.begin(), to.end(), [](double x) { return std::isfinite(x); }));
}

/// What the chips have in common; one whose search ended at an end is no estimate and does not count.
void add_type(EntryMaker& out, const ClockModel& model, const std::vector<Posterior>& fits, const Keys& keys) {
  std::vector<ChipPosterior> chips;
  chips.reserve(fits.size());
  for (const auto& f : fits)
    if (std::none_of(f.fit.values.begin(), f.fit.values.end(), [](const auto& v) { return v.at_bound; }))
      chips.push_back(chip_part(f, model.prior.size()));
  if (chips.empty()) throw InputError("every GPU has a value at an end of its search: the base does not describe them");
  // Leakage is a chip's own; its voltage offset looks like another stretch of the V/f table and another activity.
  std::vector<bool> varies(model.prior.size(), false);
  for (std::size_t i = 0; i < varies.size(); ++i) varies[i] = i == 1 || i == 4 || i == 5 || i >= ClockModel::n_shared;
  const auto type = fit_population(chips, model.prior, varies, {"chip_sigma_ratio", 0.02, 0.25, true});
  out.say(fmt::format("the type, from {} of {} GPUs{}", chips.size(), fits.size(),
                      chips.size() < fits.size() ? "; the others have a value at an end of the search" : ""));
  auto values = type.values;
  values.push_back(type.spread);
  out.add_values(values, keys);
  write_curve(out, model, values);
}

}  // namespace

FittedEntry clocks(const FitTableOptions& o) {
  const EntryBase base("gpu", o.base);
  std::vector<std::string> loads;
  auto tables = gathered(o.files, loads);
  if (tables.empty()) throw InputError(fmt::format("{}: no row under load", o.files.front()));
  const auto model = clock_model(o.base, loads);
  const auto enough = [&](const ClockTable& t) { return t.points.size() > model.prior.size(); };
  const auto few = std::erase_if(tables, [&](const auto& t) { return !enough(without_coarse_points(t)); });
  if (tables.empty())
    throw InputError(
        fmt::format("{}: no GPU has more than {} points that tell (the number of unknowns); points under a limit whose "
                    "clock readings take fewer than four values do not",
                    o.files.front(), model.prior.size()));
  const auto keys = clock_keys(base);
  EntryMaker out(base, o);
  std::vector<Posterior> fits;
  fits.reserve(tables.size());
  if (few) out.say(fmt::format("{} GPUs with at most {} points that tell are left out", few, model.prior.size()));
  for (const auto& t : tables) {
    const auto telling = without_coarse_points(t);
    fits.push_back(fit_clocks(model, telling));
    const auto margin = fit_cap_margin(t, model.gpu.clock_max_Hz());
    if (tables.size() == 1) {
      out.add("operating points", fits.back(), times_of(telling), "W", keys);
      out.add_values(margin.fit.values, keys);
      write_curve(out, model, fits.back().fit.values);
    } else {
      out.add_gpu(t.gpu, fits.back(), times_of(telling), "W");
      for (const auto& v : margin.fit.values) out.say(value_line(v).substr(0, value_line(v).size() - 1));
    }
    if (margin.fit.values.empty()) out.say("  cap_margin_W: not identified: fewer than 5 points under a limit");
  }
  if (tables.size() > 1) add_type(out, model, fits, keys);
  out.say(fmt::format("activities are of dynamic_W = {:g}, which the points show only as a product",
                      base.value("power.dynamic_W")));
  return out.done();
}

FittedEntry limiter(const FitTableOptions& o) {
  const Columns c(o.files.front());
  const auto time_s = c.time_s();
  const auto power_W = c.needed({"power_W"}), limit_W = c.needed({"limit_W"});
  std::vector<double> on_s, die;
  const bool counted = columns_of(c, "load_s", on_s) > 0;
  const auto share = counted ? on_s : c.needed({"load_frac", "load"});
  columns_of(c, "temperature_degC", die);
  const auto gpu = c.words({"gpu"});
  const auto clock_MHz = c.optional({"clock_MHz"});
  const auto experiment = c.words({"experiment"});
  LimiterLog log;
  std::vector<double> limited_Hz, limited_W;
  double top_Hz = 0.0;
  for (const double f : clock_MHz)
    if (std::isfinite(f)) top_Hz = std::max(top_Hz, 1e6 * f);
  double hot = 0.0, n_hot = 0.0, before_on_s = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < time_s.size(); ++i) {
    if (!gpu.empty() && gpu[i] != gpu.front()) continue;
    if (!experiment.empty() && !limits(experiment[i])) continue;
    if (!std::isfinite(power_W[i]) || !std::isfinite(limit_W[i]) || !std::isfinite(share[i])) continue;
    if (!log.time_s.empty() && time_s[i] <= log.time_s.back()) continue;
    const double step_s = log.time_s.empty() ? 1.0 : time_s[i] - log.time_s.back();
    const double on = counted ? (std::isfinite(before_on_s) ? (share[i] - before_on_s) / step_s : 0.0) : share[i];
    before_on_s = share[i];
    log.time_s.push_back(time_s[i]), log.power_W.push_back(power_W[i]), log.limit_W.push_back(limit_W[i]);
    log.load_frac.push_back(std::clamp(on, 0.0, 1.0));
    if (on > 0.5 && std::isfinite(die[i])) hot += die[i], n_hot += 1.0;
    if (on > 0.5 && 1e6 * clock_MHz[i] < top_Hz && power_W[i] > 0.9 * limit_W[i] && power_W[i] < 1.02 * limit_W[i])
      limited_Hz.push_back(1e6 * clock_MHz[i]), limited_W.push_back(power_W[i]);
  }
  const double loaded =
      static_cast<double>(std::count_if(log.load_frac.begin(), log.load_frac.end(), [](double x) { return x > 0.5; }));
  if (loaded < 10.0) throw InputError(fmt::format("{}: fewer than 10 readings under load with a limit", c.file()));
  log.die_K = (n_hot > 0.0 ? hot / n_hot : 60.0) + 273.15;
  if (limited_Hz.size() >= 5) log.limited_Hz = median(limited_Hz), log.limited_W = median(limited_W);
  const EntryBase base("gpu", o.base);
  const auto model = limiter_model(o.base, o.governor, log);
  EntryMaker out(base, o);
  auto fit = fit_limiter(model, log, o.power_window_s);
  if (const double limit = median(log.limit_W); fit.fit.rms > largest_miss_ratio * limit)
    throw InputError(fmt::format(
        "{}: the governor's model misses the watts by {:.0f} W rms at a limit of {:.0f} W: another limiter, another "
        "load, or readings with another window (--power-window-s)",
        c.file(), fit.fit.rms, limit));
  std::erase_if(fit.fit.values, [](const FitValue& v) { return v.key == "activity_work"; });
  std::vector<double> used(log.time_s.end() - static_cast<std::ptrdiff_t>(fit.residual.size()), log.time_s.end());
  out.add("power limiter", fit, used, "W",
          {{"window_s", "governor.window_s"}, {"cap_margin_W", "governor.cap_margin_W"}});
  return out.done();
}

}  // namespace TIDEWATT_NAMESPACE::study::table_fit
