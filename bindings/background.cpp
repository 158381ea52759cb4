#include "background.hpp"

#include <list>
#include <thread>

namespace TIDEWATT_NAMESPACE::bindings {
namespace {

struct Worker {
  std::shared_ptr<Background> task;
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

std::shared_ptr<Background> Background::start(Work work) {
  auto task = std::make_shared<Background>();
  auto& all = workers();
  const std::scoped_lock lock(all.mutex);
  all.list.remove_if([](Worker& w) {
    if (!w.task->wait(std::chrono::milliseconds(0))) return false;
    w.thread.join();
    return true;
  });
  all.list.push_back({task, std::thread([task, work = std::move(work)]() mutable {
                        std::exception_ptr error;
                        try {
                          work(task->stop_);
                        } catch (...) {
                          error = std::current_exception();
                        }
                        work = nullptr;  // what it held may need Python's lock: not after it was said to have ended
                        const std::scoped_lock ended(task->mutex_);
                        task->error_ = std::move(error);
                        task->ended_ = true;
                        task->changed_.notify_all();
                      })});
  return task;
}

bool Background::wait(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, longest, [this] { return ended_; });
}

void Background::rethrow() const {
  if (error_) std::rethrow_exception(error_);
}

void in_background(Background::Work work, const std::function<void()>& meanwhile) {
  // Starting joins work that has ended, whose last act may be to let go of a plant in Python: it needs the lock we hold.
  const auto task = [&] {
    const py::gil_scoped_release no_gil;
    return Background::start(std::move(work));
  }();
  const auto ended = [&] {
    const py::gil_scoped_release no_gil;
    return task->wait(std::chrono::milliseconds(50));
  };
  try {
    for (bool over = false; !over;) {
      over = ended();
      if (!over && PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (meanwhile) meanwhile();
    }
  } catch (...) {
    task->stop();
    throw;
  }
  task->rethrow();
}

void join_background() {
  auto& all = workers();
  const std::scoped_lock lock(all.mutex);
  for (auto& w : all.list) {
    w.task->stop();
    w.thread.join();
  }
  all.list.clear();
}

}  // namespace TIDEWATT_NAMESPACE::bindings
