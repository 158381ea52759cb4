#include "fit_node_power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fit_rests.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

/// Appends levels one after another; a level that would end before the wave does is cut.
struct Builder {
  power::StepWave wave;
  void until(double edge_s, double level_W) {
    if (edge_s <= wave.edge_s.back() + 1e-9) return;
    wave.edge_s.push_back(edge_s);
    wave.level_W.push_back(level_W);
  }
};

void add_training(Builder& b, const WorkInterval& w, const NodeLevels& n) {
  const double iteration_s = w.iterations ? (w.end_s - w.start_s) / static_cast<double>(w.iterations) : 0.0;
  for (std::int64_t i = 0; i <= w.iterations && w.iterations; ++i) {
    const double at = w.start_s + static_cast<double>(i) * iteration_s + n.dip_start_s;
    b.until(std::clamp(at, w.start_s, w.end_s), n.train_W);
    b.until(std::clamp(at + n.dip_s, w.start_s, w.end_s), n.dip_W);
  }
  b.until(w.end_s, n.train_W);
}

void add_evaluation(Builder& b, const WorkInterval& w, const NodeLevels& n, bool after_rest) {
  if (after_rest) return b.until(w.end_s, n.evaluate_W);  // the rest was this evaluation's notch, a long one
  b.until(std::clamp(w.start_s + n.notch_start_s, w.start_s, w.end_s), n.evaluate_W);
  b.until(std::clamp(w.start_s + n.notch_start_s + n.notch_s, w.start_s, w.end_s), n.notch_W);
  b.until(w.end_s, n.evaluate_W);
}

struct Present {
  bool idle = false, train = false, dips = false, evaluate = false, notch = false;
};

Present present(std::span<const WorkInterval> intervals, bool rests) {
  Present p;
  p.idle = rests;
  for (const auto& w : intervals) {
    p.idle |= w.work == NodeWork::idle;
    p.train |= w.work == NodeWork::train;
    p.dips |= w.work == NodeWork::train && w.iterations > 0;
    p.evaluate |= w.work == NodeWork::evaluate;
  }
  p.notch = p.evaluate && !rests;
  return p;
}

/// The parameters in the order in which `levels_of` reads them.
std::vector<FitParameter> parameters(const Present& p, double low_W, double mean_W, double high_W) {
  const double room = high_W - low_W + 1.0;
  const auto level = [&](const char* key, double start_W) {
    return FitParameter{key, std::clamp(start_W, low_W - 0.5 * room, high_W), std::max(0.0, low_W - room),
                        high_W + 0.3 * room};
  };
  std::vector<FitParameter> list = {{"window_s", 0.3, 0.0, 4.0, true}};
  if (p.idle) list.push_back(level("idle_W", low_W + 0.05 * room));
  if (p.train) list.push_back(level("train_W", mean_W + 0.1 * (high_W - mean_W)));
  if (p.evaluate) {
    list.push_back(level("evaluate_W", mean_W - 0.3 * (high_W - mean_W)));
    if (p.notch) list.push_back(level("notch_W", low_W + 0.3 * (mean_W - low_W)));
    list.push_back({"notch_start_s", 0.0, -2.0, 3.0});
    list.push_back({"notch_s", 1.5, 0.0, 5.0, true});
  }
  if (p.dips) {
    list.push_back(level("dip_W", low_W + 0.2 * (mean_W - low_W)));
    list.push_back({"dip_start_s", -1.0, -3.0, 2.0});
    list.push_back({"dip_s", 2.0, 0.1, 5.0});
  }
  return list;
}

NodeLevels levels_of(const Present& present, std::span<const double> p) {
  NodeLevels n{};
  std::size_t i = 0;
  n.window_s = p[i++];
  if (present.idle) n.idle_W = p[i++];
  if (present.train) n.train_W = p[i++];
  if (present.evaluate) {
    n.evaluate_W = p[i++];
    n.notch_W = present.notch ? p[i++] : n.idle_W;
    n.notch_start_s = p[i++], n.notch_s = p[i++];
  }
  if (present.dips) n.dip_W = p[i++], n.dip_start_s = p[i++], n.dip_s = p[i++];
  return n;
}

/// Edges of the rests behind the levels: within two publications of where they were found. A log lags by half a publication in the mean.
void add_edges(std::vector<FitParameter>& list, std::span<const Rest> rests, double period_s) {
  for (std::size_t i = 0; i < rests.size(); ++i) {
    const auto edge = [&](const char* key, double at_s) {
      list.push_back(
          {fmt::format("rest{}_{}", i + 1, key), at_s - 0.5 * period_s, at_s - 2.0 * period_s, at_s + 2.0 * period_s});
    };
    edge("begin_s", rests[i].begin_s), edge("end_s", rests[i].end_s);
  }
}

std::vector<Rest> edges_of(std::span<const double> p, std::size_t n_rest) {
  std::vector<Rest> rests;
  for (std::size_t i = p.size() - 2 * n_rest; i < p.size(); i += 2) rests.push_back({p[i], p[i + 1]});
  return rests;
}

FitValue* value_of(Fit& fit, std::string_view key) {
  const auto at = std::find_if(fit.values.begin(), fit.values.end(), [&](const auto& v) { return v.key == key; });
  return at == fit.values.end() ? nullptr : &*at;
}

/// A dip whose depth may be nothing has no time: start and width are then unknown, which their slopes at one depth do not show.
void open_times_of(Fit& fit, const char* level, const char* dip, std::initializer_list<const char*> times) {
  const FitValue *from = value_of(fit, level), *to = value_of(fit, dip);
  if (!from || !to) return;
  const double half_W = 0.5 * std::hypot(from->high - from->low, to->high - to->low);
  if (std::abs(from->value - to->value) > half_W) return;
  for (const char* key : times) {
    FitValue& v = *value_of(fit, key);
    v.identified = v.at_bound = false;
    v.low = v.prior_low, v.high = v.prior_high;
  }
}

}  // namespace

power::StepWave node_wave(const NodeLevels& n, std::span<const WorkInterval> intervals) {
  if (intervals.empty()) throw InputError("a node's power needs one interval of work at least");
  Builder b;
  b.wave.edge_s.push_back(intervals.front().start_s);
  const WorkInterval* before = nullptr;
  for (const auto& w : intervals) {
    b.until(w.start_s, n.idle_W);
    const bool after_rest = before && before->work == NodeWork::idle && before->end_s == w.start_s;
    if (w.work == NodeWork::train) add_training(b, w, n);
    if (w.work == NodeWork::evaluate) add_evaluation(b, w, n, after_rest);
    if (w.work == NodeWork::idle) b.until(w.end_s, n.idle_W);
    before = &w;
  }
  return std::move(b.wave);
}

std::vector<double> log_of(const power::StepWave& wave, const NodeLevels& levels, double period_s,
                           std::span<const double> time_s) {
  const power::WaveMeter meter(wave);
  const power::PowerSensorParams sensor{levels.window_s, period_s, 0.0, 0.0};
  constexpr int n_phase = 16;
  std::vector<double> out;
  for (const double t : time_s) {
    double sum = 0.0;
    for (int j = 0; j < n_phase; ++j) sum += meter.reading_W(sensor, t - (j + 0.5) / n_phase * period_s);
    out.push_back(sum / n_phase);
  }
  return out;
}

NodePowerFit fit_node_power(const NodePowerLog& log, std::span<const WorkInterval> intervals, double period_s,
                            std::span<const Rest> rests) {
  if (log.time_s.size() != log.node_W.size() || log.time_s.empty())
    throw InputError("power log: no samples, or times and powers differ in number");
  double sum = 0.0;
  for (const double w : log.node_W) sum += w;
  const auto [low, high] = std::minmax_element(log.node_W.begin(), log.node_W.end());
  const Present p = present(intervals, !rests.empty());
  auto list = parameters(p, *low, sum / static_cast<double>(log.node_W.size()), *high);
  add_edges(list, rests, period_s);
  NodePowerFit out;
  out.fit = least_squares(list, log.time_s.size(), [&](std::span<const double> x, std::span<double> r) {
    const auto levels = levels_of(p, x);
    const auto work = with_rests(intervals, edges_of(x, rests.size()));
    const auto shown = log_of(node_wave(levels, work), levels, period_s, log.time_s);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = shown[i] - log.node_W[i];
  });
  open_times_of(out.fit, "train_W", "dip_W", {"dip_start_s", "dip_s"});
  open_times_of(out.fit, "evaluate_W", p.notch ? "notch_W" : "idle_W", {"notch_start_s", "notch_s"});
  std::vector<double> x;
  for (const auto& v : out.fit.values) x.push_back(v.value);
  out.levels = levels_of(p, x);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
