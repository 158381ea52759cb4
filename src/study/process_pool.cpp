#include "process_pool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <set>
#include <thread>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr int patience_ms = 20;

struct Worker {
  pid_t pid = -1;
  int to = -1, from = -1;
  std::size_t task = 0;
  bool busy = false;
};

bool read_all(int fd, void* out, std::size_t n) {
  auto* at = static_cast<char*>(out);
  while (n > 0) {
    const ssize_t got = ::read(fd, at, n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    n -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int fd, const void* data, std::size_t n) {
  const auto* at = static_cast<const char*>(data);
  while (n > 0) {
    const ssize_t put = ::write(fd, at, n);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    n -= static_cast<std::size_t>(put);
  }
  return true;
}

/// A worker's life: read a task, do it, answer with the length of an error (0: none) and its text.
[[noreturn]] void serve(int from, int to, const std::function<void(std::size_t)>& work) {
  std::size_t task = 0;
  while (read_all(from, &task, sizeof task)) {
    std::string error;
    try {
      work(task);
    } catch (const std::exception& e) {
      error = e.what();
      if (error.empty()) error = "unknown";
    }
    const std::size_t n = error.size();
    if (!write_all(to, &n, sizeof n) || !write_all(to, error.data(), n)) break;
  }
  ::_exit(0);
}

std::string cause_of_death(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

class Pool {
 public:
  Pool(std::deque<std::size_t> tasks, const std::function<void(std::size_t)>& work)
      : waiting_(std::move(tasks)), work_(work) {}
  ~Pool() {
    for (auto& w : workers_) end(w, SIGKILL);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void start(std::size_t n_worker) {
    workers_.resize(std::min(n_worker, waiting_.size()));
    for (auto& w : workers_) {
      spawn(w);
      hand_out(w);
    }
  }
  bool busy() const {
    return std::any_of(workers_.begin(), workers_.end(), [](const Worker& w) { return w.busy; });
  }
  void wait_and_serve(const std::function<void(std::size_t)>& done,
                      const std::function<void(std::size_t, const std::string&)>& died) {
    std::vector<pollfd> fds;
    for (const auto& w : workers_) fds.push_back({w.busy ? w.from : -1, POLLIN, 0});
    if (::poll(fds.data(), fds.size(), patience_ms) <= 0) return;
    for (std::size_t i = 0; i < fds.size(); ++i)
      if (fds[i].revents != 0) answer(workers_[i], done, died);
  }

 private:
  void spawn(Worker& w) {
    int down[2], up[2];
    if (::pipe2(down, O_CLOEXEC) != 0) throw OutputError(fmt::format("no pipe to a worker: {}", std::strerror(errno)));
    if (::pipe2(up, O_CLOEXEC) != 0) {
      ::close(down[0]);
      ::close(down[1]);
      throw OutputError(fmt::format("no pipe to a worker: {}", std::strerror(errno)));
    }
    const pid_t parent = ::getpid(), pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(0);
      std::signal(SIGINT, SIG_IGN);
      std::signal(SIGPIPE, SIG_IGN);
      for (const auto& other :
           workers_) {  // otherwise a worker would keep open the pipe by which another detects its parent's
                        // end
        if (other.to >= 0) ::close(other.to);
        if (other.from >= 0) ::close(other.from);
      }
      ::close(down[1]);
      ::close(up[0]);
      serve(down[0], up[1], work_);
    }
    ::close(down[0]);
    ::close(up[1]);
    w = {pid, down[1], up[0], 0, false};
    if (pid < 0) throw OutputError(fmt::format("no worker process: {}", std::strerror(errno)));
  }

  int end(Worker& w, int signal) {
    int status = 0;
    if (w.to >= 0) ::close(w.to);
    if (w.from >= 0) ::close(w.from);
    if (w.pid > 0) {
      if (signal != 0) ::kill(w.pid, signal);
      while (::waitpid(w.pid, &status, 0) < 0 && errno == EINTR) {
      }
    }
    w = {};
    return status;
  }

  void hand_out(Worker& w) {
    if (waiting_.empty()) {
      end(w, 0);  // its pipe is closed: it leaves
      return;
    }
    w.task = waiting_.front();
    waiting_.pop_front();
    w.busy = true;
    write_all(w.to, &w.task, sizeof w.task);  // one that has just died shows at its other pipe
  }

  void answer(Worker& w, const std::function<void(std::size_t)>& done,
              const std::function<void(std::size_t, const std::string&)>& died) {
    std::size_t n = 0;
    const std::size_t task = w.task;
    std::string error;
    bool alive = read_all(w.from, &n, sizeof n);
    if (alive && n > 0) {
      error.resize(std::min<std::size_t>(n, 1u << 20));
      alive = read_all(w.from, error.data(), error.size());
    }
    if (alive) {
      w.busy = false;
      if (!error.empty()) throw OutputError(error);
      done(task);
    } else {
      const int status = end(w, 0);
      if (once_dead_.insert(task).second)
        waiting_.push_front(task);
      else
        died(task, cause_of_death(status));
      if (!waiting_.empty()) spawn(w);
    }
    if (w.pid > 0) hand_out(w);
  }

  std::deque<std::size_t> waiting_;
  std::set<std::size_t> once_dead_;
  std::vector<Worker> workers_;
  const std::function<void(std::size_t)>& work_;
};

/// Writing to a worker that died must be an error code, not this process's end.
class IgnoreBrokenPipe {
 public:
  IgnoreBrokenPipe() : old_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~IgnoreBrokenPipe() { std::signal(SIGPIPE, old_); }
  IgnoreBrokenPipe(const IgnoreBrokenPipe&) = delete;
  IgnoreBrokenPipe& operator=(const IgnoreBrokenPipe&) = delete;

 private:
  void (*old_)(int);
};

}  // namespace

bool run_pool(const std::vector<std::size_t>& tasks, const std::function<void(std::size_t)>& work,
              const std::function<void(std::size_t)>& done,
              const std::function<void(std::size_t, const std::string&)>& died, const PoolOptions& options) {
  const IgnoreBrokenPipe no_signal;
  Pool pool({tasks.begin(), tasks.end()}, work);
  pool.start(options.n_worker > 0 ? options.n_worker : std::max(1u, std::thread::hardware_concurrency()));
  while (pool.busy()) {
    if (options.stop && options.stop()) return false;
    pool.wait_and_serve(done, died);
  }
  return true;
}

}  // namespace TIDEWATT_NAMESPACE::study
