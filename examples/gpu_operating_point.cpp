// A model by itself: the clock that a GPU of the catalog holds under its power cap, over die temperature.
//   gpu_operating_point [NAME]
#include <cmath>
#include <cstdio>
#include <tidewatt/base/reader.hpp>
#include <tidewatt/catalog/catalog.hpp>
#include <tidewatt/dvfs/operating_point.hpp>
#include <tidewatt/power/gpu.hpp>

namespace {

/// A table of a catalog entry as a parameter struct, with the same checks as in a scenario.
template <class Params>
Params read(const tidewatt::Node& entry, const char* table) {
  std::vector<tidewatt::Finding> findings;
  tidewatt::TableReader reader(*entry.find(table), table, findings);
  Params params{};
  params.fields(reader);
  reader.finish();
  if (!findings.empty()) throw tidewatt::InputError(findings);
  return params;
}

}  // namespace

int main(int argc, char** argv) try {
  const auto entry = tidewatt::catalog::Catalog().values("gpu", argc > 1 ? argv[1] : "h100_sxm_700W");
  const tidewatt::power::GpuModel gpu(read<tidewatt::power::GpuPowerParams>(entry, "power"));
  const auto governor = read<tidewatt::dvfs::GovernorParams>(entry, "governor");
  tidewatt::dvfs::PhaseMix gemm;  // a second of dense matrix products at 1.5 GHz
  gemm.matrix_s = gemm.active_matrix_s = 1.0;
  for (const double die_degC : {40.0, 55.0, 70.0, 85.0}) {
    const double factor = gpu.leakage_temperature_factor(die_degC + 273.15);
    const auto point =
        tidewatt::dvfs::operating_point(gpu, {}, gemm, 1.5e9, 0.0, factor, gpu.params().tdp_W - governor.cap_margin_W,
                                        gpu.clock_max_Hz(), gpu.clock_max_Hz());
    std::printf("die %2.0f degC: %4.0f MHz at %.3f V, leakage %3.0f W\n", die_degC, point.clock_Hz / 1e6,
                gpu.voltage(point.clock_Hz).V,
                gpu.params().leakage_W * gpu.leakage_voltage_factor(gpu.voltage(point.clock_Hz).V) * factor);
  }
  return 0;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 2;
}
