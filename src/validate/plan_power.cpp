#include "plan_power.hpp"

#include <algorithm>
#include <cmath>

#include "fleet/step_lengths.hpp"
#include "limited_plan.hpp"
#include "silicon.hpp"
#include "tidewatt/workload/jitter.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double fan_frac = 0.0;
constexpr std::int64_t n_iteration = 200;  // whose mean scatter is taken

workload::Scatter mean_scatter(double sigma_frac, std::int64_t replicas, double period_s) {
  if (!(sigma_frac > 0.0)) return {};
  workload::JitterParams params;
  params.sigma_frac = sigma_frac;
  const workload::Jitter jitter(params, 1, 0, replicas);
  workload::Scatter out;
  double sum = 0.0;
  for (std::int64_t i = 0; i < n_iteration; ++i) sum += jitter.excess_frac(i);
  out.excess = to_tick(period_s * sum / static_cast<double>(n_iteration));
  for (std::int64_t r = 0; r < replicas; ++r)
    out.late.push_back(std::min(out.excess, to_tick(period_s * jitter.quantile_frac(r, replicas))));
  return out;
}

}  // namespace

PlanPower plan_power(const std::string& gpu_name, const std::string& server_name, const workload::IterationModel& model,
                     double scatter_frac, double die_K) {
  const ServerCase server = server_case(server_name);
  auto plan = limited_plan(gpu_name, 0.0, model);
  const double period_s = seconds(model.iteration(plan.pace).period);
  PlanPower out{model.iteration(plan.pace, mean_scatter(scatter_frac, model.dp(), period_s)), {}};
  fleet::split_after_waits(out.timeline);
  out.node_W = gpu_powers(plan, model, out.timeline, plan.pace, die_K);
  const double n_gpu = static_cast<double>(server.power.n_gpu);
  for (auto& segments : out.node_W)
    for (double& W : segments) W = power::server_power(server.power, n_gpu * W, fan_frac, true).ac_W;
  return out;
}

connection::LoadTemplate PlanPower::mean_node() const {
  fleet::ClassPower share = node_W;
  for (auto& segments : share)
    for (double& W : segments) W /= static_cast<double>(node_W.size());
  return connection::make_load_template(timeline, share);
}

std::vector<double> PlanPower::class_mean_W() const {
  std::vector<double> out;
  for (std::size_t c = 0; c < node_W.size(); ++c) {
    double J = 0.0;
    for (std::size_t i = 0; i < node_W[c].size(); ++i) J += node_W[c][i] * seconds(timeline.classes[c][i].duration);
    out.push_back(J / seconds(timeline.period));
  }
  return out;
}

std::vector<double> through_meters(const std::vector<double>& W, double step_s, double window_s, double lag_s) {
  const std::size_t n = W.size();
  std::vector<double> mean = W;
  const std::size_t width = std::min(n, static_cast<std::size_t>(std::lround(window_s / step_s)));
  if (width > 1) {
    double sum = 0.0;
    for (std::size_t i = 0; i < width; ++i) sum += W[n - width + i];
    for (std::size_t i = 0; i < n; ++i) {
      sum += W[i] - W[(i + n - width) % n];
      mean[i] = sum / static_cast<double>(width);
    }
  }
  if (!(lag_s > 0.0)) return mean;
  const double keep = std::exp(-step_s / lag_s);
  std::vector<double> out(n);
  double y = mean.back();
  const auto passes =
      static_cast<int>(2.0 + 40.0 * lag_s / (step_s * static_cast<double>(n)));  // until the start is forgotten
  for (int pass = 0; pass < passes; ++pass)
    for (std::size_t i = 0; i < n; ++i) out[i] = y = mean[i] + keep * (y - mean[i]);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
