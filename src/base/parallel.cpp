#include "tidewatt/base/parallel.hpp"

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace tidewatt::detail {
namespace {

/// Threads that wait for work. They live as long as the process; a forked child begins with none.
struct Helpers {
  std::mutex in_use;  // by one caller at a time
  std::mutex mutex;
  std::condition_variable called, left;
  std::size_t n = 0, wanted = 0, at_work = 0;
  std::uint64_t call = 0;
  void (*take)(void*) = nullptr;
  void* context = nullptr;

  void serve() {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      called.wait(lock, [&] { return call != seen && wanted > 0; });
      seen = call;
      --wanted;
      ++at_work;
      const auto job = take;
      void* const of = context;
      lock.unlock();
      job(of);
      lock.lock();
      if (--at_work == 0) left.notify_one();
    }
  }
};

Helpers* helpers = nullptr;  // never destroyed: its threads outlast static objects

Helpers& kept() {
  static const bool once = [] {
    helpers = new Helpers;
    pthread_atfork(nullptr, nullptr, [] { helpers = new Helpers; });
    return true;
  }();
  static_cast<void>(once);
  return *helpers;
}

}  // namespace

void with_helpers(std::size_t n_helper, void (*take)(void*), void* context) {
  Helpers& h = kept();
  const std::unique_lock alone(h.in_use, std::try_to_lock);
  if (!alone) return take(context);
  {
    const std::lock_guard lock(h.mutex);
    for (; h.n < n_helper; ++h.n) std::thread([&h] { h.serve(); }).detach();
    h.take = take;
    h.context = context;
    h.wanted = n_helper;
    ++h.call;
  }
  h.called.notify_all();
  take(context);
  // Whoever has not begun by now need not; whoever has is waited for.
  std::unique_lock lock(h.mutex);
  h.wanted = 0;
  h.left.wait(lock, [&] { return h.at_work == 0; });
}

}  // namespace tidewatt::detail
