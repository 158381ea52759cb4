#include "tidewatt/sim/replay.hpp"

#include "tidewatt/sim/site_params.hpp"

namespace tidewatt::sim {

SiteStream replay(const Scenario& scenario, const LoadTape& tape, const std::function<void(std::size_t, const SiteStream&)>& after) {
  SiteStream stream(site_stream_params(scenario, tape.n_lane, tape.other_W), tape.initial_load_W, tape.initial_auxiliary_W);
  for (std::size_t i = 0; i < tape.flushes.size(); ++i) {
    const auto& f = tape.flushes[i];
    for (const auto& l : f.loads) stream.append(l.lane, l.load, l.repetitions, l.iterating);
    stream.flush(f.until, f.auxiliary_W);
    if (f.power && stream.delivery() != nullptr) stream.set_power(*f.power);
    if (after) after(i, stream);
  }
  stream.finish();
  return stream;
}

}  // namespace tidewatt::sim
