#include "guarded_child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr std::uint64_t is_error = ~std::uint64_t{0};  ///< in the place of a block's size: a message follows
constexpr std::uint64_t most_message_bytes = 4096;
constexpr std::uint64_t address_slack_bytes = std::uint64_t{256} << 20U;  ///< reserved, not used: heaps of malloc
constexpr int first_patience_ms = 1000, n_start = 6;
constexpr std::array caught = {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGXCPU, SIGXFSZ};

void send_all(int fd, const void* from, std::size_t n) {
  const auto* bytes = static_cast<const char*>(from);
  while (n > 0) {
    const ssize_t done = ::write(fd, bytes, n);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) ::_exit(1);  // the parent has gone
    bytes += done;
    n -= static_cast<std::size_t>(done);
  }
}

void send_block(int fd, std::string_view block) {
  const std::uint64_t n = block.size();
  send_all(fd, &n, sizeof n);
  send_all(fd, block.data(), block.size());
}

void send_error(int fd, std::string_view message) {
  send_all(fd, &is_error, sizeof is_error);
  send_block(fd, message.substr(0, most_message_bytes));
}

/// Address space and private data of this process. @returns whether the system tells
bool present_memory(std::uint64_t& address_bytes, std::uint64_t& data_bytes) {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return false;
  unsigned long long address = 0, data = 0;
  const int n = std::fscanf(file, "%llu %*u %*u %*u %*u %llu", &address, &data);
  std::fclose(file);
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  address_bytes = address * page;
  data_bytes = data * page;
  return n == 2;
}

/// A limit that an outer one may make tighter. @returns whether it holds
bool limit(int what, std::uint64_t most) {
  rlimit now{};
  if (::getrlimit(what, &now) != 0) return false;
  now.rlim_cur = now.rlim_max = std::min<rlim_t>(most, now.rlim_max);
  return ::setrlimit(what, &now) == 0;
}

/// In the child: no file can be opened, nothing is printed, and the limits hold.
bool shut_in(const ChildLimits& limits) {
  std::uint64_t address_bytes = 0, data_bytes = 0;
  if (!present_memory(address_bytes, data_bytes)) return false;
  const int nowhere = ::open("/dev/null", O_RDWR);  // glibc reports a damaged heap
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
  for (const int signal : caught) std::signal(signal, SIG_DFL);  // a Python parent has handlers
  std::signal(SIGPIPE, SIG_IGN);
  return limit(RLIMIT_AS, address_bytes + limits.memory_bytes + address_slack_bytes) &&
         limit(RLIMIT_DATA, data_bytes + limits.memory_bytes) && limit(RLIMIT_CPU, limits.cpu_s) &&
         limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && (sanitized || limit(RLIMIT_NOFILE, 0));
}

[[noreturn]] void run(int to, const ChildLimits& limits, const std::function<void(const GuardedChild::Send&)>& work) {
  try {
    if (!shut_in(limits)) {
      send_error(to, "the limits for reading files of others could not be set");
      ::_exit(1);
    }
    H5open();  // waits for ever if another thread was inside HDF5 when this process was forked; the parent then tries again
    send_block(to, {});
    work([to](std::string_view block) { send_block(to, block); });
    ::_exit(0);
  } catch (const std::bad_alloc&) {
    send_error(to, "it asks for more memory than a file of its size may");
  } catch (const std::exception& e) {
    send_error(to, e.what());
  } catch (...) {
    send_error(to, "it could not be read");
  }
  ::_exit(1);
}

}  // namespace

GuardedChild::GuardedChild(const ChildLimits& limits, const std::function<void(const Send&)>& work) : limits_(limits) {
  for (int k = 0; k < n_start; ++k) {
    if (!start(work, first_patience_ms << k)) continue;
    try {
      receive(nullptr, 0);
    } catch (...) {
      end(true);
      throw;
    }
    return;
  }
  throw OutputError("a process to read the file in did not start");
}

GuardedChild::~GuardedChild() { end(true); }

/// @returns whether the child answers
bool GuardedChild::start(const std::function<void(const Send&)>& work, int patience_ms) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0)
    throw OutputError(fmt::format("no pipe to a process: {}", std::generic_category().message(errno)));
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    run(fds[1], limits_, work);
  }
  const int error = errno;
  ::close(fds[1]);
  from_ = fds[0];
  if (pid_ < 0) {
    end(false);
    throw OutputError(fmt::format("no process to read the file in: {}", std::generic_category().message(error)));
  }
  pollfd ready = {from_, POLLIN, 0};
  int n = 0;
  while ((n = ::poll(&ready, 1, patience_ms)) < 0 && errno == EINTR) {
  }
  if (n > 0) return true;
  end(true);
  return false;
}

void GuardedChild::read(void* to, std::size_t n) {
  auto* bytes = static_cast<char*>(to);
  while (n > 0) {
    const ssize_t got = ::read(from_, bytes, n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail();
    bytes += got;
    n -= static_cast<std::size_t>(got);
  }
}

std::uint64_t GuardedChild::next_size() {
  std::uint64_t n = 0;
  read(&n, sizeof n);
  if (n != is_error) return n;
  read(&n, sizeof n);
  std::string message(std::min(n, most_message_bytes), '\0');
  read(message.data(), message.size());
  throw ChildError(message);
}

std::string GuardedChild::receive(std::uint64_t most_bytes) {
  const std::uint64_t n = next_size();
  if (n > most_bytes) throw ChildError("it asks for more memory than a file of its size may");
  std::string block(n, '\0');
  read(block.data(), block.size());
  return block;
}

void GuardedChild::receive(void* to, std::size_t n) {
  if (next_size() != n) throw ChildError("it could not be read");
  read(to, n);
}

void GuardedChild::fail() {
  const int status = end(false);
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    throw ChildError("it takes longer to read than a file of its size may");
  throw ChildError("HDF5 cannot read it: its inner structure is damaged or forged");
}

/// @returns the child's status, as waitpid has it; 0 where something else in this process has already waited for it
int GuardedChild::end(bool kill) {
  if (from_ >= 0) ::close(std::exchange(from_, -1));
  if (pid_ <= 0) return 0;
  if (kill) ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0) {
    if (errno == EINTR) continue;
    status = 0;
    break;
  }
  pid_ = -1;
  return status;
}

}  // namespace TIDEWATT_NAMESPACE::io
