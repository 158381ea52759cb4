#include "io/durable_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "catch.hpp"
#include "scratch_folder.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;

namespace {

/// Every file of this process may grow to `bytes` only: the cheapest full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

std::string message_of(const std::string& path, const std::vector<char>& bytes) {
  try {
    io::write_durably(path, bytes);
  } catch (const OutputError& error) {
    return error.what();
  }
  return "";
}

const std::vector<char> kilobytes(300000, 'x');

}  // namespace

TEST_CASE("a file is written whole, replaces an older one and leaves nothing beside it") {
  const ScratchFolder folder;
  io::write_durably(folder.file("a"), std::vector<char>{'o', 'l', 'd'});
  io::write_durably(folder.file("a"), kilobytes);
  CHECK(bytes_of(folder.file("a")) == kilobytes);
  io::write_durably(folder.file("empty"), {});
  CHECK(bytes_of(folder.file("empty")).empty());
  CHECK(folder.entries() == 2);
}

TEST_CASE("a disk that fills half way leaves the older file and no temporary one") {
  const ScratchFolder folder;
  const std::vector<char> old{'o', 'l', 'd'};
  io::write_durably(folder.file("a"), old);
  std::string message;
  {
    const FileSizeLimit limit(100000);
    message = message_of(folder.file("a"), kilobytes);
  }
  CHECK(message.find("File too large") != std::string::npos);
  CHECK(bytes_of(folder.file("a")) == old);
  CHECK(folder.entries() == 1);
}

TEST_CASE("a place that cannot be written is an OutputError with the system's reason") {
  const ScratchFolder folder;
  io::write_durably(folder.file("file"), kilobytes);
  CHECK(message_of(folder.file("missing/a"), kilobytes).find("No such file or directory") != std::string::npos);
  CHECK(message_of(folder.file("file/a"), kilobytes).find("Not a directory") != std::string::npos);
  CHECK(message_of("/proc/tidewatt", kilobytes) != "");
  CHECK(message_of(folder.file(std::string(300, 'n')), kilobytes).find("File name too long") != std::string::npos);
  CHECK(folder.entries() == 1);
}

TEST_CASE("devices and folders are not replaced by a file") {
  const ScratchFolder folder;
  CHECK(message_of("/dev/full", kilobytes).find("not a regular file") != std::string::npos);
  CHECK(std::filesystem::is_character_file("/dev/full"));
  std::filesystem::create_directory(folder.file("sub"));
  CHECK(message_of(folder.file("sub"), kilobytes).find("not a regular file") != std::string::npos);
}

TEST_CASE("the temporary file of a living process is neither used nor touched") {
  const ScratchFolder folder;
  const std::string other = folder.file("a.tmp-" + std::to_string(getpid()) + "-0");
  std::ofstream(other) << "other";
  io::write_durably(folder.file("a"), kilobytes);
  CHECK(bytes_of(folder.file("a")) == kilobytes);
  CHECK(bytes_of(other).size() == 5);
}

TEST_CASE("the temporary file of a dead process is removed, unless a process elsewhere holds it") {
  const ScratchFolder folder;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);  // its number is free now
  const std::string left = folder.file("a.tmp-" + std::to_string(child) + "-0"),
                    held = folder.file("a.tmp-" + std::to_string(child) + "-1");
  const std::string of_another = folder.file("ab.tmp-" + std::to_string(child) + "-0");
  for (const auto& path : {left, held, of_another}) std::ofstream(path) << "half a file";
  const int fd = open(held.c_str(), O_RDONLY);
  REQUIRE(flock(fd, LOCK_EX) == 0);
  io::write_durably(folder.file("a"), kilobytes);
  CHECK_FALSE(std::filesystem::exists(left));
  CHECK(std::filesystem::exists(held));
  CHECK(std::filesystem::exists(of_another));
  close(fd);
  io::try_output(folder.file("a"));
  CHECK_FALSE(std::filesystem::exists(held));
  CHECK(bytes_of(folder.file("a")) == kilobytes);
}

TEST_CASE("a place is tried before work begins, and nothing stays behind") {
  const ScratchFolder folder;
  io::try_output(folder.file("a"));
  CHECK(folder.entries() == 0);
  CHECK_THROWS_AS(io::try_output(folder.file("missing/a")), OutputError);
  CHECK_THROWS_AS(io::try_output("/proc/tidewatt"), OutputError);
  CHECK_THROWS_AS(io::try_output("/dev/full"), OutputError);
  const FileSizeLimit limit(10000);
  CHECK_THROWS_AS(io::try_output(folder.file("a")), OutputError);
  CHECK(folder.entries() == 0);
}

namespace {

std::vector<std::string>* calls = nullptr;  // of one test: what this process asks of the disk, in order

void note(const std::string& what, const std::string& path) {
  if (calls != nullptr) calls->push_back(what + " " + std::filesystem::path(path).filename().string());
}

}  // namespace

// In front of the system's own, for the whole test program.
extern "C" int fsync(int fd) {
  if (calls != nullptr) note("sync", std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd)).string());
  return static_cast<int>(syscall(SYS_fsync, fd));
}

extern "C" int rename(const char* from, const char* to) noexcept {
  if (calls != nullptr) note("rename", to);
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

TEST_CASE(
    "a file is synced before it gets its name, its folder after: a power cut leaves the old file or the new one") {
  const ScratchFolder folder;
  std::vector<std::string> seen;
  calls = &seen;
  io::write_durably(folder.file("a"), kilobytes);
  calls = nullptr;
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].starts_with("sync a.tmp-"));
  CHECK(seen[1] == "rename a");
  CHECK(seen[2] == "sync " + std::filesystem::path(folder.file("a")).parent_path().filename().string());
}
