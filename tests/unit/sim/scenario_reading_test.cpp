// Where a scenario's findings are placed, and what its names and paths may be.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

/// Findings of the small scenario with more text behind it.
std::vector<std::string> findings(const std::string& more, std::vector<std::string> set = {}) {
  std::vector<std::string> out;
  try {
    tiny(more, std::move(set));
  } catch (const InputError& e) {
    for (const auto& f : e.findings()) out.push_back(f.text());
  }
  return out;
}

/// Line of the small scenario where `word` is; one past its last line without a word.
int line_of(const std::string& word = "") {
  const auto text = read_file(std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios/tiny.toml", 1u << 20);
  const auto before = word.empty() ? text.size() : text.find(word);
  REQUIRE(before != std::string::npos);
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(before), '\n'));
}

}  // namespace

TEST_CASE("names of list items are identifiers, each refused at its own line") {
  const int last = line_of();
  for (const auto& [table, rest] : {std::pair{"record.window", "start_s = 0\nduration_s = 1\n"},
                                    {"event", "kind = \"pause\"\njob = \"main\"\nat_s = 1\nduration_s = 1\n"},
                                    {"mitigation", "kind = \"job_stagger\"\nperiod_s = 10.0\n"},
                                    {"site.neighbour", "kind = \"replay\"\n"}}) {
    for (const char* name :
         {"a/b", "../x", "$\\\\frac$", "x\\\"><img src=q onerror=alert(1)>", "a,b", "=1+1", "a b", ""}) {
      INFO(table << " " << name);
      const auto all = findings(std::string("\n[[") + table + "]]\nname = \"" + name + "\"\n" + rest);
      REQUIRE_FALSE(all.empty());
      const bool found = std::any_of(all.begin(), all.end(), [&](const std::string& f) {
        return f.starts_with("tiny.toml:" + std::to_string(last + 2) + ":1: " + table) &&
               f.find("is not a name: use 1 to 64") != std::string::npos;
      });
      CHECK(found);
    }
  }
  for (const char* key : {"hall.a.name=\"a.b\"", "job.main.name=\"a/b\""}) {
    const auto all = findings("", {key});
    REQUIRE_FALSE(all.empty());
    CHECK_THAT(all.front(),
               Catch::StartsWith("--set: ") && Catch::Contains(".1.name: ") && Catch::Contains("is not a name"));
  }
}

TEST_CASE("checks across tables are placed at the key that they name, or at the override") {
  const auto n_gpu = findings("", {"hall.a.n_gpu=7"});
  REQUIRE(n_gpu.size() >= 2);
  CHECK_THAT(n_gpu[0], Catch::StartsWith("--set: hall.a.n_gpu: 7 is not a multiple"));
  CHECK_THAT(n_gpu[1], Catch::StartsWith("tiny.toml:" + std::to_string(line_of("n_gpu = 128\ntp")) +
                                         ":1: job.main.plan.n_gpu: 128 GPUs"));
  const auto plan = findings("", {"job.main.plan.pp=7"});
  REQUIRE_FALSE(plan.empty());
  for (const auto& f : plan)
    CHECK((f.starts_with("--set: job.main.plan.pp") ||
           f.starts_with("tiny.toml:" + std::to_string(line_of("n_gpu = 128\ntp")))));
  const auto event =
      findings("\n[[event]]\nname = \"e\"\nkind = \"pause\"\njob = \"nobody\"\nat_s = 1.0\nduration_s = 1.0\n");
  REQUIRE(event.size() == 1);
  CHECK_THAT(event[0], Catch::StartsWith("tiny.toml:" + std::to_string(line_of() + 4) +
                                         ":1: event.e.job: no job named 'nobody'"));
}

TEST_CASE("an altitude belongs to a CSV file: beside a climate it is a finding at its line", "[weather]") {
  const auto all = findings("", {"weather.altitude_m=100"});
  REQUIRE(all.size() == 1);
  CHECK_THAT(all[0], Catch::StartsWith("--set: weather.altitude_m: belongs to a CSV file"));
  CHECK(findings("", {"weather.csv=\"weather.csv\"", "weather.climate=\"\"", "weather.day=\"dated\"",
                      "weather.altitude_m=100"})
            .empty());
}

TEST_CASE("a link below the scenario's folder does not lead out of it") {
  namespace fs = std::filesystem;
  const auto folder = fs::temp_directory_path() / ("tidewatt_scenario_link_" + std::to_string(getpid()));
  fs::create_directories(folder / "cases");
  const fs::path here = std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios";
  fs::copy(here / "weather.csv", folder / "weather.csv");
  fs::create_symlink(folder / "weather.csv", folder / "cases" / "out.csv");
  fs::copy(here / "weather.csv", folder / "cases" / "in.csv");
  const Node root = parse_toml_file((here / "tiny.toml").string());
  const auto said = [&](const std::string& file) {
    LoadOptions o;
    o.set = {"weather.csv=\"" + file + "\"", "weather.climate=\"\"", "weather.day=\"dated\""};
    try {
      read_scenario(root, (folder / "cases").string(), o);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK(said("in.csv") == "accepted");
  CHECK_THAT(said("out.csv"),
             Catch::Contains("--set: weather.csv: 'out.csv' must be a file below the scenario's folder"));
  fs::remove_all(folder);
}

TEST_CASE("a misspelt kind is one finding with the nearest word, whatever keys stand beside it") {
  for (const auto& [table, kind, nearest] : {std::tuple{"event", "sagg", "sag"},
                                             {"mitigation", "balast", "ballast"},
                                             {"site.neighbour", "replaay", "replay"}}) {
    INFO(table);
    const auto all =
        findings(std::string("\n[[") + table + "]]\nname = \"x\"\nkind = \"" + kind + "\"\n" +
                 (std::string(table) == "event" ? "at_s = 1.0\n" : "file = \"a.csv\"\nlevel_ratio = 0.5\n"));
    REQUIRE(all.size() == 1);
    CHECK(all.front().find(std::string("did you mean '") + nearest + "'?") != std::string::npos);
  }
}
