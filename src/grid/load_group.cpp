#include "load_group.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr double lowest_pu = 1e-3;  ///< below, no power can flow

/// One group on its way through a record.
class Player {
 public:
  Player(const LoadGroup& group, std::size_t n, double step_s)
      : g_(group), step_s_(step_s), outside_(group.voltage.size() + group.frequency.size(), 0) {
    trace.share_frac.reserve(n);
  }

  void step(double v_pu, const double* f_Hz) {
    const Trip* trip = exceeded(v_pu, f_Hz);
    if (g_.count_below_pu > 0.0) count_sags(v_pu);
    const bool healthy = !trip && v_pu >= g_.return_low_pu && v_pu <= g_.return_high_pu;
    healthy_ = healthy ? healthy_ + 1 : 0;
    if (trip && (share_ > 0.0 || back_ >= 0)) leave(*trip);
    if (away_ && healthy_ > samples(g_.return_s) && !trace.locked && g_.returns)
      back_ = std::max<std::int64_t>(back_, 0);
    if (away_ && back_ >= 0) come_back();
    trace.share_frac.push_back(share_);
    ++at_;
  }

  GroupTrace trace;

 private:
  std::int64_t samples(double s) const { return std::llround(s / step_s_); }

  /// The first trip whose limit was exceeded for longer than its time.
  const Trip* exceeded(double v_pu, const double* f_Hz) {
    const Trip* found = nullptr;
    std::size_t k = 0;
    const auto look = [&](const Trip& t, double x) {
      outside_[k] = (t.below ? x < t.limit : x > t.limit) ? outside_[k] + 1 : 0;
      if (outside_[k] > samples(t.after_s) && !found) found = &t;
      ++k;
    };
    for (const Trip& t : g_.voltage) look(t, v_pu);
    if (f_Hz)
      for (const Trip& t : g_.frequency) look(t, *f_Hz);
    return found;
  }

  void leave(const Trip& trip) {
    if (trace.left_at < 0) trace.left_at = at_, trace.why = trip.setting;
    away_ = true;
    share_ = 0.0;
    back_ = -1;
    if (!(g_.count_below_pu > 0.0)) count();
  }

  /// One more of what the counter counts.
  void count() {
    counted_.push_back(at_);
    while (counted_.front() + samples(g_.count_window_s) < at_) counted_.pop_front();
    if (g_.count_limit > 0 && std::ssize(counted_) >= g_.count_limit) trace.locked = true;
  }

  void count_sags(double v_pu) {
    const bool sag = v_pu < g_.count_below_pu, begins = sag && !in_sag_;
    in_sag_ = sag;
    if (!begins || trace.locked) return;
    count();
    if (trace.locked && share_ > 0.0) leave({0.0, 0.0, true, g_.count_setting});
  }

  void come_back() {
    ++back_;
    const std::int64_t ramp = samples(g_.ramp_s);
    share_ = ramp > 0 ? std::min(1.0, static_cast<double>(back_) / static_cast<double>(ramp)) : 1.0;
    if (share_ >= 1.0) away_ = false, back_ = -1;
  }

  const LoadGroup& g_;
  double step_s_;
  std::vector<std::int64_t> outside_;
  std::deque<std::int64_t> counted_;
  std::int64_t at_ = 0, healthy_ = 0, back_ = -1;
  bool away_ = false, in_sag_ = false;
  double share_ = 1.0;
};

}  // namespace

SiteAnswer play(std::span<const LoadGroup> groups, std::span<const double> v_pu, std::span<const double> f_Hz,
                double step_s) {
  double before_W = 0.0;
  for (const auto& g : groups) before_W += g.power_W;
  if (!(before_W > 0.0) || !(step_s > 0.0)) throw InputError("ride-through: a site needs load, and a record a step");
  if (!f_Hz.empty() && f_Hz.size() != v_pu.size())
    throw InputError("ride-through: voltage and frequency differ in length");
  std::vector<Player> players;
  for (const auto& g : groups) players.emplace_back(g, v_pu.size(), step_s);
  SiteAnswer out;
  for (std::size_t i = 0; i < v_pu.size(); ++i) {
    double W = 0.0;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      players[k].step(v_pu[i], f_Hz.empty() ? nullptr : &f_Hz[i]);
      if (v_pu[i] > lowest_pu)
        W += groups[k].power_W * players[k].trace.share_frac.back() * std::min(1.0, groups[k].current_ratio * v_pu[i]);
    }
    out.power_W.push_back(W);
    out.current_ratio.push_back(v_pu[i] > lowest_pu ? W / before_W / v_pu[i] : 0.0);
  }
  for (auto& p : players) out.groups.push_back(std::move(p.trace));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
