#include "parallel.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace TIDEWATT_NAMESPACE::detail {
namespace {

/// The helpers end within microseconds of their caller, and to wake it takes longer than that: it spins briefly before it
/// sleeps. A helper does not: three calls in five come later than any spin that is worth its time.
template <class Ready>
void look_a_moment(Ready ready) {
  constexpr std::chrono::microseconds a_moment{60};
  const auto end = std::chrono::steady_clock::now() + a_moment;
  do {
    for (int i = 0; i < 16; ++i) {
      if (ready()) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < end);
}

/// Threads that wait for work. They live as long as the process; a forked child begins with none.
struct Helpers {
  std::mutex in_use;  // by one caller at a time
  std::mutex mutex;
  std::condition_variable called, left;
  std::size_t n = 0, wanted = 0, asleep = 0;
  std::atomic<std::size_t> at_work = 0;
  std::uint64_t call = 0;
  void (*take)(void*) = nullptr;
  void* context = nullptr;

  void serve() {
    std::uint64_t seen = 0;
    for (;;) {
      std::unique_lock lock(mutex);
      ++asleep;
      called.wait(lock, [&] { return call != seen && wanted > 0; });
      --asleep;
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
  bool wake = false;
  {
    const std::lock_guard lock(h.mutex);
    for (; h.n < n_helper; ++h.n) std::thread([&h] { h.serve(); }).detach();
    h.take = take;
    h.context = context;
    h.wanted = n_helper;
    ++h.call;
    wake = h.asleep > 0;
  }
  if (wake) h.called.notify_all();
  take(context);
  // Whoever has not begun by now need not; whoever has is waited for.
  std::unique_lock lock(h.mutex);
  h.wanted = 0;
  lock.unlock();
  look_a_moment([&] { return h.at_work.load(std::memory_order_acquire) == 0; });
  lock.lock();
  h.left.wait(lock, [&] { return h.at_work == 0; });
}

}  // namespace TIDEWATT_NAMESPACE::detail
