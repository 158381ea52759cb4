#include "tidewatt/mitigation/gpu_smoothing.hpp"

#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::mitigation {
namespace {

struct Walk {
  const GpuSmoothingParams& p;
  double tdp_W, waiting_W;
  double level_W;
  Tick missing;
  std::span<const ThrottleCurve* const> curve = {};
  std::span<const std::uint8_t> waits = {};
  std::vector<SmoothedPiece> out = {};

  double stair_W() const { return tdp_W / 32.0; }
  /// Work alternates within milliseconds: the part of a stair in a segment is on a grid too. Otherwise every piece would have its
  /// own level, and a run as many kinds of work as pieces.
  double grid_W() const { return 0.5 * stair_W(); }

  /// What is remembered at a piece's end is set when the next one begins: until then it may still move.
  void emit(Tick duration, std::uint32_t segment, double low_W, double high_W) {
    if (duration <= 0) return;
    remember();
    out.push_back({duration, segment, low_W, high_W});
  }
  void remember() {
    if (!out.empty()) out.back().end = {level_W, missing};
  }

  /// Falls towards `target_W` for at most `left`; returns the rest of the time.
  Tick fall(Tick left, std::uint32_t segment, double target_W) {
    while (left > 0 && level_W > target_W) {
      const double next_W = std::max(target_W, (std::ceil(level_W / stair_W() - 1e-9) - 1.0) * stair_W());
      const Tick needed = std::max<Tick>(1, to_tick((level_W - next_W) / p.ramp_down_W_per_s));
      const Tick d = std::min(left, needed);
      const double end_W = level_W - (level_W - next_W) * static_cast<double>(d) / static_cast<double>(needed);
      const double mean_W = 0.5 * (level_W + end_W);
      emit(d, segment, d < needed ? std::max(target_W, std::floor(mean_W / grid_W()) * grid_W()) : mean_W,
           std::numeric_limits<double>::infinity());
      left -= d;
      level_W = end_W;
    }
    return left;
  }

  void low(Tick left, std::uint32_t segment, double natural_W) {
    const double floor_W = p.floor_ratio * tdp_W;
    const Tick hold = to_tick(p.hysteresis_s);
    if (natural_W < floor_W && missing < hold) {
      const Tick until_release = std::min(left, hold - missing);
      Tick rest = fall(until_release, segment, std::max(natural_W, floor_W));
      emit(rest, segment, level_W, std::numeric_limits<double>::infinity());
      missing += until_release;
      left -= until_release;
    }
    const Tick rest = fall(left, segment, natural_W);
    missing = natural_W < floor_W ? missing + left : 0;
    emit(rest, segment, level_W > natural_W ? level_W : 0.0, std::numeric_limits<double>::infinity());
  }

  /// A GPU that only waits takes exactly its time, whatever its power does.
  void rise_waiting(Tick left, std::uint32_t segment, double natural_W) {
    while (level_W < natural_W && left > 0) {
      const double next_W = std::min(natural_W, (std::floor(level_W / stair_W() + 1e-9) + 1.0) * stair_W());
      const Tick needed = std::max<Tick>(1, to_tick((next_W - level_W) / p.ramp_up_W_per_s));
      const Tick d = std::min(left, needed);
      const double end_W = level_W + (next_W - level_W) * static_cast<double>(d) / static_cast<double>(needed);
      emit(d, segment, 0.0, 0.5 * (level_W + end_W));
      left -= d;
      level_W = end_W;
    }
    emit(left, segment, 0.0, std::numeric_limits<double>::infinity());
  }

  void rise(Tick work, std::uint32_t segment, double natural_W) {
    if (natural_W <= waiting_W || (!waits.empty() && waits[segment] != 0))
      return rise_waiting(work, segment, natural_W);
    double left_s = seconds(work);  // seconds of unthrottled work still to do
    while (level_W < natural_W && left_s > 0.0) {
      const double next_W = std::min(natural_W, (std::floor(level_W / stair_W() + 1e-9) + 1.0) * stair_W());
      const double mean_W = 0.5 * (level_W + next_W);
      const bool curved = !curve.empty() && curve[segment] != nullptr;
      const double share =
          curved ? curve[segment]->at(mean_W) : std::clamp((mean_W - waiting_W) / (natural_W - waiting_W), 0.0, 1.0);
      const double needed_s = (next_W - level_W) / p.ramp_up_W_per_s;
      const double d_s = share * needed_s > left_s ? left_s / share : needed_s;
      // Cut by the end of the work: at the present level of the ramp, from above.
      const double held_W = level_W + 0.5 * (next_W - level_W) * d_s / needed_s;
      emit(to_tick(d_s), segment, 0.0,
           d_s < needed_s ? std::min(natural_W, std::ceil(held_W / grid_W()) * grid_W()) : mean_W);
      left_s -= share * d_s;
      level_W += (next_W - level_W) * d_s / needed_s;
    }
    emit(to_tick(std::max(0.0, left_s)), segment, 0.0, std::numeric_limits<double>::infinity());
  }

  void play(std::span<const Tick> duration, std::span<const double> natural_W) {
    out.clear();
    for (std::uint32_t i = 0; i < duration.size(); ++i) {
      if (natural_W[i] < level_W) {
        low(duration[i], i, natural_W[i]);
      } else {
        if (natural_W[i] >= p.floor_ratio * tdp_W) missing = 0;
        natural_W[i] > level_W ? rise(duration[i], i, natural_W[i])
                               : emit(duration[i], i, 0.0, std::numeric_limits<double>::infinity());
        if (natural_W[i] < p.floor_ratio * tdp_W) missing += duration[i];
      }
      missing = std::min(missing, to_tick(p.hysteresis_s));
    }
    remember();
  }
};

}  // namespace

double ThrottleCurve::at(double W) const {
  const auto above = std::upper_bound(power_W.begin(), power_W.end(), W);
  if (above == power_W.begin()) return speed_frac.front();
  if (above == power_W.end()) return speed_frac.back();
  const auto i = static_cast<std::size_t>(above - power_W.begin());
  return speed_frac[i - 1] + (speed_frac[i] - speed_frac[i - 1]) * (W - power_W[i - 1]) / (power_W[i] - power_W[i - 1]);
}

void GpuSmoothingParams::fields(FieldVisitor& v) {
  v.number("floor_ratio", floor_ratio, {0, 0.9}, "lowest power while active ÷ board limit");
  v.number("ramp_up_W_per_s", ramp_up_W_per_s, {1, 1e6}, "fastest rise of one GPU");
  v.number("ramp_down_W_per_s", ramp_down_W_per_s, {1, 1e6}, "fastest fall of one GPU");
  v.number("hysteresis_s", hysteresis_s, {0, 600}, "time for which the floor is kept after work stops");
}

std::vector<SmoothedPiece> smooth_from(SmoothingState& state, const GpuSmoothingParams& params, double tdp_W,
                                       std::span<const Tick> duration, std::span<const double> natural_W,
                                       double waiting_W, std::span<const ThrottleCurve* const> curve,
                                       std::span<const std::uint8_t> waits) {
  Walk walk{params, tdp_W, waiting_W, state.level_W, state.missing, curve, waits};
  walk.play(duration, natural_W);
  state = {walk.level_W, walk.missing};
  return std::move(walk.out);
}

}  // namespace TIDEWATT_NAMESPACE::mitigation
