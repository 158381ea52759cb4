#include "sim/figure_list.hpp"

#include <map>
#include <set>
#include <string>

#include "catch.hpp"
#include "tidewatt/sim/run.hpp"

using namespace tidewatt;

namespace {

std::vector<const sim::Figure*> all() {
  std::vector<const sim::Figure*> out;
  for (const auto& topic : sim::figure_topics())
    for (const auto& figure : topic.figures) out.push_back(&figure);
  return out;
}

}  // namespace

TEST_CASE("each key is listed once, with words that tables have room for") {
  std::set<std::string_view> keys;
  for (const auto* f : all()) {
    INFO(f->key);
    CHECK(keys.insert(f->key).second);
    CHECK(*f->words != '\0');
    CHECK(std::string_view(f->words).size() <= 40);
    CHECK(f->traits.digits > 0);
    CHECK(sim::find_figure(f->key) == f);
  }
  for (const auto& topic : sim::figure_topics()) CHECK(*topic.figures.front().meaning != '\0');
}

TEST_CASE("the unit of a figure is the one that its key ends with") {
  const std::map<std::string_view, std::string_view> units = {
      {"_MW_per_s", "MW/s"}, {"_L_per_kWh", "L/kWh"}, {"_per_J", "tokens/J"}, {"_MWh", "MWh"},   {"_MW", "MW"},
      {"_mHz", "mHz"},       {"_MHz", "MHz"},         {"_degC", "°C"},        {"_percent", "%"}, {"_USD", "USD"},
      {"_m3", "m³"},         {"_ppm", "ppm"},         {"_pu", "pu"},          {"_W", "W"}};
  for (const auto* f : all())
    for (const auto& [end, unit] : units) {
      if (!std::string_view(f->key).ends_with(end) ||
          std::string_view(f->key).find("_outside_") != std::string_view::npos)
        continue;
      INFO(f->key);
      CHECK(f->unit == unit);
    }
}

TEST_CASE("headlines have places from 1 on, none twice, and their intervals are figures of theirs") {
  const auto headlines = sim::headline_figures();
  REQUIRE(headlines.size() == 12);
  for (std::size_t i = 0; i < headlines.size(); ++i) CHECK(headlines[i]->traits.headline == static_cast<int>(i) + 1);
  CHECK(headlines.front()->key == std::string("throughput_swing_percent"));
  CHECK(sim::find_figure("pcc_max_MW_p95") == sim::find_figure("pcc_max_MW"));
  CHECK(sim::find_figure("pcc_max_MW_event_p50") == sim::find_figure("pcc_max_MW"));
  CHECK(sim::find_figure("pcc_min_MW_p95") == nullptr);
  CHECK(sim::find_figure("pcc_most_MW") == nullptr);
}

TEST_CASE("units of files are those of UDUNITS") {
  CHECK(sim::file_unit("") == "1");
  CHECK(sim::file_unit("%") == "percent");
  CHECK(sim::file_unit("TFLOP/s") == "1e12 s-1");
  CHECK(sim::file_unit("MW") == "MW");
  CHECK(sim::shown_unit(*sim::find_figure("peak_FLOP_per_s")) == "TFLOP/s");
}

TEST_CASE("figures of jobs are listed as such, and take unit and words into the file") {
  sim::LoadOptions options;
  options.set = {"run.duration_h=0.01"};
  const auto result = sim::run(sim::load_scenario(TIDEWATT_SOURCE_DIR "/tests/scenarios/tiny.toml", options));
  REQUIRE(!result.jobs.empty());
  for (const auto& [key, value] : result.jobs.front()) {
    INFO(key);
    REQUIRE(sim::find_figure(key) != nullptr);
    CHECK(sim::find_figure(key)->traits.scope != sim::Scope::site);
  }
  for (const auto& a : result.arrays)
    if (a.path == "/jobs/mfu_percent") {
      CHECK(a.unit == "percent");
      CHECK(a.long_name == "MFU, causal attention");
    }
}
