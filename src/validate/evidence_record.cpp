#include "evidence_record.hpp"

#include <fmt/format.h>

#include "chips_wave.hpp"
#include "evidence_causes.hpp"
#include "evidence_kernels.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr const char* board = "h100_sxm_700W";
constexpr ProductShape square{8192, 8192, 8192};
constexpr double meter_window_s = 0.1;

double kelvin(const Node& row) { return number_of(row, "die_degC") + zero_degC_K; }

ProductAlone product_of(const GpuCase& gpu, const Node& row) {
  return {gpu, precision_named(row.find("precision") ? text_of(row, "precision") : "bf16"), square};
}

/// Board watts of a kernel at a clock.
double kernel_W(const GpuCase& gpu, const power::GpuModel& model, const dvfs::PhaseMix& mix, double clock_Hz,
                double die_K) {
  return power_of(gpu, model, mix, gpu.compute.reference_clock_Hz, clock_Hz)(die_K);
}

dvfs::PhaseMix waiting() {
  dvfs::PhaseMix mix;
  mix.wait_s = 1.0;
  return mix;
}

void rests(const GpuCase& gpu, const Node& list, std::vector<Row>& rows) {
  for (const Node& r : listed(list, "rest")) {
    const bool context = r.find("context") != nullptr;
    const double degC = number_of(r, "die_degC");
    rows.push_back(judged(row_of(r, "watts"),
                          fmt::format("H100 {} at {:.1f} degC", context ? "with a context, no work," : "at rest", degC),
                          "W", rest_W(board, degC, context)));
  }
  for (const Node& r : listed(list, "rest_slope")) {
    const double degC = number_of(r, "die_degC");
    rows.push_back(judged(row_of(r, "W_per_K"),
                          "H100 with a context, no work, 1,980 MHz: watts against its die's temperature", "W/K",
                          rest_W(board, degC + 0.5, true) - rest_W(board, degC - 0.5, true)));
  }
  const power::GpuModel model(gpu.power);
  for (const Node& r : listed(list, "wait"))
    rows.push_back(judged(row_of(r, "watts"), "H100 that waits in a kernel", "W",
                          kernel_W(gpu, model, waiting(), model.clock_max_Hz(), kelvin(r))));
}

void limited(const GpuCase& gpu, const Node& list, std::vector<Row>& rows) {
  for (const Node& r : listed(list, "limit"))
    rows.push_back(judged(row_of(r, "watts"), "H100, products under its limit of 700 W: mean power", "W",
                          dvfs::limit_W(gpu.power.tdp_W, gpu.governor)));
  for (const Node& r : listed(list, "clock"))
    rows.push_back(judged(row_of(r, "clock_MHz"),
                          fmt::format("H100, {} products of 8192 under its limit, die at {:.0f} degC: clock",
                                      text_of(r, "precision"), number_of(r, "die_degC")),
                          "MHz", product_of(gpu, r).limited_Hz(kelvin(r)) * 1e-6));
  for (const Node& r : listed(list, "clock_slope")) {
    const ProductAlone product = product_of(gpu, r);
    const double T = kelvin(r), fall = product.limited_Hz(T - 1.0) - product.limited_Hz(T + 1.0);
    rows.push_back(judged(row_of(r, "percent_per_K"), "H100, the same in bf16: fall of the clock per kelvin of the die",
                          "%/K", 100.0 * 0.5 * fall / product.limited_Hz(T)));
  }
  for (const Node& r : listed(list, "product")) {
    const ProductAlone product = product_of(gpu, r);
    rows.push_back(judged(row_of(r, "TF"),
                          fmt::format("H100, {} products of 8192 under its limit, die at {:.0f} degC: rate",
                                      text_of(r, "precision"), number_of(r, "die_degC")),
                          "TF", product.FLOP_per_s(product.limited_Hz(kelvin(r))) * 1e-12));
  }
}

void copies(const GpuCase& gpu, const Node& list, std::vector<Row>& rows) {
  const power::GpuModel model(gpu.power);
  const auto mix = mix_of(workload::make_kind("copy", workload::memory_work(gpu.compute, 1e9), gpu.compute, 0.0));
  for (const Node& r : listed(list, "copy"))
    rows.push_back(judged(row_of(r, "watts"), "H100, copies within its memory", "W",
                          kernel_W(gpu, model, mix, model.clock_max_Hz(), kelvin(r))));
  for (const Node& r : listed(list, "copy_rate"))
    rows.push_back(
        judged(row_of(r, "TB_per_s"), "H100, the same: bytes read and written", "TB/s", memory_B_per_s(board) * 1e-12));
}

/// Products for part of the time and whole waves of them.
void partial(const GpuCase& gpu, const Node& list, std::vector<Row>& rows) {
  for (const Node& r : listed(list, "duty")) {
    const ProductAlone product = product_of(gpu, r);
    const double Hz = product.brief_Hz(kelvin(r)), on_frac = number_of(r, "products_per_s") * product.seconds_at(Hz);
    const double on_W = kernel_W(gpu, product.model(), product.mix(), Hz, kelvin(r)),
                 off_W = kernel_W(gpu, product.model(), waiting(), product.highest_Hz(), kelvin(r));
    rows.push_back(judged(row_of(r, "watts"),
                          fmt::format("H100, {:.1f} bf16 products of 8192 per second at its highest clock",
                                      number_of(r, "products_per_s")),
                          "W", on_frac * on_W + (1.0 - on_frac) * off_W));
  }
  const ProductAlone product(gpu, workload::Precision::bf16, square);
  const double Hz = product.reference_Hz();
  const LabKernel kernel(gpu, gpu.compute.gemm_activity, {product.seconds_at(Hz) * Hz, 0.0});
  for (const Node& r : listed(list, "wave")) {
    const double half_s = 0.5 * number_of(r, "period_s");
    const auto W = wave_W(kernel, gpu, {gpu.power.tdp_W, half_s, number_of(r, "die_degC")});
    rows.push_back(judged(
        row_of(r, "peak_ratio"),
        fmt::format("H100, products for half of each {:g} s: highest reading over the limit", number_of(r, "period_s")),
        "", highest_mean_W(W, meter_window_s) / gpu.power.tdp_W));
  }
}

}  // namespace

std::vector<Row> evidence_record_rows(const Context&) {
  const Node list = evidence_file("evidence_record.toml");
  const GpuCase gpu = gpu_case(board);
  std::vector<Row> rows;
  rests(gpu, list, rows);
  limited(gpu, list, rows);
  copies(gpu, list, rows);
  partial(gpu, list, rows);
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
