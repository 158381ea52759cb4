#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "load_trace.hpp"
#include "site_stream.hpp"

namespace TIDEWATT_NAMESPACE::connection {

/// The site's stream in its own thread, which may lag the fleet by some macro steps. Macro steps pass in order, so results do not
/// depend on the lag.
class GridWorker {
 public:
  /// What a macro step's load has become at the connection.
  struct Passed {
    SiteStream::Span span;
    std::vector<grid::RideThroughEvent> events;
    power::FeederMeters feeder;  ///< since the start
  };
  /// @param beside false: macro steps pass when they are handed over
  GridWorker(SiteStream& stream, bool beside);
  ~GridWorker();
  GridWorker(const GridWorker&) = delete;
  GridWorker& operator=(const GridWorker&) = delete;

  /// Hands over a macro step's load. @param until its end  @param plant_W mean power of the plants, W
  void pass(std::vector<LaneLoad> loads, Tick until, double plant_W);
  /// The oldest macro step that has not been taken, if more than `behind` are in progress; waits for it.
  /// @throws what the stream threw
  std::optional<Passed> take(std::size_t behind);

 private:
  struct Work {
    std::vector<LaneLoad> loads;
    Tick until;
    double plant_W;
  };
  struct Done {
    Passed passed;
    std::exception_ptr error;
  };
  Done work(Work&& w);
  void serve();
  SiteStream& stream_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  std::deque<Done> done_;
  std::size_t under_way_ = 0;  ///< handed over and not taken
  bool ends_ = false;
  std::thread thread_;  ///< not running: nothing passes beside
};

}  // namespace TIDEWATT_NAMESPACE::connection
