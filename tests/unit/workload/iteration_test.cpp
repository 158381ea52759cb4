#include "workload/iteration.hpp"

#include <algorithm>
#include <ctime>
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

TEST_CASE("no plan gains from slower hardware", "[workload][iteration]") {
  std::vector<std::pair<ModelShape, ParallelPlan>> cases_of;
  cases_of.emplace_back(cases::llama3_405b(), cases::llama3_plan(16384));
  ParallelPlan p = cases::llama3_plan(16384);
  p.cp = 16, p.sequence_tokens = 131072, p.global_batch_sequences = 128;
  cases_of.emplace_back(cases::llama3_405b(), p);
  p = cases::llama3_plan(8192), p.pp_overlap = p.dp_overlap = false, p.tp_overlap_frac = 0.7;
  cases_of.emplace_back(cases::llama3_405b(), p);
  p = small_plan(), p.sharding = "zero3", p.dp_overlap = true;
  cases_of.emplace_back(small_model(), p);
  cases_of.emplace_back(small_model(), small_plan());
  cases_of.emplace_back(cases::deepseek_v3(), cases::deepseek_plan());
  p = cases::deepseek_plan(), p.ep_overlap_frac = 0.0, p.sharding = "zero2", p.rank_order = "tp-cp-pp-dp";
  cases_of.emplace_back(cases::deepseek_v3(), p);
  const std::vector<void (*)(ComputeParams&, NetworkParams&)> slower = {
      [](ComputeParams& g, NetworkParams&) { g.hbm_B_per_s /= 2; },
      [](ComputeParams& g, NetworkParams&) { g.matrix_FLOP_per_s /= 2, g.fp8_FLOP_per_s /= 2; },
      [](ComputeParams& g, NetworkParams&) { g.overlap_tax_frac *= 2; },
      [](ComputeParams&, NetworkParams& n) { n.nvlink_B_per_s /= 2; },
      [](ComputeParams&, NetworkParams& n) { n.nic_B_per_s /= 2; },
      [](ComputeParams&, NetworkParams& n) { n.nics_per_node /= 2; },
      [](ComputeParams&, NetworkParams& n) { n.p2p_efficiency_frac /= 2; },
      [](ComputeParams&, NetworkParams& n) { n.nic_latency_s *= 2; },
      [](ComputeParams&, NetworkParams& n) { n.pod_oversubscription_ratio *= 4; },
      [](ComputeParams&, NetworkParams& n) { n.pod_gpus /= 4; }};
  for (const auto& [shape, plan] : cases_of) {
    const double base_s = period_s({shape, plan, cases::h100(), cases::roce()}, 0.8);
    for (std::size_t i = 0; i < slower.size(); ++i) {
      INFO("hardware " << i << ", " << plan.n_gpu << " GPUs, " << plan.sharding);
      ComputeParams gpu = cases::h100();
      NetworkParams net = cases::roce();
      slower[i](gpu, net);
      CHECK(period_s({shape, plan, gpu, net}, 0.8) >= base_s - 1e-7);  // rounding of ticks
    }
  }
}

TEST_CASE("a slower clock costs its elastic share at least", "[workload][iteration]") {
  // The period is the longest of many paths, each linear in 1/pace, so it is convex in 1/pace: a slowdown by x costs at
  // least x times the elastic share, which is the slope at full clock, and no more than x.
  for (const ParallelPlan& plan : {cases::llama3_plan(16384), cases::llama3_plan(8192)}) {
    const IterationModel model(cases::llama3_405b(), plan, cases::h100(), cases::roce());
    const double full_s = period_s(model, 1.0), h = 1e-4;
    const double elastic = (period_s(model, 1.0 / (1.0 + h)) / full_s - 1.0) / h;
    CHECK(elastic > 0.7);
    CHECK(elastic < 0.95);
    for (const double x : {0.01, 0.05, 0.1, 0.3}) {
      const double slowdown = period_s(model, 1.0 / (1.0 + x)) / full_s - 1.0;
      CHECK(slowdown >= x * elastic * (1.0 - 1e-5));
      CHECK(slowdown <= x);
      // One slow GPU gates its replica, and that replica everyone.
      const double one_slow = seconds(model.iteration({{1.0, 1.0, 1.0 / (1.0 + x)}}).period) / full_s - 1.0;
      CHECK(one_slow == slowdown);
    }
    // The middle stages' passes alone are that elastic; what is exposed outside them is not.
    const PhaseKind &f = model.kinds()[2], &b = model.kinds()[3];
    CHECK(elastic <= (f.matrix_s + b.matrix_s) / (f.reference_s() + b.reference_s()) + 0.02);
  }
}

TEST_CASE("total work is the same under any schedule", "[workload][iteration]") {
  // Chunks, stages and overlap move passes about; the seconds of matrix products of the whole model stay.
  const auto matrix_s = [](ParallelPlan p) {
    const IterationModel model(small_model(), p, cases::a100(), cases::selene());
    const Timeline t = model.iteration({{1.0}});
    double sum_s = 0.0;
    for (const auto& c : t.classes)
      for (const auto& s : c) {
        const PhaseKind& k = t.kinds[s.kind];
        sum_s += k.matrix_s / k.reference_s() * seconds(s.duration);
      }
    return sum_s * static_cast<double>(model.dp());
  };
  const double base_s = matrix_s(small_plan());
  ParallelPlan p = small_plan();
  p.virtual_stages = 4;
  CHECK(matrix_s(p) == Approx(base_s).epsilon(1e-6));
  p = small_plan(), p.virtual_stages = 2, p.pp_overlap = p.dp_overlap = true;
  CHECK(matrix_s(p) == Approx(base_s).epsilon(1e-6));
  p = small_plan(), p.pp = 8;  // half the replicas, twice the stages
  CHECK(matrix_s(p) == Approx(base_s).epsilon(1e-6));
}

TEST_CASE("a mixture of experts adds up, gates and pays for its exchange", "[workload][iteration]") {
  const auto run = [](const ParallelPlan& p, const NetworkParams& net, const ModelShape& m = cases::deepseek_v3()) {
    return IterationModel(m, p, cases::h100(), net).iteration({{0.85, 0.8}});
  };
  const ParallelPlan plan = cases::deepseek_plan();
  const Timeline t = run(plan, cases::roce());
  for (const auto& c : t.classes) CHECK(sum_of(c) == t.period);
  // Three dense layers: one in the first virtual stage, two in the second, whose passes are kinds of their own.
  REQUIRE(t.kinds.size() == 12);
  CHECK(t.kinds[10].name == "forward_early");
  CHECK(std::any_of(t.classes[1].begin(), t.classes[1].end(), [](const Segment& s) { return s.kind == 10; }));
  CHECK(std::none_of(t.classes[2].begin(), t.classes[2].end(), [](const Segment& s) { return s.kind >= 10; }));
  NetworkParams half = cases::roce();
  half.nic_B_per_s /= 2;
  CHECK(run(plan, half).period > t.period);
  half = cases::roce(), half.nvlink_B_per_s /= 2;
  CHECK(run(plan, half).period >= t.period);
  ParallelPlan p = plan;
  p.expert_imbalance_ratio = 1.5;
  CHECK(run(p, cases::roce()).period > t.period);
  p = plan, p.ep_overlap_frac = 0.0;
  CHECK(run(p, cases::roce()).period > t.period);
  p = plan, p.precision = "bf16";
  CHECK(run(p, cases::roce()).period > t.period);
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

TEST_CASE("replicas that scatter lengthen the iteration by the slowest's excess, and only by waiting",
          "[workload][iteration]") {
  const IterationModel model = llama3(16384);
  const std::vector<double> pace = {0.80, 0.81, 0.80, 0.82};
  const Timeline calm = model.iteration(pace);
  const Timeline t = model.iteration(pace, {{10'000'000, 0, 25'000'000, 40'000'000}, 40'000'000});
  CHECK(t.period == calm.period + 40'000'000);
  for (std::size_t c = 0; c < t.classes.size(); ++c) {
    CHECK(sum_of(t.classes[c]) == t.period);
    std::vector<Tick> before(calm.kinds.size(), 0), after(calm.kinds.size(), 0);
    for (const auto& s : calm.classes[c]) before[s.kind] += s.duration;
    for (const auto& s : t.classes[c]) after[s.kind] += s.duration;
    for (std::size_t k = 0; k < before.size(); ++k)
      if (calm.kinds[k].name.starts_with("forward") || calm.kinds[k].name.starts_with("backward") ||
          calm.kinds[k].name == "optimizer")
        CHECK(after[k] == before[k]);
  }
  // A late group begins with a wait of its own; without scatter nothing changes.
  const auto first_wait = [&](const Timeline& x, std::size_t c) {
    return x.kinds[x.classes[c][0].kind].name == "bubble" ? x.classes[c][0].duration : 0;
  };
  CHECK(first_wait(t, 3 * 16) - first_wait(calm, 3 * 16) == 40'000'000);
  const Timeline same = model.iteration(pace, {{0, 0, 0, 0}, 0});
  CHECK(same.period == calm.period);
  for (std::size_t c = 0; c < same.classes.size(); ++c) CHECK(same.classes[c].size() == calm.classes[c].size());
  CHECK_THROWS_AS(model.iteration(pace, {{0, 0, 0, 2}, 1}), InputError);
}

TEST_CASE("a host gap is waiting that everyone shares", "[workload][iteration]") {
  const ParallelPlan p = small_plan();
  ComputeParams gpu = cases::a100();
  gpu.host_gap_s = 0.0;
  const auto run = [&] { return IterationModel(small_model(), p, gpu, cases::selene()).iteration({{1.0}}); };
  const Timeline base = run();
  gpu.host_gap_s = 0.25;
  const Timeline gap = run();
  CHECK(gap.period - base.period == to_tick(0.25));
  for (const auto& c : gap.classes) CHECK((c.back().kind == 6 && c.back().duration >= to_tick(0.25)));
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

// Not a test: run it by name. 5.7 ms of one core for 128 replicas that all differ, 0.2 ms for four groups (2026).
TEST_CASE("time to schedule 16 stages x 8 chunks x 128 replicas", "[.][benchmark]") {
  const IterationModel model = llama3(16384);
  for (const int n_group : {1, 4, 16, 128}) {
    std::vector<double> pace;
    for (int g = 0; g < n_group; ++g) pace.push_back(0.8 + 1e-3 * g);
    const std::clock_t begin = std::clock();
    for (int i = 0; i < 10; ++i) REQUIRE(model.iteration(pace).period > 0);
    WARN(n_group << " groups: " << 100.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC << " ms");
  }
}
