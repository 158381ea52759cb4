#include "tidewatt/io/durable_file.hpp"

#include <sys/resource.h>

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

TEST_CASE("a temporary file that a killed process left is neither used nor touched") {
  const ScratchFolder folder;
  const std::string stale = folder.file("a.tmp-" + std::to_string(getpid()) + "-0");
  std::ofstream(stale) << "stale";
  io::write_durably(folder.file("a"), kilobytes);
  CHECK(bytes_of(folder.file("a")) == kilobytes);
  CHECK(bytes_of(stale).size() == 5);
}
