#include "replay.hpp"

#include "site_params.hpp"

namespace TIDEWATT_NAMESPACE::sim {

Replayed replay(const Scenario& scenario, const connection::LoadTrace& trace,
                const std::function<void(std::size_t, const connection::SiteStream&)>& after) {
  Replayed out{
      connection::SiteStream(site_stream_params(scenario, trace.n_lane, trace.other_W, trace.initial_auxiliary_W),
                             trace.initial_load_W, trace.initial_auxiliary_W)};
  auto& stream = out.stream;
  for (std::size_t i = 0; i < trace.flushes.size(); ++i) {
    const auto& f = trace.flushes[i];
    for (const auto& l : f.loads) stream.append(l.lane, l.load, l.repetitions, l.iterating);
    stream.flush(f.until, f.auxiliary_W);
    const auto change = stream.power_change();
    out.power_as_recorded =
        out.power_as_recorded && change.has_value() == f.power.has_value() && (!change || change->on == *f.power);
    if (f.power && stream.delivery() != nullptr) stream.set_power(*f.power);
    if (after) after(i, stream);
  }
  stream.finish();
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::sim
