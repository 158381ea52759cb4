#include "tidewatt/sim/replay.hpp"

#include "tidewatt/sim/site_params.hpp"

namespace tidewatt::sim {

Replayed replay(const Scenario& scenario, const LoadTape& tape, const std::function<void(std::size_t, const SiteStream&)>& after) {
  Replayed out{SiteStream(site_stream_params(scenario, tape.n_lane, tape.other_W), tape.initial_load_W, tape.initial_auxiliary_W)};
  auto& stream = out.stream;
  for (std::size_t i = 0; i < tape.flushes.size(); ++i) {
    const auto& f = tape.flushes[i];
    for (const auto& l : f.loads) stream.append(l.lane, l.load, l.repetitions, l.iterating);
    stream.flush(f.until, f.auxiliary_W);
    const auto change = stream.power_change();
    out.power_as_recorded = out.power_as_recorded && change.has_value() == f.power.has_value() && (!change || change->on == *f.power);
    if (f.power && stream.delivery() != nullptr) stream.set_power(*f.power);
    if (after) after(i, stream);
  }
  stream.finish();
  return out;
}

}  // namespace tidewatt::sim
