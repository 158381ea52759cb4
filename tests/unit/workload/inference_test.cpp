#include "tidewatt/workload/inference.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

template <class Params>
Params read(const Node& node) {
  std::vector<Finding> findings;
  TableReader reader(node, "", findings);
  Params p;
  p.fields(reader);
  REQUIRE(findings.empty());
  return p;
}

std::string path(const char* name) { return std::string(TIDEWATT_SOURCE_DIR) + "/catalog/" + name; }

/// Llama 3 70B on 8 H100 per replica.
struct Case {
  ModelShape shape = read<ModelShape>(parse_toml_file(path("model/llama3_70b.toml")));
  ComputeParams gpu = read<ComputeParams>(parse_toml_file(path("compute/h100_sxm.toml")));
  NetworkParams network = read<NetworkParams>(parse_toml_file(path("network/dgx_h100_ndr.toml")));
  InferenceParams params;
  Case() {
    params.peak_requests_per_s = 1.0, params.hour_frac.assign(24, 1.0);
    params.prompt_tokens = 1000, params.output_tokens = 300, params.tp = 8, params.n_replica = 1;
    params.max_batch = 256, params.step_overhead_s = 1e-3;
  }
  InferenceService service() const { return InferenceService(shape, params, gpu, network); }
};

}  // namespace

TEST_CASE("light load: utilisation is arrivals times service time", "[workload][inference]") {
  const InferenceService s = Case().service();
  const double service_s = s.prefill_s(1.0) + 300.0 * s.step_s(1.0, 1.0);
  for (const double share : {0.01, 0.3, 0.999}) {
    const auto hour = s.steady(share / service_s, 1.0);
    CHECK(hour.batch == 1.0);
    CHECK(hour.prefill_frac + hour.decode_frac == Approx(share).epsilon(1e-12));
    CHECK(hour.backlog == 0.0);
  }
}

TEST_CASE("one decoding step reads the weights once", "[workload][inference]") {
  Case c;
  c.params.step_overhead_s = 0.0;
  const double weights_s = 2.0 * parameter_count(c.shape) / (8.0 * c.gpu.hbm_B_per_s * c.gpu.hbm_efficiency_frac);
  const InferenceService s = c.service();
  CHECK(s.step_s(1.0, 1.0) > weights_s);
  CHECK(s.step_s(1.0, 1.0) < 1.6 * weights_s);
  // Memory-bound: the clock does not matter; a prompt is matrix work: it does.
  CHECK(s.step_s(4.0, 0.8) == s.step_s(4.0, 1.0));
  CHECK(s.prefill_s(0.5) > 1.5 * s.prefill_s(1.0));
  CHECK(s.prefill_s(0.25) - s.prefill_s(0.5) == Approx(2.0 * (s.prefill_s(0.5) - s.prefill_s(1.0))).epsilon(1e-12));
  c.params.weight_bytes = 1;
  CHECK(s.step_s(1.0, 1.0) - c.service().step_s(1.0, 1.0) == Approx(0.5 * weights_s).epsilon(1e-9));
}

TEST_CASE("every request reads its own cache in every step", "[workload][inference]") {
  Case shorter, longer;
  longer.params.prompt_tokens = 3000;
  const double token_B = 2.0 * 80.0 * shorter.shape.kv_width() * 2.0;
  const double more_s = 2000.0 * token_B / (8.0 * shorter.gpu.hbm_B_per_s * shorter.gpu.hbm_efficiency_frac);
  for (const double batch : {1.0, 10.0, 50.0})
    CHECK(longer.service().step_s(batch, 1.0) - shorter.service().step_s(batch, 1.0) ==
          Approx(batch * more_s).epsilon(1e-9));
}

TEST_CASE("a full replica: the time is filled and Little's law holds", "[workload][inference]") {
  const InferenceService s = Case().service();
  const double light = 1.0 / (s.prefill_s(1.0) + 300.0 * s.step_s(1.0, 1.0));
  double last = 1.0;
  for (double load = 1.5 * light; load < 0.99 * s.capacity_per_s(1.0); load *= 1.5) {
    const auto hour = s.steady(load, 1.0);
    INFO(load << " per s, batch " << hour.batch);
    CHECK(hour.prefill_frac + hour.decode_frac == Approx(1.0).epsilon(1e-12));
    CHECK(hour.batch > last);
    // Requests in decoding = arrivals × their time in decoding.
    CHECK(hour.served_per_s * 300.0 * hour.token_latency_s == Approx(hour.batch).epsilon(1e-9));
    last = hour.batch;
  }
  CHECK(last > 3.0);
}

TEST_CASE("limits of batch, memory and latency set the capacity; the rest waits", "[workload][inference]") {
  Case c;
  const double free = c.service().capacity_per_s(1.0);
  const auto at = c.service().steady(free, 1.0);
  CHECK(at.batch == Approx(c.service().batch_limit()).epsilon(1e-6));
  c.params.token_latency_s = 0.5 * at.token_latency_s;
  const InferenceService quick = c.service();
  const double limited = quick.capacity_per_s(1.0);
  CHECK(limited < free);
  CHECK(quick.steady(limited, 1.0).token_latency_s == Approx(c.params.token_latency_s).epsilon(1e-6));
  const auto over = quick.steady(2.0 * limited, 1.0);
  CHECK(over.served_per_s == Approx(limited));
  CHECK(over.backlog == Approx(3600.0 * limited));
  // What fits beside the weights: at most the memory left over the cache of whole requests.
  c.params.max_batch = 100000;
  const double cache_B = 2.0 * 80 * c.shape.kv_width() * 2.0 * 1300.0;
  const double room_B = 8.0 * (c.gpu.hbm_capacity_B - c.gpu.hbm_reserved_B) - 2.0 * parameter_count(c.shape);
  CHECK(c.service().batch_limit() == std::floor(room_B / cache_B));
  c.params.tp = 1;
  CHECK_THROWS_AS(c.service(), InputError);
}

TEST_CASE("a day: every request is served or left, phases fill each period", "[workload][inference]") {
  Case c;
  const double capacity = c.service().capacity_per_s(1.0);
  for (std::size_t h = 0; h < 24; ++h) c.params.hour_frac[h] = h >= 9 && h < 18 ? 1.0 : 0.2;
  c.params.n_replica = 4, c.params.peak_requests_per_s = 4.0 * 1.2 * capacity;
  const InferenceService s = c.service();
  CHECK(s.n_gpu() == 32);
  const auto day = s.day(1.0);
  REQUIRE(day.size() == 24);
  double come = 0.0, served = 0.0;
  for (std::size_t h = 0; h < 24; ++h) {
    come += c.params.hour_frac[h] * 1.2 * capacity * 3600.0;
    served += day[h].served_per_s * 3600.0;
    const Timeline& t = day[h].timeline;
    Tick sum = 0, prefill = 0;
    for (const Segment& x : t.classes.at(0)) sum += x.duration, prefill += x.kind == 0 ? x.duration : 0;
    CHECK(sum == t.period);
    CHECK(seconds(prefill) / seconds(t.period) == Approx(day[h].prefill_frac).epsilon(1e-6));
  }
  CHECK(served + day.back().backlog == Approx(come).epsilon(1e-9));
  CHECK(day[12].backlog > 0.0);
  CHECK(day.back().backlog == 0.0);
  CHECK(day[18].served_per_s > day[8].served_per_s);  // the evening works off what the day left
}

TEST_CASE("energy per token: idle power is shared by few, weights by many", "[workload][inference]") {
  const InferenceService s = Case().service();
  const auto energy_per_token_J = [&](double requests_per_s) {  // 8 GPUs: 650 W in prefill, 400 W in decode, 120 W idle
    const InferenceHour hour = s.steady(requests_per_s, 1.0);
    const double idle_frac = 1.0 - hour.prefill_frac - hour.decode_frac;
    return 8.0 * (650.0 * hour.prefill_frac + 400.0 * hour.decode_frac + 120.0 * idle_frac) /
           (hour.served_per_s * 300.0);
  };
  const double service_s = s.prefill_s(1.0) + 300.0 * s.step_s(1.0, 1.0);
  const double busy_J = 8.0 * (650 * s.prefill_s(1.0) + 400 * 300.0 * s.step_s(1.0, 1.0));
  for (const double share : {0.1, 0.5}) {
    const double rate = share / service_s;
    const double idle_J = 8.0 * 120.0 * (1.0 / rate - service_s);
    CHECK(energy_per_token_J(rate) == Approx((busy_J + idle_J) / 300.0).epsilon(1e-9));
  }
  const double light = energy_per_token_J(0.99 / service_s);
  const double full = energy_per_token_J(s.capacity_per_s(1.0));
  INFO(light << " J per token alone, " << full << " J at capacity");
  CHECK(full < 0.1 * light);
}

TEST_CASE("a service without a sense is refused", "[workload][inference]") {
  Case c;
  c.params.hour_frac.pop_back();
  CHECK_THROWS_AS(c.service(), InputError);
  Case d;
  d.params.output_tokens = 0;
  CHECK_THROWS_AS(d.service(), InputError);
  CHECK_THROWS_AS(Case().service().steady(-1.0, 1.0), InputError);
  const auto nobody = Case().service().steady(0.0, 1.0);
  CHECK(nobody.timeline.classes.at(0).size() == 1);
  CHECK(nobody.timeline.classes[0][0].kind == 2);
}
