#include "hardware_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/site_params.hpp"
#include "sim/weighted_mean.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/look_up.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Figures = std::vector<std::pair<std::string, sim::Value>>;

void put_after(Figures& figures, std::string_view key, const char* name, sim::Value value) {
  const auto at = std::find_if(figures.begin(), figures.end(), [&](const auto& f) { return f.first == key; });
  figures.insert(at == figures.end() ? at : at + 1, {name, std::move(value)});
}

/// Jobs stand one behind the other; all halls of a job have the same GPUs.
const sim::HallSpec& hall_of(const sim::Scenario& s, std::int64_t gpu) {
  for (const auto& h : s.halls) {
    if (gpu < h.hall.n_gpu) return h;
    gpu -= h.hall.n_gpu;
  }
  return s.halls.front();
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
  std::vector<std::string> formats;
  std::set<std::int64_t> domains;
  sim::WeightedMean peak;
  std::int64_t first_gpu = 0;
  for (const auto& job : s.jobs) {
    domains.insert(job.network.domain_gpus());
    if (std::find(formats.begin(), formats.end(), job.plan.precision) == formats.end())
      formats.push_back(job.plan.precision);
    peak.add(static_cast<double>(job.plan.n_gpu),
             workload::peak_FLOP_per_s(hall_of(s, first_gpu).compute, job.plan.linear_precision()));
    first_gpu += job.plan.n_gpu;
  }
  if (domains.size() == 1) out.scale_up_gpus = *domains.begin();
  out.peak_FLOP_per_s = peak.value();
  for (const auto& f : formats) out.precision += (out.precision.empty() ? "" : ", ") + f;
  return out;
}

void add_hardware_figures(const HardwareFigures& h, sim::Result& result) {
  if (result.summary.empty()) return;
  auto& s = result.summary;
  const double J = sim::figure(result, "pcc_mean_MW") * 1e6 * sim::figure(result, "simulated_s");
  put_after(s, "n_gpu", "scale_up_gpus", h.scale_up_gpus > 0 ? sim::Value(h.scale_up_gpus) : sim::Value());
  put_after(s, "n_gpu", "n_rack", h.n_rack);
  put_after(s, "mfu_percent", "precision", h.precision);
  put_after(s, "mfu_percent", "peak_FLOP_per_s", h.peak_FLOP_per_s);
  put_after(s, "tokens_per_s_mean", "tokens_per_J", J > 0.0 ? sim::Value(tokens_of(result) / J) : sim::Value());
}

std::string hardware_text(const HardwareFigures& h) {
  const std::string domains =
      h.scale_up_gpus > 0 ? fmt::format("scale-up domains of {} GPUs", h.scale_up_gpus) : "several scale-up domains";
  return fmt::format("{} rack{}, {}, {:.4g} PFLOP/s per GPU in {}\n", h.n_rack, h.n_rack == 1 ? "" : "s", domains,
                     1e-15 * h.peak_FLOP_per_s, h.precision);
}

}  // namespace TIDEWATT_NAMESPACE::study
