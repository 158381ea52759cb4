#pragma once
// Private to sim: power of a neighbour, as templates for its lane of the site's stream.
#include <vector>

#include "fleet/site.hpp"
#include "job_run.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// An inference service on its own servers: mean requests, every hour in a steady state.
///
/// One node of the service is advanced alone, at its inlet, until it is steady, so its power knows caps, leakage, fans and
/// supplies. Replicas answer independently: each has its own phase in the request's period, drawn from the seed (1,024
/// phases at most; more replicas share them evenly). Loads of n replicas so scatter by 1/√n of one's.
class InferenceLoad {
 public:
  /// @param spec of kind inference  @throws InputError for a service without a sense
  InferenceLoad(const Scenario& scenario, const NeighbourSpec& spec, std::uint64_t entity);
  /// Load of all replicas over one request's period, in an hour counted from the local midnight before the run.
  const connection::LoadTemplate& hour(std::int64_t h);
  double design_W() const { return design_W_; }
  double served_per_s(std::int64_t h);  ///< of the whole service

 private:
  void extend(std::int64_t h);
  std::vector<double> node_kind_W(const workload::Timeline& timeline);
  connection::LoadTemplate spread_phases(const workload::Timeline& timeline, const std::vector<double>& node_W) const;

  std::uint64_t seed_, entity_;
  workload::InferenceService service_;
  std::int64_t n_replica_, gpus_per_replica_;
  fleet::Fleet node_;  ///< one node
  double inlet_K_, reference_Hz_, pace_ = 1.0, backlog_ = 0.0, design_W_;
  struct Hour {
    connection::LoadTemplate load;
    double served_per_s;
  };
  std::vector<Hour> hours_;
};

/// A neighbour on its own clock.
class NeighbourLoad {
 public:
  /// @param entity number that keeps neighbours' draws apart  @param end of the run
  NeighbourLoad(const Scenario& scenario, const NeighbourSpec& spec, std::uint64_t entity, Tick end);
  /// Appends its load until its time is at or after `until`, at most to the run's end and the next loss or return of power.
  /// @param dark no power is drawn  @return appended energy, J
  double advance_to(Tick until, Tick power_edge, bool dark, std::size_t lane, std::vector<connection::LaneLoad>& loads);
  Tick now() const { return now_; }
  double start_W();
  double design_W() const;
  double J() const { return J_.value(); }
  double max_W() const { return max_W_; }
  const std::string& name() const { return spec_->name; }
  template <class A>
  void archive(A& a) {
    a(now_, J_, max_W_);
  }

 private:
  connection::LoadTemplate replay(Tick from, Tick to) const;
  const NeighbourSpec* spec_;
  Tick end_, local_start_;
  std::vector<double> segment_W_;  ///< of the recording, all copies
  std::optional<InferenceLoad> service_;
  // State.
  Tick now_ = 0;
  CompensatedSum J_;
  double max_W_ = 0.0;
};

}  // namespace TIDEWATT_NAMESPACE::sim
