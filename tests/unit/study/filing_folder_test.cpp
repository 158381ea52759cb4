#include "study/filing_folder.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "catch.hpp"

using namespace tidewatt;
namespace fs = std::filesystem;

TEST_CASE("an older pack goes away where it is as it was; what was changed or is the reader's own stays") {
  const fs::path folder = fs::temp_directory_path() / ("tidewatt_old_pack_" + std::to_string(::getpid()));
  fs::create_directories(folder / "mine");
  const auto put = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
    return nlohmann::json{{"name", name}, {"sha256", sha256_hex(text)}};
  };
  nlohmann::json list{{"files", nlohmann::json::array()}};
  for (const char* name : {"report.html", "old_cmpldw.dyr", "changed.dyr"}) list["files"].push_back(put(name, name));
  list["files"].push_back({{"name", "../outside"}, {"sha256", sha256_hex("")}});
  put("changed.dyr", "by hand");
  put("notes.txt", "mine");
  const auto old = study::clear_old_pack(folder.string(), list.dump(), {"report.html"});
  CHECK(old.removed == std::vector<std::string>{"old_cmpldw.dyr"});
  CHECK_FALSE(fs::exists(folder / "old_cmpldw.dyr"));
  CHECK(fs::exists(folder / "changed.dyr"));
  CHECK(old.kept == std::vector<std::string>{"changed.dyr: of an older pack, changed since", "mine: not part of a pack",
                                             "notes.txt: not part of a pack"});
  CHECK(study::clear_old_pack(folder.string(), "{damaged", {"report.html"}).removed.empty());
  fs::remove_all(folder);
}
