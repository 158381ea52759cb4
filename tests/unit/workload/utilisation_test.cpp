#include "workload/utilisation.hpp"

#include "cases.hpp"
#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

ParallelPlan plan(const char* recompute) {
  ParallelPlan p;
  p.n_gpu = 64, p.tp = 4, p.pp = 4, p.micro_batch_sequences = 2, p.global_batch_sequences = 64,
  p.sequence_tokens = 2048;
  p.recompute = recompute, p.rank_order = "tp-cp-dp-pp", p.sharding = "zero1";
  return p;
}

IterationModel model(const char* recompute) {
  return {cases::gpt(32, 4096, 32), plan(recompute), cases::h100(), cases::roce()};
}

}  // namespace

TEST_CASE("hardware FLOPs with full recomputation are Megatron-LM's count") {
  const auto m = model("full");
  CHECK(m.hardware_flops_per_iteration() ==
        Approx(megatron_flops_per_iteration(cases::gpt(32, 4096, 32), 64, 2048)).epsilon(1e-6));
}

TEST_CASE("what the plan computes again counts for the hardware, not for the model") {
  const auto none = model("none"), selective = model("selective"), full = model("full");
  CHECK(none.model_flops_per_iteration() == full.model_flops_per_iteration());
  CHECK(none.hardware_flops_per_iteration() ==
        Approx(none.model_flops_per_iteration(AttentionCount::full)).epsilon(1e-12));
  CHECK(selective.hardware_flops_per_iteration() > none.hardware_flops_per_iteration());
  CHECK(full.hardware_flops_per_iteration() > selective.hardware_flops_per_iteration());
}

TEST_CASE("utilisations are of the peak of the linear layers' format, with the bf16 peak beside it") {
  auto gpu = cases::h100();
  const auto m = model("full");
  const double tokens_per_s = 1e6;
  const auto used = utilisation(m, gpu, tokens_per_s);
  CHECK(used.precision == "bf16");
  CHECK(used.peak_TF == Approx(gpu.matrix_FLOP_per_s * 1e-12));
  CHECK(used.mfu_percent() == Approx(100.0 * used.tflops_per_gpu / used.peak_TF));
  CHECK(used.mfu_bf16_percent() == used.mfu_percent());
  CHECK(used.tflops_per_gpu == Approx(m.model_flops_per_iteration() / m.tokens_per_iteration() * tokens_per_s / 64e12));
  CHECK(used.hfu_percent() / used.mfu_percent() ==
        Approx(m.hardware_flops_per_iteration() / m.model_flops_per_iteration()));
  gpu.fp8_FLOP_per_s *= 2.0;  // not in use
  CHECK(utilisation(m, gpu, tokens_per_s).mfu_percent() == used.mfu_percent());
  // The same work in fp8 is half the share of a peak that is twice as high, and the same share of the bf16 peak.
  gpu.fp8_FLOP_per_s = 2.0 * gpu.matrix_FLOP_per_s;
  auto narrow = plan("full");
  narrow.precision = "fp8";
  const IterationModel in_fp8(cases::gpt(32, 4096, 32), narrow, gpu, cases::roce());
  const auto half = utilisation(in_fp8, gpu, tokens_per_s);
  CHECK(half.precision == "fp8");
  CHECK(half.tflops_per_gpu == Approx(used.tflops_per_gpu));
  CHECK(half.mfu_percent() == Approx(0.5 * used.mfu_percent()));
  CHECK(half.hfu_percent() == Approx(0.5 * used.hfu_percent()));
  CHECK(half.mfu_bf16_percent() == Approx(used.mfu_percent()));
}
