#include "hardware_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/site_params.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/look_up.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Figures = std::vector<std::pair<std::string, sim::Value>>;

void put_after(Figures& figures, std::string_view key, const char* name, sim::Value value) {
  const auto at = std::find_if(figures.begin(), figures.end(), [&](const auto& f) { return f.first == key; });
  figures.insert(at == figures.end() ? at : at + 1, {name, std::move(value)});
}

double tokens_of(const sim::Result& result) {
  double tokens = 0.0;
  for (const auto& job : result.jobs)
    for (const auto& [key, value] : job)
      if (key == "tokens") tokens += std::get<double>(value);
  return tokens;
}

}  // namespace

HardwareFigures hardware_figures(const sim::Scenario& s) {
  if (s.halls.empty() || s.jobs.empty()) throw InputError("a scenario needs a hall and a job to have machines");
  HardwareFigures out;
  for (const auto& h : s.halls) out.n_rack += sim::n_rack(h);
  const auto& job = s.jobs.front();
  out.scale_up_gpus = job.network.domain_gpus();
  out.peak_FLOP_per_s = workload::peak_FLOP_per_s(s.halls.front().compute, job.plan.linear_precision());
  out.precision = job.plan.precision;
  return out;
}

void add_hardware_figures(const HardwareFigures& h, sim::Result& result) {
  if (result.summary.empty()) return;
  auto& s = result.summary;
  const double J = sim::figure(result, "pcc_mean_MW") * 1e6 * sim::figure(result, "simulated_s");
  put_after(s, "n_gpu", "scale_up_gpus", h.scale_up_gpus);
  put_after(s, "n_gpu", "n_rack", h.n_rack);
  put_after(s, "mfu_percent", "precision", h.precision);
  put_after(s, "mfu_percent", "peak_FLOP_per_s", h.peak_FLOP_per_s);
  put_after(s, "tokens_per_s_mean", "tokens_per_J", J > 0.0 ? sim::Value(tokens_of(result) / J) : sim::Value());
}

std::string hardware_text(const HardwareFigures& h) {
  return fmt::format("{} rack{}, scale-up domains of {} GPUs, {:.4g} PFLOP/s per GPU in {}\n", h.n_rack,
                     h.n_rack == 1 ? "" : "s", h.scale_up_gpus, 1e-15 * h.peak_FLOP_per_s, h.precision);
}

}  // namespace TIDEWATT_NAMESPACE::study
