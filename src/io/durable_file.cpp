#include "durable_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 30U;  // Linux writes at most about 2 GiB per call

[[noreturn]] void fail(const std::string& what, const std::string& path, int error) {
  throw OutputError(fmt::format("could not {} {}: {}", what, path, std::generic_category().message(error)));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  // Network file systems report a full disk only here.
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

class Temporary {
 public:
  explicit Temporary(std::string path) : path_(std::move(path)) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!renamed_) ::unlink(path_.c_str());
  }
  const std::string& path() const { return path_; }
  void rename_to(const std::string& target) {
    if (std::rename(path_.c_str(), target.c_str()) != 0) fail("rename the finished file to", target, errno);
    renamed_ = true;
  }

 private:
  std::string path_;
  bool renamed_ = false;
};

// A rename would replace a device such as /dev/full by a file.
void refuse_special(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw OutputError(fmt::format("could not write {}: it is there and is not a regular file", path));
  }
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

/// Whether a temporary file of this name belongs to a process of this machine that is dead.
bool is_orphan(const std::string& folder, const std::string& name, std::size_t at) {
  pid_t pid = 0;
  const auto [end, status] = std::from_chars(name.data() + at, name.data() + name.size(), pid);
  if (status != std::errc() || *end != '-' || pid <= 0 || ::kill(pid, 0) == 0 || errno != ESRCH) return false;
  // On a shared disk the process may be on another machine: then it has the lock.
  const Descriptor file(::open((folder + "/" + name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_orphans(const std::string& path) {
  const std::string folder = folder_of(path), prefix = path.substr(path.rfind('/') + 1) + ".tmp-";
  std::error_code ec;
  for (std::filesystem::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(prefix) && is_orphan(folder, name, prefix.size())) ::unlink((folder + "/" + name).c_str());
  }
}

std::pair<int, std::string> open_fresh(const std::string& path) {
  remove_orphans(path);
  for (int k = 0; k < 1000; ++k) {
    std::string name = fmt::format("{}.tmp-{}-{}", path, ::getpid(), k);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
      ::flock(fd, LOCK_EX | LOCK_NB);  // where the disk knows no locks, the process's number alone protects the file
      return {fd, std::move(name)};
    }
    if (errno != EEXIST) fail("create", name, errno);
  }
  fail("create a temporary file for", path, EEXIST);
}

void write_all(int fd, std::span<const char> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), std::min(bytes.size(), piece_bytes));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("write", path, n < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

void sync_folder_of(const std::string& path) {
  const std::string folder = folder_of(path);
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0 || ::fsync(fd.get()) != 0) fail("sync the folder", folder, errno);
}

}  // namespace

void write_durably(const std::string& path, std::span<const char> bytes) {
  write_durably_in_pieces(path, [&](const Append& append) { append(bytes); });
}

void try_output(const std::string& path) {
  constexpr std::size_t some_bytes = std::size_t{64} << 10U;
  refuse_special(path);
  auto [fd, name] = open_fresh(path);
  Descriptor file(fd);
  const Temporary temporary(std::move(name));
  write_all(file.get(), std::vector<char>(some_bytes), temporary.path());
  if (::fsync(file.get()) != 0) fail("sync", temporary.path(), errno);
  if (file.close() != 0) fail("close", temporary.path(), errno);
}

void write_durably_in_pieces(const std::string& path, const std::function<void(const Append&)>& fill) {
  refuse_special(path);
  auto [fd, name] = open_fresh(path);
  Descriptor file(fd);
  Temporary temporary(std::move(name));
  fill([&](std::span<const char> bytes) { write_all(file.get(), bytes, temporary.path()); });
  if (::fsync(file.get()) != 0) fail("sync", temporary.path(), errno);
  if (file.close() != 0) fail("close", temporary.path(), errno);
  temporary.rename_to(path);
  sync_folder_of(path);
}

}  // namespace TIDEWATT_NAMESPACE::io
