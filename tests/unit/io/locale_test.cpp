// Commas for dots and dots between thousands, in C++ and, where such a locale is installed or can be made, in C.
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <sstream>

#include "catch.hpp"
#include "grid/compliance_report.hpp"
#include "io/export_comtrade.hpp"
#include "io/export_playback.hpp"
#include "sample_record.hpp"
#include "scratch_folder.hpp"
#include "sim/gpu_view.hpp"
#include "sim/iteration_view.hpp"
#include "tidewatt/io/hdf5_sink.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tidewatt/io/summary_json.hpp"
#include "tiny.hpp"

using namespace tidewatt;

namespace {

struct German : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// Global locales as they were when the test is over.
class Abroad {
 public:
  Abroad() {
    if (!set_c()) make_and_set_c();
    std::locale::global(std::locale(std::locale::classic(), new German));  // has no name, so C's stays as set
  }
  Abroad(const Abroad&) = delete;
  Abroad& operator=(const Abroad&) = delete;
  ~Abroad() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, "C");
    ::unsetenv("LOCPATH");
  }
  static bool comma_in_C() {
    char text[8];
    std::snprintf(text, sizeof text, "%.1f", 1.5);
    return text[1] == ',';
  }

 private:
  static bool set_c() { return std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr && comma_in_C(); }
  void make_and_set_c() {
    const std::string make =
        "localedef --no-archive -i de_DE -f UTF-8 '" + made_.file("de_DE.UTF-8") + "' 2> /dev/null";
    if (std::system(make.c_str()) != 0) return;
    ::setenv("LOCPATH", std::filesystem::path(made_.file("x")).parent_path().c_str(), 1);
    set_c();
  }
  ScratchFolder made_;
  std::locale before_;
};

/// Everything that a run writes, as text or bytes.
std::vector<std::pair<std::string, std::string>> all_outputs() {
  const auto scenario = tiny("\n[[event]]\nname = \"host\"\nkind = \"failure\"\njob = \"main\"\nat_s = 400.3\n",
                             {"run.duration_h=0.25", "site.rules=power_stabilization_example"});
  auto result = sim::run(scenario);
  for (auto& [key, text] : result.provenance)
    if (key == "wall_s") text.clear();
  std::vector<std::pair<std::string, std::string>> out;
  out.emplace_back("bits", io::payload_sha256(result));
  out.emplace_back("summary", io::result_json(result));
  const auto image = io::hdf5_image(result);
  out.emplace_back("file", std::string(image.begin(), image.end()));
  for (const auto& report : result.compliance) {
    out.emplace_back("compliance text", grid::compliance_text(report));
    out.emplace_back("compliance page", grid::compliance_html(report));
    out.emplace_back("compliance json", grid::compliance_json(report));
  }
  out.emplace_back("iteration", sim::view_text(sim::view_iteration(scenario, scenario.jobs[0])));
  const auto view = sim::view_gpu(scenario, result, {});
  out.emplace_back("gpu", sim::gpu_view_text(view) + sim::gpu_view_csv(view) + sim::gpu_view_svg(view));
  const auto record = sample_record(100);
  for (const auto& files : {io::csv_files(record), io::pscad_files(record), io::powerfactory_files(record),
                            io::opendss_files(record), io::andes_files(record, {}),
                            io::comtrade_files(record, io::ComtradeRevision::r1999, io::ComtradeEncoding::ascii),
                            io::comtrade_files(record, io::ComtradeRevision::r2013, io::ComtradeEncoding::float32)})
    for (const auto& f : files) out.emplace_back(f.name, f.text());
  return out;
}

}  // namespace

TEST_CASE("a run and all that it writes are the same whatever the program's locale", "[locale]") {
  const auto here = all_outputs();
  const Abroad abroad;
  std::ostringstream shows;
  shows << 1234.5;
  REQUIRE(shows.str() == "1.234,5");
  if (!Abroad::comma_in_C()) WARN("no C locale with a decimal comma here: only the C++ one is tested");
  const auto there = all_outputs();
  REQUIRE(here.size() == there.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    INFO(here[i].first);
    CHECK(here[i].second == there[i].second);
  }
  // Dates and numbers of a scenario's text.
  const Node root = parse_toml("day = 2024-07-20T14:00:00\nx = 1234.5\n", "x.toml");
  CHECK(std::get<std::string>(root.find("day")->value).starts_with("2024-07-20"));
  CHECK(std::get<double>(root.find("x")->value) == 1234.5);
}
