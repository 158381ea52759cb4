#include "study/export_result.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/hdf5_sink.hpp"
#include "tiny.hpp"

using namespace tidewatt;
namespace fs = std::filesystem;

TEST_CASE("formats of waveforms and of models; PERC1 of a run says its mean powers and does not move with the window") {
  const auto formats = study::result_formats();
  CHECK(formats.size() == io::export_formats().size() + 3);
  CHECK(study::is_settings_format("perc1"));
  CHECK_FALSE(study::is_settings_format("linjbl"));

  const fs::path folder = fs::temp_directory_path() / ("tidewatt_export_result_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  auto scenario = tiny("", {"run.duration_h=0.05"});
  scenario.text = read_file(std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios/tiny.toml", 1u << 20);
  const auto result = sim::run(scenario, {});
  const std::string file = (folder / "tiny.h5").string();
  io::Hdf5Sink(file).write(result);

  const auto text = [&](std::optional<double> begin_s) {
    study::ResultExport x;
    x.options.format = "perc1";
    x.options.cut.begin_s = begin_s;
    const auto out = study::export_result(file, x);
    REQUIRE(out.made.files.size() == 1);
    CHECK(out.made.total_bytes() == out.made.files[0].text().size());
    CHECK(out.made.folder == folder.string());
    return out.made.files[0].text();
  };
  CHECK(text({}) == text(1.7));
  CHECK(text({}).find(fmt::format("records: {:.6g} MW", figure(result, "it_mean_MW"))) != std::string::npos);

  study::ResultExport x;
  x.options.format = "perc1";
  x.options.window = "no_such_window";
  CHECK_THROWS_AS(study::export_result(file, x), InputError);
  x.options.format = "csv";
  x.options.window = "";
  CHECK(study::export_result(file, x).made.n_sample > 0);
  fs::remove_all(folder);
}
