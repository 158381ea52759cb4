#include "tidewatt/workload/inference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

constexpr double activation_B = 2.0;  // bf16
constexpr double inf = std::numeric_limits<double>::infinity();

void check(const InferenceParams& p) {
  if (p.hour_frac.size() != 24)
    throw InputError(fmt::format("inference: {} shares of the peak, one per hour wanted", p.hour_frac.size()));
  for (const double x : p.hour_frac)
    if (!(x >= 0.0)) throw InputError(fmt::format("inference: a share of {} of the peak", x));
  if (p.prompt_tokens < 1 || p.output_tokens < 1 || p.tp < 1 || p.n_replica < 1 || p.max_batch < 1 ||
      !(p.peak_requests_per_s >= 0.0))
    throw InputError(fmt::format("inference: {} prompt and {} output tokens, tp {}, {} replicas, batch {}",
                                 p.prompt_tokens, p.output_tokens, p.tp, p.n_replica, p.max_batch));
}

}  // namespace

void InferenceParams::fields(FieldVisitor& v) {
  v.number("peak_requests_per_s", peak_requests_per_s, {0, 1e9}, "requests of the whole service at its peak");
  v.numbers("hour_frac", hour_frac, {0, 1}, "24 fractions of the peak, from local midnight");
  v.integer("prompt_tokens", prompt_tokens, {1, 1e7}, "mean length of a prompt");
  v.integer("output_tokens", output_tokens, {1, 1e7}, "mean length of an answer");
  v.integer("tp", tp, {1, 1024}, "GPUs of one replica");
  v.integer("n_replica", n_replica, {1, 1e6}, "replicas");
  v.integer("max_batch", max_batch, {1, 1e5}, "requests decoded together at most");
  v.number("token_latency_ms", token_latency_s, {0, 1e5}, "highest allowed mean time between tokens, 0 = no limit",
           Need::optional);
  v.number("step_overhead_ms", step_overhead_s, {0, 1e3}, "scheduler and launches per decoding step");
  v.integer("weight_bytes", weight_bytes, {1, 4}, "bytes per weight", Need::optional);
  v.integer("kv_bytes", kv_bytes, {1, 4}, "bytes per element of the cache", Need::optional);
}

InferenceService::InferenceService(const ModelShape& shape, const InferenceParams& params, const ComputeParams& gpu,
                                   const NetworkParams& network)
    : params_(params), gpu_(gpu) {
  check(params_);
  const auto tp = static_cast<double>(params_.tp), layers = static_cast<double>(shape.layers);
  const auto prompt = static_cast<double>(params_.prompt_tokens), output = static_cast<double>(params_.output_tokens);
  const double gemm_rate = gpu_.matrix_FLOP_per_s * gpu_.matrix_efficiency_frac * tp;
  const double hbm_rate = gpu_.hbm_B_per_s * gpu_.hbm_efficiency_frac * tp;
  const double token_flops = layers * layer_linear_flops(shape) + head_flops(shape);
  const Link link = group_link(network, {params_.tp, 1});
  const auto reduce_s = [&](double tokens) {  // two all-reduces per layer
    return 2.0 * layers * all_reduce_s(tokens * static_cast<double>(shape.width) * activation_B, params_.tp, link);
  };
  prefill_.gemm_s = prompt * layers * layer_linear_flops(shape) / gemm_rate + head_flops(shape) / gemm_rate;
  prefill_.attention_s = prompt * layers * layer_attention_flops(shape, prompt, AttentionCount::causal) /
                         (gpu_.matrix_FLOP_per_s * gpu_.attention_efficiency_frac * tp);
  prefill_.link_s = reduce_s(prompt);
  const double weights_B = parameter_count(shape) * static_cast<double>(params_.weight_bytes);
  const double token_cache_B = 2.0 * layers * shape.kv_width() * static_cast<double>(params_.kv_bytes);
  weights_s_ = weights_B / hbm_rate;
  matrix_s_ = token_flops / gemm_rate;
  cache_s_ = token_cache_B * (prompt + 0.5 * output) / hbm_rate;
  // Small messages go straight through the switch: reduce-scatter and all-gather of one hop each instead of a ring.
  const bool several = params_.tp > 1;
  link_base_s_ = several ? 2.0 * layers * 2.0 * link.latency_s : 0.0;
  link_s_ = reduce_s(1.0) - reduce_s(0.0);
  link_frac_ = params_.tp > 1 ? network.nvlink_efficiency_frac : 0.0;
  const double room_B = (gpu_.hbm_capacity_B - gpu_.hbm_reserved_B) * tp - weights_B;
  batch_limit_ =
      std::min(static_cast<double>(params_.max_batch), std::floor(room_B / (token_cache_B * (prompt + output))));
  if (!(batch_limit_ >= 1.0))
    throw InputError(fmt::format("inference: weights of {:.1f} GB and one cache of {:.2f} GB on {} GPUs of {:.1f} GB",
                                 weights_B * 1e-9, token_cache_B * (prompt + output) * 1e-9, params_.tp,
                                 (gpu_.hbm_capacity_B - gpu_.hbm_reserved_B) * 1e-9));
}

double InferenceService::prefill_s(double pace) const {
  return (prefill_.gemm_s + prefill_.attention_s) / pace + prefill_.memory_s + prefill_.link_s;
}

/// One step; the linear layers are either bound by memory or by the matrix units.
Work InferenceService::decode_work(double batch, double pace) const {
  Work w;
  w.memory_s = batch * cache_s_;
  (batch * matrix_s_ / pace > weights_s_ ? w.gemm_s : w.memory_s) +=
      batch * matrix_s_ / pace > weights_s_ ? batch * matrix_s_ : weights_s_;
  w.link_s = link_base_s_ + batch * link_s_;
  return w;
}

double InferenceService::step_s(double batch, double pace) const {
  const Work w = decode_work(batch, pace);
  return w.gemm_s / pace + w.memory_s + w.link_s + params_.step_overhead_s;
}

/// λ t_p + λ o t(b)/b = 1 solved for b: with r = (1 - λ t_p)/(λ o) per token, b = (t_w + t_0)/(r - t_b) while weights
/// take longer than matrix work, else t_0/(r - t_c - t_b). Infinite beyond capacity.
double InferenceService::batch_for(double requests_per_s, double pace) const {
  const double token_s =
      (1.0 - requests_per_s * prefill_s(pace)) / (requests_per_s * static_cast<double>(params_.output_tokens));
  const double base_s = link_base_s_ + params_.step_overhead_s, each_s = cache_s_ + link_s_,
               matrix_s = matrix_s_ / pace;
  if (token_s <= each_s) return inf;
  const double reading = (weights_s_ + base_s) / (token_s - each_s);
  if (reading * matrix_s <= weights_s_) return reading;
  return token_s > each_s + matrix_s ? base_s / (token_s - each_s - matrix_s) : inf;
}

double InferenceService::token_latency_s(double batch, double requests_per_s, double pace) const {
  return step_s(batch, pace) / (1.0 - requests_per_s * prefill_s(pace));
}

bool InferenceService::within_limits(double requests_per_s, double pace) const {
  const double batch = std::max(1.0, batch_for(requests_per_s, pace));
  if (batch > batch_limit_) return false;
  return params_.token_latency_s == 0.0 || token_latency_s(batch, requests_per_s, pace) <= params_.token_latency_s;
}

double InferenceService::capacity_per_s(double pace) const {
  double lo = 0.0, hi = 1.0 / prefill_s(pace);
  for (int i = 0; i < 100; ++i) {  // both limits are passed once as λ rises
    const double middle = 0.5 * (lo + hi);
    (within_limits(middle, pace) ? lo : hi) = middle;
  }
  return lo;
}

InferenceHour InferenceService::steady(double requests_per_s, double pace) const {
  if (!(requests_per_s >= 0.0) || !(pace > 0.0))
    throw InputError(fmt::format("inference: {} requests per second at pace {}", requests_per_s, pace));
  InferenceHour hour;
  hour.offered_per_s = requests_per_s;
  hour.served_per_s = std::min(requests_per_s, capacity_per_s(pace));
  hour.backlog = (requests_per_s - hour.served_per_s) * 3600.0;
  if (hour.served_per_s > 0.0) {
    hour.batch = std::max(1.0, batch_for(hour.served_per_s, pace));
    hour.token_latency_s = token_latency_s(hour.batch, hour.served_per_s, pace);
    hour.prefill_frac = hour.served_per_s * prefill_s(pace);
    hour.decode_frac =
        hour.served_per_s * static_cast<double>(params_.output_tokens) * step_s(hour.batch, pace) / hour.batch;
  }
  make_timeline(hour, pace);
  return hour;
}

void InferenceService::make_timeline(InferenceHour& hour, double pace) const {
  Timeline& t = hour.timeline;
  Work decode = decode_work(std::max(1.0, hour.batch), pace);
  decode.link_s += params_.step_overhead_s;
  t.kinds = {make_kind("prefill", prefill_, gpu_, link_frac_), make_kind("decode", decode, gpu_, link_frac_), {}};
  t.kinds[2].name = "idle";
  t.kinds[2].wait_s = 1.0;
  t.period = hour.served_per_s > 0.0 ? to_tick(1.0 / hour.served_per_s) : 3600 * ns_per_s;
  const Tick prefill = std::min(t.period, to_tick(seconds(t.period) * hour.prefill_frac));
  const Tick decoding = std::min(t.period - prefill, to_tick(seconds(t.period) * hour.decode_frac));
  t.classes.assign(1, {});
  for (const auto& [length, kind] : {std::pair{prefill, 0u}, {decoding, 1u}, {t.period - prefill - decoding, 2u}})
    if (length > 0) t.classes[0].push_back({length, kind});
}

std::vector<InferenceHour> InferenceService::day(double pace, double backlog) const {
  std::vector<InferenceHour> out;
  for (const double share : params_.hour_frac) {
    const double fresh_per_s = share * params_.peak_requests_per_s / static_cast<double>(params_.n_replica);
    out.push_back(steady(fresh_per_s + backlog / 3600.0, pace));
    backlog = out.back().backlog;
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::workload
