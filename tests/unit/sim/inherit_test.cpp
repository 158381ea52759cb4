#include "sim/inherit.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "tidewatt/sim/scenario.hpp"

using namespace tidewatt;
using tidewatt::sim::inherit;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("tidewatt_inherit_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path / "cases"); }
  ~Folder() { fs::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    const auto file = (path / "cases" / name).string();
    std::ofstream(file) << text;
    return file;
  }
  std::string folder() const { return (path / "cases").string(); }
};

std::string refusal(const std::string& file, const std::string& folder) {
  try {
    inherit(parse_toml_file(file), folder);
  } catch (const InputError& e) {
    return e.findings().front().text();
  }
  return "accepted";
}

/// `n` files of which each inherits from the next; the last has a key.
std::string chain(const Folder& folder, int n) {
  for (int i = 0; i < n; ++i)
    folder.write(std::to_string(i) + ".toml",
                 "k" + std::to_string(i) + " = 1\nbase = \"" + std::to_string(i + 1) + ".toml\"\n");
  folder.write(std::to_string(n) + ".toml", "last = 1\n");
  return folder.folder() + "/0.toml";
}

}  // namespace

TEST_CASE("a chain of bases is merged, the nearest file wins and gives the place") {
  const Folder folder;
  folder.write("under.toml", "a = 1\nb = 1\n");
  folder.write("middle.toml", "base = 'under.toml'\nb = 2\n");
  const auto file = folder.write("top.toml", "# one\n# two\nbase = 'middle.toml'\nc = 3\n");
  const auto all = inherit(parse_toml_file(file), folder.folder());
  CHECK(std::get<std::int64_t>(all.root.find("a")->value) == 1);
  CHECK(std::get<std::int64_t>(all.root.find("b")->value) == 2);
  CHECK(std::get<std::int64_t>(all.root.find("c")->value) == 3);
  CHECK(all.root.find("base") == nullptr);
  CHECK(all.root.place.file == file);
  REQUIRE(all.bases.size() == 2);
  CHECK(all.bases[0].first == "middle.toml");
  CHECK(all.bases[1].second == "a = 1\nb = 1\n");
}

TEST_CASE("ten bases are no circle, too many say so, and a circle is one") {
  const Folder folder;
  CHECK(refusal(chain(folder, 10), folder.folder()) == "accepted");
  const auto many = refusal(chain(folder, 17), folder.folder());
  CHECK(many == folder.folder() + "/16.toml:2:1: base: more than 16 scenarios inherit from one another");
  folder.write("b.toml", "base = './a.toml'\n");
  const auto circle = refusal(folder.write("a.toml", "\nbase = 'b.toml'\n"), folder.folder());
  CHECK(circle ==
        folder.folder() + "/b.toml:1:1: base: \"./a.toml\" closes a circle of scenarios that inherit from each other");
}

TEST_CASE("a base that is not there, no text or outside is a finding at its line") {
  const Folder folder;
  std::ofstream(folder.path / "outside.toml") << "a = 1\n";
  fs::create_symlink(folder.path / "outside.toml", folder.path / "cases" / "link.toml");
  fs::create_symlink("loop.toml", folder.path / "cases" / "loop.toml");
  for (const auto& [base, word] : {std::pair{"'gone.toml'", "no such file"},
                                   {"'link.toml'", "must be a file below the scenario's folder"},
                                   {"'../outside.toml'", "must be a file below the scenario's folder"},
                                   {"3", "3 must be a file"},
                                   {"'.'", "not a regular file"},
                                   {"'loop.toml'", "no such file"}}) {
    INFO(base);
    const auto text = refusal(folder.write("s.toml", std::string("x = 1\nbase = ") + base + "\n"), folder.folder());
    CHECK(text.find("s.toml:2:1: base: ") != std::string::npos);
    CHECK(text.find(word) != std::string::npos);
  }
}
