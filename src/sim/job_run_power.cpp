// What the end of the site's power means for its users, and its return.
#include <fmt/format.h>

#include <utility>

#include "job_run.hpp"

namespace tidewatt::sim {

void JobRun::tell_events(Hands& hands) {
  const auto number = [&](std::int64_t node) { return hands.fleet.node_number[first_node_ + static_cast<std::size_t>(node)]; };
  for (auto& e : life_->take_events())
    hands.recorder.event(e.tick, std::move(e.kind), e.entity < 0 ? name_ : fmt::format("node {}", number(e.entity)), std::move(e.text));
}

void JobRun::set_power(bool on, Hands& hands) {
  dark_ = !on;
  disturb();
  if (maker_) maker_->forget_hold();
  if (!life_) return;
  if (on) life_->power_back(now_);
  else life_->power_lost(now_);
  tell_events(hands);
}

}  // namespace tidewatt::sim
