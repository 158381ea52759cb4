#pragma once
// Private to sim: the connection and its lag to the fleet.
#include <deque>

#include "connection/grid_worker.hpp"
#include "feeder_loading.hpp"
#include "outdoor_air.hpp"
#include "recorder.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "transformer_watch.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// The site's stream, which lags the fleet by some macro steps, and the results of the connection once they have passed.
class SiteConnection {
 public:
  /// @param beside in its own thread
  SiteConnection(const Scenario& scenario, std::size_t n_lane, double other_W, double load_W, double plant_W,
                 bool beside);

  /// Hands a macro step's load over. @param row of /day that it fills
  void pass(std::vector<connection::LaneLoad> loads, Tick begin, Tick until, double plant_W, std::size_t row);
  /// Takes finished results of the stream. The bounded lag keeps results independent of thread timing.
  void settle(std::size_t behind, Recorder& recorder, const OutdoorAir& outdoor);
  /// @pre settled, as for every reader during the run
  connection::SiteStream& stream() { return stream_; }
  const connection::SiteStream& stream() const { return stream_; }
  const TransformerWatch& transformers() const { return transformers_; }
  const FeederLoading& loading() const { return loading_; }
  bool can_lose_power() const { return stream_.delivery() != nullptr && stream_.delivery()->can_lose_power(); }
  double last_mean_W() const { return last_mean_W_; }
  template <class A>
  void archive(A& a) {
    a(stream_, last_mean_W_, transformers_, loading_);
  }

 private:
  struct PendingRow {
    Tick begin, end;
    std::size_t row;  ///< of /day
  };
  connection::SiteStream stream_;
  TransformerWatch transformers_;
  FeederLoading loading_;
  double last_mean_W_ = 0.0;             ///< of the connection in the last macro step; state, as the three above
  std::deque<PendingRow> pending_rows_;  ///< handed to the stream and not settled
  connection::GridWorker line_;          ///< ends before the stream does
};

}  // namespace TIDEWATT_NAMESPACE::sim
