#include "tidewatt/mitigation/curtailment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tidewatt/base/error.hpp"
#include "tidewatt/numerics/block.hpp"

namespace tidewatt::mitigation {

using numerics::bin_s;

CurtailmentPlan plan_curtailment(const CurtailmentOrder& o, const CurtailmentMeans& m, double load_W) {
  if (o.notice < 0 || o.duration <= 0 || !(o.limit_W >= 0.0) || !(m.ramp_W_per_s > 0.0) || !(m.storage_W >= 0.0) ||
      !(m.storage_J >= 0.0) || !(m.paused_W >= 0.0) || !(m.cap_floor_W >= m.paused_W) || !(load_W >= 0.0) ||
      !(m.margin_frac >= 0.0 && m.margin_frac < 1.0))
    throw InputError(
        "curtailment: needs notice >= 0, a duration, a ramp, 0 <= paused_W <= cap_floor_W, a margin in [0, 1)");
  CurtailmentPlan p;
  const Tick begin = o.issued + o.notice;
  p.cap_W = load_W;
  p.ramp_begin = p.ramp_end = begin;
  const double goal_W = o.limit_W * (1.0 - m.margin_frac);
  double need_W = load_W - goal_W;
  if (need_W <= 0.0) return p;
  p.storage_W = std::min({m.storage_W, m.storage_J / seconds(o.duration), need_W});
  need_W -= p.storage_W;
  if (need_W <= 0.0) return p;
  p.cap_W = load_W - need_W;
  if (p.cap_W < m.cap_floor_W) {
    p.pause = true;
    p.shortfall_W = std::max(0.0, m.paused_W - p.cap_W);
    p.cap_W = m.paused_W;
    // The pause gives more than is needed: storage keeps its energy for what is left.
    p.storage_W = std::clamp(m.paused_W - goal_W, 0.0, p.storage_W);
  }
  const Tick ramp = to_tick((load_W - p.cap_W) / m.ramp_W_per_s);
  p.ramp_begin = std::max(o.issued, begin - ramp);
  p.ramp_end = p.ramp_begin + ramp;
  p.late = std::max<Tick>(0, p.ramp_end - begin);
  return p;
}

double CurtailmentMeters::closure() const {
  CompensatedSum gap = asked_J;
  for (const CompensatedSum* out : {&held_back_J, &storage_J, &drawn_J}) gap.add(-out->value());
  return asked_J.value() > 0.0 ? std::abs(gap.value()) / asked_J.value() : 0.0;
}

Curtailment::Curtailment(const CurtailmentOrder& order, const CurtailmentMeans& means, double load_W)
    : order_(order),
      means_(means),
      load_W_(load_W),
      plan_(plan_curtailment(order, means, load_W)),
      begin_(order.issued + order.notice),
      end_(begin_ + order.duration) {}

double Curtailment::ceiling_W(Tick at) const {
  const double infinite = std::numeric_limits<double>::infinity();
  if (plan_.cap_W >= load_W_ || at < plan_.ramp_begin) return infinite;
  const double fallen_W = means_.ramp_W_per_s * seconds(at - plan_.ramp_begin);
  const double down_W = std::max(plan_.cap_W, load_W_ - fallen_W);
  if (at < end_) return down_W;
  const double up_W = plan_.cap_W + means_.ramp_W_per_s * seconds(at - end_);
  return up_W >= load_W_ ? infinite : up_W;
}

void Curtailment::step(std::span<const double> asked_W, std::span<double> drawn_W, CurtailmentState& s,
                       CurtailmentMeters& m) const {
  if (drawn_W.size() != asked_W.size()) throw InputError("curtailment: input and output chunks differ in length");
  for (std::size_t k = 0; k < asked_W.size(); ++k) {
    const double asked = asked_W[k], load_W = std::min(asked, ceiling_W(s.now + ns_per_ms / 2));
    const bool holds = s.now >= begin_ && s.now < end_;
    double storage_W = 0.0;
    if (holds)
      storage_W = std::clamp(load_W - order_.limit_W * (1.0 - means_.margin_frac), 0.0,
                             std::min(means_.storage_W, s.storage_left_J / bin_s));
    s.storage_left_J = std::max(0.0, s.storage_left_J - storage_W * bin_s);
    drawn_W[k] = load_W - storage_W;
    m.asked_J.add(asked * bin_s);
    m.held_back_J.add((asked - load_W) * bin_s);
    m.storage_J.add(storage_W * bin_s);
    m.drawn_J.add(drawn_W[k] * bin_s);
    if (holds && drawn_W[k] > order_.limit_W * (1.0 + 1e-12)) {
      ++m.n_over;
      m.over_J.add((drawn_W[k] - order_.limit_W) * bin_s);
    }
    s.now += ns_per_ms;
  }
}

}  // namespace tidewatt::mitigation
