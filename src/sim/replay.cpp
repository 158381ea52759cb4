#include "tidewatt/sim/replay.hpp"

#include "tidewatt/sim/site_params.hpp"

namespace tidewatt::sim {

SiteStream replay(const Scenario& scenario, const LoadTape& tape) {
  SiteStream stream(site_stream_params(scenario, tape.n_lane, tape.other_W), tape.initial_load_W, tape.initial_auxiliary_W);
  for (const auto& f : tape.flushes) {
    for (const auto& l : f.loads) stream.append(l.lane, l.load, l.repetitions, l.iterating);
    stream.flush(f.until, f.auxiliary_W);
  }
  stream.finish();
  return stream;
}

}  // namespace tidewatt::sim
