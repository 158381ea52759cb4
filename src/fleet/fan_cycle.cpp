#include "fan_cycle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"
#include "tidewatt/thermal/package.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

/// Packages of one server, and the air between its two rows. GPUs side by side.
class Server {
 public:
  /// At rest at this speed.
  Server(const NodeType& type, std::span<const double> gpu_W, std::span<const double> r, double inlet_K,
         double air_J_per_m3_K, double frac)
      : type_(type),
        gpu_W_(gpu_W),
        r_(r),
        inlet_K_(inlet_K),
        air_J_per_m3_K_(air_J_per_m3_K),
        modes_(&type.modes[mode_step(type, frac, 1.0, air_J_per_m3_K)]),
        air_K_(gpu_W.size()) {
    for (auto& of_store : store_K_) of_store.assign(gpu_W.size(), 0.0);
    for (auto& of_mode : settled_K_) of_mode.resize(gpu_W.size());
    const auto& m = *modes_;
    for (std::size_t j = 0; j < thermal::n_mode; ++j)
      for (std::size_t k = 0; k < store_K_.size(); ++k)
        for (std::size_t g = 0; g < gpu_W.size(); ++g)
          store_K_[k][g] += m.shape[k][j] * m.gain_K_per_J[j] * gpu_W[g] / m.rate_per_s[j];
    const double rear_K = rear_air_K(frac);
    for (std::size_t g = 0; g < gpu_W.size(); ++g) air_K_[g] = rear(g) ? rear_K : inlet_K;
  }
  /// A sample at this speed.
  TIDEWATT_INLINE void step(double frac, double sample_s) {
    if (const auto* modes = &type_.modes[mode_step(type_, frac, 1.0, air_J_per_m3_K_)];
        modes != modes_ || sample_s != sample_s_) {
      modes_ = modes, sample_s_ = sample_s;
      for (std::size_t j = 0; j < left_.size(); ++j) {
        left_[j] = math::exp(-modes->rate_per_s[j] * sample_s);
        for (std::size_t g = 0; g < gpu_W_.size(); ++g)
          settled_K_[j][g] = modes->gain_K_per_J[j] * gpu_W_[g] / modes->rate_per_s[j];
      }
    }
    blow(frac);
    double *die_K = store_K_[0].data(), *base_K = store_K_[1].data(), *sink_K = store_K_[2].data();
    const auto &inverse = modes_->inverse, &shape = modes_->shape;
    const double *end0 = settled_K_[0].data(), *end1 = settled_K_[1].data(), *end2 = settled_K_[2].data();
    const double left0 = left_[0], left1 = left_[1], left2 = left_[2];
    const std::size_t n = gpu_W_.size();
    TIDEWATT_LANE_LOOP
    for (std::size_t g = 0; g < n; ++g) {
      const double x0 = die_K[g], x1 = base_K[g], x2 = sink_K[g];
      double z0 = inverse[0][0] * x0 + inverse[0][1] * x1 + inverse[0][2] * x2;
      double z1 = inverse[1][0] * x0 + inverse[1][1] * x1 + inverse[1][2] * x2;
      double z2 = inverse[2][0] * x0 + inverse[2][1] * x1 + inverse[2][2] * x2;
      z0 = end0[g] + (z0 - end0[g]) * left0;
      z1 = end1[g] + (z1 - end1[g]) * left1;
      z2 = end2[g] + (z2 - end2[g]) * left2;
      die_K[g] = shape[0][0] * z0 + shape[0][1] * z1 + shape[0][2] * z2;
      base_K[g] = shape[1][0] * z0 + shape[1][1] * z1 + shape[1][2] * z2;
      sink_K[g] = shape[2][0] * z0 + shape[2][1] * z1 + shape[2][2] * z2;
    }
  }
  TIDEWATT_INLINE double hottest_K() const {
    double out = 0.0;
    for (std::size_t g = 0; g < gpu_W_.size(); ++g) out = std::max(out, air_K_[g] + r_[g] * store_K_[0][g]);
    return out;
  }
  /// Temperatures; its modes follow from the speed.
  void append_state(std::vector<double>& to) const {
    for (const auto& of_store : store_K_) to.insert(to.end(), of_store.begin(), of_store.end());
    to.insert(to.end(), air_K_.begin(), air_K_.end());
  }

 private:
  bool rear(std::size_t g) const { return thermal::in_rear_row(g, gpu_W_.size()); }
  TIDEWATT_INLINE double rear_air_K(double frac) const {
    double front_W = 0.0;
    for (std::size_t g = 0; g < gpu_W_.size(); ++g)
      if (!rear(g)) front_W += modes_->sink_air_W_per_K * store_K_[2][g];
    return inlet_K_ + thermal::rear_preheat_K(type_.air, front_W, frac, air_J_per_m3_K_);
  }
  /// Air of all packages at this speed; their temperatures stay.
  TIDEWATT_INLINE void blow(double frac) {
    const double rear_K = rear_air_K(frac);
    for (std::size_t g = thermal::n_front_row(gpu_W_.size()); g < gpu_W_.size(); ++g) {
      const double moved = (air_K_[g] - rear_K) / r_[g];
      for (auto& of_store : store_K_) of_store[g] += moved;
      air_K_[g] = rear_K;
    }
  }

  const NodeType& type_;
  std::span<const double> gpu_W_, r_;
  double inlet_K_, air_J_per_m3_K_;
  const thermal::PackageModes* modes_;
  double sample_s_ = 0.0;                                       ///< that `left_` is for
  std::array<double, thermal::n_mode> left_{};                  ///< [mode] e^{−rate · time}
  std::array<std::vector<double>, thermal::n_mode> settled_K_;  ///< [mode][GPU] where it goes
  std::array<std::vector<double>, thermal::n_mode> store_K_;    ///< [store][GPU] over its air / r
  std::vector<double> air_K_;                                   ///< [GPU]
};

/// A controller's groups that decide where only the dies' readings move: theirs, one whose integral grows, and of all others, which ask
/// for the same for ever, the one that asks for most.
struct Deciding {
  thermal::FanControllerParams params;
  std::vector<double> reading_K;  ///< [group] the dies' first
  Deciding(const FanStairs& stairs, double inlet_K) {
    const auto& all = stairs.controller();
    const auto cold_K = cold_readings_K(stairs, inlet_K);
    params = {{}, all.sample_s, all.slew_frac, all.failed_read_frac, all.failed_fan_frac, all.failed_fans};
    const auto keep = [&](std::size_t i) { params.groups.push_back(all.groups[i]), reading_K.push_back(cold_K[i]); };
    keep(stairs.die_group());
    std::optional<std::size_t> most;
    double most_frac = 0.0;
    for (std::size_t i = 0; i < all.groups.size(); ++i) {
      const auto& g = all.groups[i];
      if (i == stairs.die_group()) continue;
      if (g.regulates && cold_K[i] - g.set_point_K > g.regulates_above_K) {
        keep(i);
      } else if (const double frac = thermal::fan_table_frac(g, cold_K[i]); !most || frac > most_frac) {
        most = i, most_frac = frac;
      }
    }
    if (most) keep(*most);
  }
};

/// A server under its fan controller, sample by sample.
class Play {
 public:
  Play(const NodeType& type, std::span<const double> gpu_W, std::span<const double> r, double inlet_K,
       double air_J_per_m3_K, double start_frac, double accepted_K)
      : Play(Deciding(*type.stairs, inlet_K), type, gpu_W, r, inlet_K, air_J_per_m3_K, start_frac, accepted_K) {}
  double sample_s() const { return controller_.params().sample_s; }
  TIDEWATT_INLINE void sample() {
    reading_K_.front() = shown_K(hottest_K_);
    frac_ = std::max(controller_.sample(reading_K_), least_frac_);
    server_.step(frac_, controller_.params().sample_s);
    hottest_K_ = server_.hottest_K();
  }
  double frac() const { return frac_; }            ///< fan speed since the last sample
  double hottest_K() const { return hottest_K_; }  ///< die, now
  /// All that the coming samples follow from.
  void append_state(std::vector<double>& to) const {
    controller_.append_memory(to);
    server_.append_state(to);
  }

 private:
  Play(Deciding deciding, const NodeType& type, std::span<const double> gpu_W, std::span<const double> r,
       double inlet_K, double air_J_per_m3_K, double start_frac, double accepted_K)
      : least_frac_(type.air.fan_min_frac),
        controller_(std::move(deciding.params), start_frac),
        server_(type, gpu_W, r, inlet_K, air_J_per_m3_K, start_frac),
        reading_K_(std::move(deciding.reading_K)),
        frac_(start_frac),
        hottest_K_(server_.hottest_K()) {
    if (std::isnan(accepted_K)) return;
    reading_K_.front() = accepted_K;
    controller_.sample(reading_K_);
  }

  double least_frac_;
  thermal::FanController controller_;
  Server server_;
  std::vector<double> reading_K_;  ///< as Deciding has it
  double frac_, hottest_K_;
};

bool rises_to(double before_frac, double frac) { return frac > before_frac + 1e-9; }

/// Samples in which the fans began to rise after they had fallen.
class Rises {
 public:
  void see(std::size_t sample, double before_frac, double frac) {
    if (rises_to(before_frac, frac) && std::exchange(falling_, false)) {
      if (n_++ == 0) first_ = sample;
      last_ = sample;
    }
    falling_ = falling_ || frac < before_frac - 1e-9;
  }
  bool falling() const { return falling_; }
  /// What came since an earlier time comes again.
  void repeat(const Rises& since, std::size_t times, std::size_t cycle) {
    if (n_ > since.n_) last_ += times * cycle;
    n_ += times * (n_ - since.n_);
  }
  double period_s(double sample_s) const {
    if (n_ < 2) return 0.0;
    return (static_cast<double>(last_) * sample_s - static_cast<double>(first_) * sample_s) /
           static_cast<double>(n_ - 1);
  }

 private:
  bool falling_ = true;
  std::size_t n_ = 0, first_ = 0, last_ = 0;
};

struct Range {
  double low = 1e9, high = 0.0;
  void see(double x) { low = std::min(low, x), high = std::max(high, x); }
};

/// Finds that a server has come back to an earlier state within 1e-6. Each state is held for twice as many looks as the one before.
class Recurrence {
 public:
  /// @return samples since it was in this state; 0: it is new
  std::size_t see(const Play& play, const Rises& rises, std::size_t sample) {
    now_.clear();
    play.append_state(now_);
    now_.push_back(rises.falling() ? 1.0 : 0.0);
    if (std::ranges::equal(now_, held_, [](double a, double b) { return a == b || std::abs(a - b) <= near_each; }))
      return sample - held_sample_;
    if (++n_look_ < most_) return 0;
    held_.swap(now_);
    held_rises_ = rises, held_sample_ = sample;
    n_look_ = 0, most_ *= 2;
    return 0;
  }
  const Rises& held_rises() const { return held_rises_; }  ///< when it was in that state

 private:
  static constexpr double near_each = 1e-6;  ///< of each value: K, K s (integral) or share of full speed
  std::vector<double> held_, now_;
  Rises held_rises_;
  std::size_t held_sample_ = 0, n_look_ = 0, most_ = 1;
};

}  // namespace

double hottest_at_K(const NodeType& type, std::span<const double> gpu_W, std::span<const double> resistance_ratio,
                    double inlet_K, double air_J_per_m3_K, double fan_frac) {
  return Server(type, gpu_W, resistance_ratio, inlet_K, air_J_per_m3_K, fan_frac).hottest_K();
}

TIDEWATT_CLONES
FanCycle fan_cycle(const NodeType& type, std::span<const double> gpu_W, std::span<const double> resistance_ratio,
                   double inlet_K, double air_J_per_m3_K, double start_frac, double accepted_K, double duration_s) {
  Play play(type, gpu_W, resistance_ratio, inlet_K, air_J_per_m3_K, start_frac, accepted_K);
  FanCycle out;
  const double sample_s = play.sample_s();
  const auto n = static_cast<std::size_t>(duration_s / sample_s);
  Rises rises;
  Range die_K, frac;
  for (auto* series : {&out.time_s, &out.fan_frac, &out.die_K}) series->reserve(n - n / 2);
  for (std::size_t i = 0; i < n; ++i) {
    const double before_frac = play.frac();
    play.sample();
    if (i < n / 2) continue;
    rises.see(i, before_frac, play.frac());
    out.time_s.push_back(static_cast<double>(i) * sample_s - static_cast<double>(n / 2) * sample_s);
    out.fan_frac.push_back(play.frac()), out.die_K.push_back(play.hottest_K());
    die_K.see(play.hottest_K()), frac.see(play.frac());
    out.mean_K += play.hottest_K(), out.mean_frac += play.frac();
  }
  const auto seen = static_cast<double>(out.time_s.size());
  out.mean_K /= seen, out.mean_frac /= seen;
  out.low_frac = std::min(1.0, frac.low), out.high_frac = std::max(0.0, frac.high);
  out.period_s = rises.period_s(sample_s);
  out.amplitude_K = die_K.high - die_K.low;
  return out;
}

TIDEWATT_CLONES
FanSwing fan_swing(const NodeType& type, std::span<const double> gpu_W, std::span<const double> resistance_ratio,
                   double inlet_K, double air_J_per_m3_K, double start_frac, double accepted_K, double duration_s) {
  Play play(type, gpu_W, resistance_ratio, inlet_K, air_J_per_m3_K, start_frac, accepted_K);
  const auto n = static_cast<std::size_t>(duration_s / play.sample_s()), half = n / 2;
  Rises rises;
  Range die_K;
  Recurrence recurrence;
  bool rose = false, jumped = false;
  for (std::size_t i = 0; i < n; ++i) {
    const double before_frac = play.frac();
    play.sample();
    if (i == half) recurrence = {}, jumped = false;
    if (i >= half) {
      rises.see(i, before_frac, play.frac());
      die_K.see(play.hottest_K());
    }
    const bool rises_now = rises_to(before_frac, play.frac()), begins = rises_now && !rose;
    rose = rises_now;
    if (!begins || jumped) continue;
    // Whole cycles are passed over; what is left of the half is played.
    if (const std::size_t cycle = recurrence.see(play, rises, i); cycle > 0) {
      const std::size_t times = ((i < half ? half : n) - 1 - i) / cycle;
      rises.repeat(recurrence.held_rises(), times, cycle);
      i += times * cycle;
      jumped = true;
    }
  }
  return {rises.period_s(play.sample_s()), die_K.high - die_K.low};
}

}  // namespace TIDEWATT_NAMESPACE::fleet
