#include "base/path_below.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"

namespace fs = std::filesystem;
using tidewatt::path_below;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("tidewatt_path_below_" + std::to_string(getpid()));
  Folder() {
    fs::create_directories(path / "case" / "weather");
    fs::create_directories(path / "case_other");
    std::ofstream(path / "case" / "weather" / "a.epw") << "x";
    std::ofstream(path / "secret.epw") << "x";
  }
  ~Folder() { fs::remove_all(path); }
};

}  // namespace

TEST_CASE("a path that a file names stays below its folder") {
  const Folder folder;
  const std::string here = (folder.path / "case").string();
  CHECK(path_below(here, "weather/a.epw") == here + "/weather/a.epw");
  CHECK(path_below(here, "weather/../weather/a.epw") == here + "/weather/a.epw");
  CHECK(path_below(here, "not_there.epw").has_value());
  for (const char* bad : {"", "/etc/passwd", "..", "../secret.epw", "weather/../../secret.epw", "../case_other/x"}) {
    INFO(bad);
    CHECK_FALSE(path_below(here, bad).has_value());
  }
}

TEST_CASE("symbolic links are followed: out of the folder is refused, inside is not") {
  const Folder folder;
  const fs::path here = folder.path / "case";
  fs::create_symlink(folder.path / "secret.epw", here / "out.epw");
  fs::create_symlink(folder.path, here / "up");
  fs::create_symlink("weather/a.epw", here / "in.epw");
  fs::create_symlink(here / "circle", here / "circle");
  CHECK_FALSE(path_below(here.string(), "out.epw").has_value());
  CHECK_FALSE(path_below(here.string(), "up/secret.epw").has_value());
  CHECK(path_below(here.string(), "in.epw").has_value());
  CHECK(path_below(here.string(), "circle").has_value());  // the reader cannot open it
  // The folder itself may be reached through a link.
  fs::create_symlink(here, folder.path / "linked");
  CHECK(path_below((folder.path / "linked").string(), "in.epw").has_value());
}
