#include "grid_worker.hpp"

#include <utility>

#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace TIDEWATT_NAMESPACE::connection {
namespace {

/// The fleet waits for its helper threads, but not for the stream, which uses the remaining cores.
void stand_back() {
#if defined(__linux__)
  constexpr int lower = 10;
  const auto thread = static_cast<id_t>(gettid());
  setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + lower);
#endif
}

}  // namespace

GridWorker::GridWorker(SiteStream& stream, bool beside) : stream_(stream) {
  if (beside) thread_ = std::thread([this] { serve(); });
}

GridWorker::~GridWorker() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

GridWorker::Done GridWorker::work(Work&& w) {
  Done out;
  try {
    for (auto& l : w.loads) stream_.append(l.lane, std::move(l.load), l.repetitions, l.iterating);
    stream_.flush(w.until, w.plant_W);
    out.passed = {stream_.take_span(), stream_.take_events(), stream_.feeder_meters()};
  } catch (...) {
    out.error = std::current_exception();
  }
  return out;
}

void GridWorker::serve() {
  stand_back();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    Work w = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    Done d = work(std::move(w));
    lock.lock();
    done_.push_back(std::move(d));
    changed_.notify_all();
  }
}

void GridWorker::pass(std::vector<LaneLoad> loads, Tick until, double plant_W) {
  Work w{std::move(loads), until, plant_W};
  ++under_way_;
  if (!thread_.joinable()) {
    done_.push_back(work(std::move(w)));
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(w));
  }
  changed_.notify_all();
}

std::optional<GridWorker::Passed> GridWorker::take(std::size_t behind) {
  if (under_way_ <= behind) return std::nullopt;
  std::unique_lock lock(mutex_);
  if (thread_.joinable()) changed_.wait(lock, [&] { return !done_.empty(); });
  Done d = std::move(done_.front());
  done_.pop_front();
  --under_way_;
  if (d.error) std::rethrow_exception(d.error);
  return std::move(d.passed);
}

}  // namespace TIDEWATT_NAMESPACE::connection
