#include "background.hpp"

#include <list>
#include <thread>

#include "tidewatt/sim/run.hpp"

namespace tidewatt::bindings {
namespace {

struct Worker {
  std::shared_ptr<BackgroundRun> run;
  std::thread thread;
};

struct Workers {
  std::mutex mutex;
  std::list<Worker> list;
};

Workers& workers() {
  static Workers w;
  return w;
}

}  // namespace

std::shared_ptr<BackgroundRun> BackgroundRun::start(std::shared_ptr<const sim::Scenario> scenario,
                                                    std::size_t n_thread) {
  auto run = std::make_shared<BackgroundRun>();
  auto& all = workers();
  const std::scoped_lock lock(all.mutex);
  all.list.remove_if([](Worker& w) {
    if (!w.run->wait(std::chrono::milliseconds(0))) return false;
    w.thread.join();
    return true;
  });
  all.list.push_back(
      {run, std::thread([run, scenario = std::move(scenario), n_thread] { run->work(*scenario, n_thread); })});
  return run;
}

void BackgroundRun::work(const sim::Scenario& scenario, std::size_t n_thread) {
  std::shared_ptr<RunResult> made;
  std::exception_ptr error;
  try {
    const auto begin = std::chrono::steady_clock::now();
    auto result = sim::run(scenario, {n_thread, [this](double done_frac) {
                                        done_frac_ = done_frac;
                                        return !stop_;
                                      }});
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    if (!stop_) made = make_result(std::move(result), wall.count());
  } catch (...) {
    error = std::current_exception();
  }
  const std::scoped_lock lock(mutex_);
  result_ = std::move(made);
  error_ = std::move(error);
  ended_ = true;
  changed_.notify_all();
}

bool BackgroundRun::wait(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, longest, [this] { return ended_; });
}

std::shared_ptr<RunResult> BackgroundRun::result() const {
  if (error_) std::rethrow_exception(error_);
  return result_;
}

void join_background_runs() {
  auto& all = workers();
  const std::scoped_lock lock(all.mutex);
  for (auto& w : all.list) {
    w.run->stop();
    w.thread.join();
  }
  all.list.clear();
}

}  // namespace tidewatt::bindings
