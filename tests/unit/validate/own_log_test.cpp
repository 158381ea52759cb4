#include "validate/own_log.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"

using namespace tidewatt::validate;

namespace {

/// Five minutes of eight H100 at 400 W, read every 2 s, all dies at one temperature; node watts beside them.
struct Files {
  std::string gpus, node;
  explicit Files(double die_degC, double node_W) {
    const auto folder = std::filesystem::temp_directory_path();
    gpus = (folder / ("tidewatt_own_" + std::to_string(::getpid()) + ".csv")).string();
    node = (folder / ("tidewatt_own_node_" + std::to_string(::getpid()) + ".csv")).string();
    std::ofstream g(gpus), n(node);
    g << "time_s,gpu,power_W,temperature_degC\n";
    n << "time_s,node_W\n";
    for (int i = 0; i < 150; ++i) {
      for (int k = 0; k < 8; ++k) g << 2 * i << ',' << k << ",400," << die_degC << '\n';
      n << 2 * i << ',' << node_W << '\n';
    }
  }
  ~Files() {
    std::filesystem::remove(gpus);
    std::filesystem::remove(node);
  }
  OwnLog held() const {
    tidewatt::study::ReplayOptions o;
    o.file = gpus, o.node_log = node, o.server = "dgx_h100", o.inlet_degC = 22.0, o.power_window_s = 0.5;
    return own_log(o);
  }
};

const Row& row(const OwnLog& log, const std::string& id) {
  for (const Row& r : log.rows)
    if (r.id == id) return r;
  throw std::logic_error(id);
}

}  // namespace

TEST_CASE("a log states sensor, window and sampling, and its rows fail where the model is off") {
  const auto fit = Files(0.0, 1.0).held();  // what the model says of 400 W at 22 degC
  CHECK(fit.drive == "power");
  CHECK(fit.window_s == 0.5);
  CHECK(fit.sampling_s == 2.0);
  CHECK(row(fit, "log/temperature-0").verdict == Verdict::fail);
  CHECK(row(fit, "log/node").verdict == Verdict::fail);
  const double die_degC = row(fit, "log/temperature-0").got, node_W = row(fit, "log/node").got;
  CHECK(die_degC > 35.0);
  const auto log = Files(die_degC + 1.0, 1.05 * node_W).held();
  CHECK(row(log, "log/temperature-0").error == Approx(-1.0).margin(0.01));
  CHECK(row(log, "log/temperature-0").verdict == Verdict::pass);
  CHECK(row(log, "log/node").error == Approx(1.0 / 1.05 - 1.0).epsilon(0.01));
  CHECK(row(log, "log/node").verdict == Verdict::pass);
  CHECK_THAT(own_log_text(log), Catch::Contains("means over 0.5 s, temperatures come every 2 s"));
  CHECK_THAT(own_log_json(log), Catch::Contains("\"sampling_s\": 2.0"));
}
