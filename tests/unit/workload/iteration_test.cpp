#include "tidewatt/workload/iteration.hpp"

#include <numeric>

#include "cases.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

Tick sum_of(const std::vector<Segment>& segments) {
  return std::accumulate(segments.begin(), segments.end(), Tick{0},
                         [](Tick t, const Segment& s) { return t + s.duration; });
}

IterationModel llama3(std::int64_t n_gpu, const ComputeParams& gpu = cases::h100(),
                      const NetworkParams& net = cases::roce()) {
  return {cases::llama3_405b(), cases::llama3_plan(n_gpu), gpu, net};
}

double period_s(const IterationModel& model, double pace) { return seconds(model.iteration({{pace}}).period); }

ParallelPlan small_plan() {
  ParallelPlan p;
  p.n_gpu = 64, p.tp = 4, p.pp = 4, p.micro_batch_sequences = 2, p.global_batch_sequences = 64,
  p.sequence_tokens = 2048;
  p.recompute = "full", p.rank_order = "tp-cp-dp-pp", p.fused_attention = true, p.sharding = "zero1";
  return p;
}

ModelShape small_model() { return cases::gpt(32, 4096, 32); }

}  // namespace

TEST_CASE("every class adds up to the period, to the nanosecond", "[workload][iteration]") {
  const IterationModel model = llama3(16384);
  const Timeline t = model.iteration({{0.80, 0.81, 0.8, 0.79}});
  REQUIRE(t.classes.size() == 4u * 16u);
  for (const auto& c : t.classes) {
    CHECK(sum_of(c) == t.period);
    for (const auto& s : c) CHECK((s.duration > 0 && s.kind < t.kinds.size()));
  }
  CHECK(t.classes[0].size() == t.classes[32].size());  // equal pace, equal timeline
  for (std::size_t s = 0; s < 16; ++s)
    for (std::size_t i = 0; i < t.classes[s].size(); ++i)
      CHECK((t.classes[s][i].duration == t.classes[32 + s][i].duration &&
             t.classes[s][i].kind == t.classes[32 + s][i].kind));
  const Timeline e = model.evaluation({{0.8, 0.7}}, 2);
  for (const auto& c : e.classes) CHECK(sum_of(c) == e.period);
  CHECK(model.hold(t.kinds[0], 77, 3).classes.size() == 48);
}

TEST_CASE("work done does not depend on the schedule or on who waits", "[workload][iteration]") {
  const IterationModel model = llama3(8192);
  const auto work = [](const Timeline& t, std::size_t c, std::uint32_t kind) {
    Tick sum = 0;
    for (const auto& s : t.classes[c]) sum += s.kind == kind ? s.duration : 0;
    return sum;
  };
  const Timeline alone = model.iteration({{0.8}}), mixed = model.iteration({{0.8, 0.7}});
  for (const std::uint32_t kind : {0u, 1u, 2u, 3u, 4u, 5u, 8u})
    for (std::size_t s = 0; s < 16; ++s) CHECK(work(alone, s, kind) == work(mixed, s, kind));
  CHECK(mixed.period == model.iteration({{0.7}}).period);  // the slowest group sets the period
  CHECK(mixed.period > alone.period);
  // 32 micro-batches through a forward pass of given length, whatever the order.
  const PhaseKind& f = alone.kinds[2];
  CHECK(work(alone, 5, 2) == 32 * 8 * to_tick(f.matrix_s / 0.8 + f.memory_s + f.link_s));
}

TEST_CASE("half of any bandwidth never speeds anything up", "[workload][iteration]") {
  const double base = period_s(llama3(16384), 0.8);
  ComputeParams gpu = cases::h100();
  gpu.hbm_B_per_s /= 2;
  CHECK(period_s(llama3(16384, gpu), 0.8) > base);
  gpu = cases::h100();
  gpu.matrix_FLOP_per_s /= 2;
  CHECK(period_s(llama3(16384, gpu), 0.8) > 1.5 * base);
  NetworkParams net = cases::roce();
  net.nvlink_B_per_s /= 2;
  CHECK(period_s(llama3(16384, cases::h100(), net), 0.8) > base);
  net = cases::roce();
  net.nic_B_per_s /= 2;
  CHECK(period_s(llama3(16384, cases::h100(), net), 0.8) > base);
  net = cases::roce();
  net.nic_latency_s *= 10;
  CHECK(period_s(llama3(16384, cases::h100(), net), 0.8) > base);
}

TEST_CASE("a slower clock costs its elastic share, no more than all of it", "[workload][iteration]") {
  const IterationModel model = llama3(16384);
  const PhaseKind &f = model.kinds()[2], &b = model.kinds()[3];
  const double elastic = (f.matrix_s + b.matrix_s) / (f.reference_s() + b.reference_s());
  const double fast = period_s(model, 1.0), slow = period_s(model, 0.9);
  CHECK(slow / fast < 1.0 / 0.9);
  CHECK(slow / fast > 1.0 + (1.0 / 0.9 - 1.0) * (elastic - 0.05));  // exchange and transfers outside the passes
  CHECK(elastic > 0.7);
  CHECK(elastic < 0.95);
}

TEST_CASE("one stage, one chunk: the iteration is its micro-batches", "[workload][iteration]") {
  ParallelPlan p = small_plan();
  p.pp = 1, p.n_gpu = 16;
  const IterationModel model(small_model(), p, cases::a100(), cases::selene());
  const Timeline t = model.iteration({{1.0}});
  REQUIRE(t.classes.size() == 1);
  Tick waits = 0, passes = 0;
  for (const auto& s : t.classes[0]) {
    waits += s.kind == 6 ? s.duration : 0;
    passes += s.kind < 6 ? s.duration : 0;
  }
  CHECK(waits == 0);
  CHECK(passes == p.micro_batches() * (to_tick(t.kinds[0].reference_s()) + to_tick(t.kinds[1].reference_s())));
}

TEST_CASE("overlap hides communication, recomputation costs a forward pass", "[workload][iteration]") {
  ParallelPlan p = small_plan();
  const auto period = [](const ParallelPlan& plan) {
    return IterationModel(small_model(), plan, cases::a100(), cases::selene()).iteration({{1.0}}).period;
  };
  const Tick base = period(p);
  p.dp_overlap = true;
  CHECK(period(p) < base);
  p = small_plan(), p.pp_overlap = true;
  CHECK(period(p) < base);
  p = small_plan(), p.tp_overlap_frac = 0.8;
  CHECK(period(p) < base);
  p = small_plan(), p.recompute = "none";
  CHECK(static_cast<double>(period(p)) / static_cast<double>(base) == Approx(0.75).margin(0.03));
  p = small_plan(), p.virtual_stages = 2;
  CHECK(period(p) < base);
}

TEST_CASE("halving the micro-batches per replica raises the bubble share", "[workload][iteration]") {
  const auto per_gpu = [](std::int64_t n) {
    const IterationModel model = llama3(n);
    return model.model_flops_per_iteration() / static_cast<double>(n) / period_s(model, 0.8);
  };
  // Bubble alone: (1 + 15/256) / (1 + 15/128); exposed communication adds to it.
  const double ratio = per_gpu(16384) / per_gpu(8192), bubble_only = (1 + 15.0 / 256) / (1 + 15.0 / 128);
  CHECK(ratio < bubble_only);
  CHECK(ratio > 0.97 * bubble_only);
}

TEST_CASE("ranks map to stages and replicas in the named order", "[workload][iteration]") {
  const IterationModel model = llama3(16384);
  CHECK(model.stage_of_gpu(7) == 0);
  CHECK(model.stage_of_gpu(8) == 1);
  CHECK(model.replica_of_gpu(127) == 0);
  CHECK(model.replica_of_gpu(128) == 1);
  const IterationModel megatron(small_model(), small_plan(), cases::a100(), cases::selene());
  CHECK(megatron.replica_of_gpu(4) == 1);
  CHECK(megatron.stage_of_gpu(15) == 0);
  CHECK(megatron.stage_of_gpu(16) == 1);
}

TEST_CASE("a bad pace or plan is an input error", "[workload][iteration]") {
  const IterationModel model = llama3(16384);
  CHECK_THROWS_AS(model.iteration({}), InputError);
  CHECK_THROWS_AS(model.iteration({{0.0}}), InputError);
  CHECK_THROWS_AS(model.iteration(std::vector<double>(129, 1.0)), InputError);
  CHECK_THROWS_AS(model.evaluation({{1.0}}, 0), InputError);
  ParallelPlan p = cases::llama3_plan(16384);
  p.pp = 5;
  CHECK_THROWS_AS(IterationModel(cases::llama3_405b(), p, cases::h100(), cases::roce()), InputError);
}
