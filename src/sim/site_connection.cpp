#include "site_connection.hpp"

#include <string>
#include <utility>

#include "site_params.hpp"

namespace TIDEWATT_NAMESPACE::sim {

SiteConnection::SiteConnection(const Scenario& scenario, std::size_t n_lane, double other_W, double load_W,
                               double plant_W, bool beside)
    : stream_(site_stream_params(scenario, n_lane, other_W, plant_W), load_W, plant_W),
      transformers_(scenario.devices, site_stream_params(scenario, 1).feeder),
      line_(stream_, beside) {}

void SiteConnection::pass(std::vector<connection::LaneLoad> loads, Tick begin, Tick until, double plant_W,
                          std::size_t row) {
  line_.pass(std::move(loads), until, plant_W);
  pending_rows_.push_back({begin, until, row});
}

void SiteConnection::settle(std::size_t behind, Recorder& recorder, const OutdoorAir& outdoor) {
  while (const auto passed = line_.take(behind)) {
    const auto step = pending_rows_.front();
    pending_rows_.pop_front();
    last_mean_W_ = passed->span.mean_W;
    recorder.connection(passed->span, step.begin, step.end, step.row);
    loading_.step(step.end, passed->feeder);
    if (transformers_.any())
      transformers_.step(step.end, passed->feeder, outdoor.mean(transformers_.now(), step.end).drybulb_K);
    for (const auto& e : passed->events)
      recorder.event(e.bin * ns_per_ms, "ride_through", "site",
                     std::string(grid::name(e.to)) + ": " + std::string(e.why));
  }
}

}  // namespace TIDEWATT_NAMESPACE::sim
