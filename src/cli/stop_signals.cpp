#include "stop_signals.hpp"

#include <atomic>
#include <csignal>

namespace {

std::atomic<int> number = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void remember(int signal) { number = signal; }

constexpr int kinds[] = {SIGINT, SIGTERM, SIGHUP};

void set(int signal, void (*handler)(int), int flags) {
  struct sigaction now{};
  sigaction(signal, nullptr, &now);
  if (now.sa_handler == SIG_IGN) return;
  struct sigaction next{};
  next.sa_handler = handler;
  next.sa_flags = flags;
  sigaction(signal, &next, nullptr);
}

}  // namespace

StopSignals::StopSignals() {
  number = 0;
  for (const int signal : kinds) set(signal, remember, static_cast<int>(SA_RESETHAND | SA_RESTART));
}

StopSignals::~StopSignals() {
  for (const int signal : kinds) set(signal, SIG_DFL, 0);
}

int StopSignals::caught() { return number; }
