#include "study/fit_telemetry.hpp"

#include <cmath>
#include <fstream>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
std::filesystem::path put(const char* name, const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / (std::string("tidewatt_fit_") + name);
  std::ofstream(path) << text;
  return path;
}
}  // namespace

TEST_CASE("nvidia-smi, DCGM and generic files say the same", "[study][fit_telemetry]") {
  const auto smi = read_gpu_telemetry(
      put("smi.csv",
          "timestamp, index, power.draw [W], temperature.gpu, clocks.sm [MHz]\n"
          "2024/05/17 18:00:00.250, 0, 543.21 W, 61, 1650 MHz\n2024/05/17 18:00:00.250, 1, 530.00 W, 66, 1635 MHz\n"
          "2024/05/17 18:00:01.250, 0, [N/A], 62, 1650 MHz\n2024/05/17 18:00:02.250, 0, 550.00 W, 62, 1650 MHz\n"));
  REQUIRE(smi.size() == 2);
  REQUIRE(smi[0].record.size() == 2);  // the row without power is left out
  CHECK(smi[0].record.time_s[1] - smi[0].record.time_s[0] == Approx(2.0));
  CHECK(smi[0].record.power_W[0] == 543.21);
  CHECK(smi[1].record.die_K[0] == Approx(339.15));
  CHECK(smi[0].clock_Hz[0] == Approx(1.65e9));

  const auto dcgm = read_gpu_telemetry(put(
      "dcgm.csv",
      "timestamp,gpu,DCGM_FI_DEV_POWER_USAGE,DCGM_FI_DEV_GPU_TEMP,DCGM_FI_DEV_SM_CLOCK\n"
      "1715968800250,0,543.21,61,1650\n1715968801250,0,9223372036854775794,61,1650\n1715968802250,0,550,62,1650\n"));
  REQUIRE(dcgm[0].record.size() == 2);
  CHECK(dcgm[0].record.time_s[0] == Approx(smi[0].record.time_s[0]).epsilon(1e-12));

  const auto generic =
      read_gpu_telemetry(put("generic.csv", "time_ms;power_W;temperature_degC\n0;543.21;61\n2000;550;62\n"));
  CHECK(generic[0].record.time_s[1] == Approx(2.0));
  CHECK(generic[0].clock_Hz.empty());
}

TEST_CASE("what is missing is named, torn lines are left out", "[study][fit_telemetry]") {
  try {
    read_gpu_telemetry(put("bare.csv", "timestamp,gpu\n0,0\n"));
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(e.findings().size() == 2);
  }
  CHECK(read_gpu_telemetry(put("torn.csv", "time_s,power_W,temperature_degC\n0,500,60\n1,510,60\n2,5"))
            .front()
            .record.size() == 2);
  CHECK_THROWS_AS(read_table("gone.csv"), InputError);
}

TEST_CASE("a counter read on some rows is filled by the power readings", "[study][fit_telemetry]") {
  const auto gpu =
      read_gpu_telemetry(put("sparse.csv",
                             "time_s,power_W,temperature_degC,energy_J\n0,100,50,\n1,100,50,1000\n2,200,50,\n"
                             "3,400,50,\n4,200,50,1880\n5,300,50,\n"))
          .front();
  // 800 J by the readings between the counter's two values, 880 J by the counter: each step is a tenth larger.
  const std::vector<double> expected = {900, 1000, 1220, 1660, 1880, 2180};
  REQUIRE(gpu.energy_J.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(gpu.energy_J[i] == Approx(expected[i]));
  CHECK(read_gpu_telemetry(put("none.csv", "time_s,power_W,temperature_degC,energy_J\n0,100,50,\n1,100,50,\n"))
            .front()
            .energy_J.empty());
}

TEST_CASE("times of any size and form", "[study][fit_telemetry]") {
  CHECK(cell_time_s("2024-02-29 00:00:00") - cell_time_s("2024-02-28 00:00:00") == 86400.0);
  CHECK(cell_time_s("1970/01/02 00:00:01.5") == 86401.5);
  CHECK(cell_time_s("1715968800") == Approx(cell_time_s("1715968800000")));
  CHECK(cell_time_s("2024-02-28 24:00:00") == cell_time_s("2024-02-29 00:00:00"));
  for (const char* none : {"2024-13-01 00:00:00", "2023-02-29 00:00:00", "2024-05-17 25:00:00", "2024-05-17 18:61:00",
                           "17.05.2024 18:00:00", "05/17/2024 18:00:00"})
    CHECK(std::isnan(cell_time_s(none)));
  for (const char* none : {"[N/A]", "12:30:01", "1.234,5", "1,234", "2024-05-17"}) CHECK(std::isnan(cell_number(none)));
  CHECK(cell_number("543.21 W") == 543.21);
  CHECK(cell_number("61, hot") == 61.0);
}

TEST_CASE("decimal commas, quotes, filling and a byte order mark leave the numbers as they are",
          "[study][fit_telemetry]") {
  const auto plain =
      read_gpu_telemetry(put("plain.csv", "time_s,gpu,power_W,temperature_degC\n0,a,500.5,60\n1,a,510.25,61\n"));
  for (const std::string text :
       {"time_s;gpu;power_W;temperature_degC\n0;a;500,5;60\n1;a;510,25;61\n",
        "time_s\tgpu\tpower_W\ttemperature_degC\n0\ta\t500,5 W\t60\n1\ta\t510,25\t61\n",
        "\xEF\xBB\xBFtime_s,gpu,power_W,temperature_degC\r\n0,\"a\",\"500.5\",60\r\n1,a,510.25,61\r\n\x1a\x1a",
        "time_s,gpu,note,power_W,temperature_degC\n0,a,\"rack 7, left\",500.5,60\n1,a,,510.25,61\n"}) {
    const auto read = read_gpu_telemetry(put("dialect.csv", text));
    REQUIRE(read.size() == 1);
    CHECK(read[0].record.power_W == plain[0].record.power_W);
    CHECK(read[0].record.die_K == plain[0].record.die_K);
  }
  CHECK_THROWS_WITH(read_table(put("utf16.csv", std::string("\xFF\xFEt\0", 4))), Catch::Contains("UTF-16"));
}

TEST_CASE("GPUs are told apart by bus ids, and one number for two of them is refused", "[study][fit_telemetry]") {
  const std::string rows =
      "0,00000000:04:00.0,H100,500,60\n0,00000000:23:00.0,H100,100,40\n1,00000000:04:00.0,H100,510,60\n";
  CHECK(read_gpu_telemetry(put("bus.csv", "time_s,pci.bus_id,name,power_W,temperature_degC\n" + rows)).size() == 2);
  CHECK_THROWS_WITH(
      read_gpu_telemetry(
          put("nodes.csv", "time_s,index,uuid,power_W,temperature_degC\n0,0,GPU-x,500,60\n0,0,GPU-y,90,40\n")),
      Catch::Contains("'0' is the name of two GPUs (GPU-x, GPU-y)"));
}
