#include "gpu_step.hpp"

#include <numeric>

namespace TIDEWATT_NAMESPACE::sim {

const JobSpec* sole_job(const Scenario& s) {
  if (s.halls.size() != 1 || s.jobs.size() != 1) return nullptr;
  const JobSpec& job = s.jobs.front();
  return job.plan.n_gpu == s.halls.front().hall.n_gpu ? &job : nullptr;
}

GpuStep gpu_step(const Scenario& s) {
  GpuStep out;
  const auto add = [&](const char* what, std::int64_t n_gpu) {
    out.parts.push_back({what, n_gpu});
    out.n_gpu = std::lcm(out.n_gpu, n_gpu);
  };
  const std::int64_t per_server = s.halls.front().server.n_gpu;
  add("servers", per_server);
  for (const auto& h : s.halls)
    if (h.rack) add("racks", h.rack->power.n_gpu());
  for (const auto& j : s.jobs) add("scale-up domains", j.network.domain_gpus());
  const JobSpec* job = sole_job(s);
  if (job == nullptr) return out;
  const auto& p = job->plan;
  const std::int64_t block = p.tp * p.cp;
  add("replicas", block * p.pp);
  // Ranks of one pipeline stage, tp × cp × dp, hold whole expert groups, and where they are neighbours whole servers.
  if (p.ep > 1) add("expert groups", p.pp * std::lcm(p.ep, block));
  if (p.pp > 1 && p.rank_order == "tp-cp-dp-pp")
    add("pipeline stages of whole servers", p.pp * std::lcm(per_server, block));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::sim
