#include <filesystem>
#include <vector>

#include "catch.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/grid/frequency.hpp"
#include "tidewatt/grid/source.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {
struct System {
  SourceParams source;
  FrequencyParams frequency;
};

System read_system(const std::filesystem::path& path) {
  const Node node = parse_toml_file(path.string());
  std::vector<Finding> findings;
  System out;
  TableReader source(*node.find("source"), "source", findings),
      frequency(*node.find("frequency"), "frequency", findings);
  out.source.fields(source);
  out.frequency.fields(frequency);
  source.finish();
  frequency.finish();
  for (const auto& f : findings) FAIL(f.text());
  return out;
}

const std::filesystem::path folder = std::filesystem::path(TIDEWATT_SOURCE_DIR) / "catalog" / "grid";
}  // namespace

TEST_CASE("every grid of the catalog reads, and carries a 100 MW site") {
  int n = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const Node entry = parse_toml_file(file.path().string());
    if (std::get<std::string>(entry.find("kind")->value) != "grid") continue;
    const System s = read_system(file.path());
    CHECK(Source(s.source).voltage_pu(100e6, 20e6));
    CHECK(Frequency(s.frequency).initial_rocof_Hz_per_s(100e6) > 0.0);
    ++n;
  }
  CHECK(n >= 2);
}

TEST_CASE("losing 2.6 GW of load lifts the Texas-like system to about 60.4 Hz, the operator's figure") {
  const System s = read_system(folder / "ercot_like_60GVA.toml");
  const Frequency f(s.frequency);
  auto state = f.start(2.6e9);
  FrequencyMeters m;
  const std::vector<double> load_W(60'000, 0.0);
  std::vector<double> deviation_Hz(load_W.size());
  f.advance(load_W, deviation_Hz, state, m);
  CHECK(m.highest_Hz == Approx(0.4).epsilon(0.05));  // the entry's droop was set by this figure; the rest was not
  CHECK(m.rocof_max_Hz_per_s == Approx(0.26).epsilon(0.01));
}
