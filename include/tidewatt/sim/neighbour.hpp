#pragma once
#include <cstdint>
#include <string>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/sim/kinds.hpp"
#include "tidewatt/workload/inference.hpp"
#include "tidewatt/workload/model.hpp"
#include "tidewatt/workload/network.hpp"
#include "tidewatt/workload/trace_csv.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// A recorded load beside the fleet. The recording is constant between its samples and is never resampled: each
/// millisecond of the site's waveform has its exact energy, so peaks of a millisecond or more are preserved.
struct TIDEWATT_API ReplayParams {
  std::string file;                               ///< CSV, below the scenario's folder
  RecordingFormat format = RecordingFormat::csv;  ///< columns as declared, or node watts as MLCommons publishes them
  std::int64_t n_copy = 1;                        ///< number of copies of the recording, all in phase
  double begin_s = 0.0;                           ///< time of the first sample, since the start of the run
  bool repeat = false;                            ///< the recording starts again at its end
  double outside_W = 0.0;                         ///< power of one copy before and after the recording
  double empty_W = 0.0;                           ///< activity: power of a channel at 0
  double full_W = 0.0;                            ///< activity: power of a channel at 1
  void fields(FieldVisitor& v);
};

/// Another load that draws power through the site's feeders: a recorded load, or a service that answers requests on
/// servers of its own. Its power counts as the site's load; its heat does not enter the halls.
struct TIDEWATT_API NeighbourSpec {
  std::string name;
  NeighbourKind kind = NeighbourKind::replay;
  ReplayParams replay;
  workload::TraceFormat columns;
  workload::Trace recording;  ///< the file's content: power or activity
  std::string hall;           ///< inference: hall with the same type of servers and GPUs
  double inlet_K = 0.0;       ///< inference: inlet air of its servers
  workload::ModelShape model;
  workload::NetworkParams network;
  workload::InferenceParams service;
};

}  // namespace TIDEWATT_NAMESPACE::sim
