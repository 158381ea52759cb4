#include "tidewatt/workload/compute.hpp"

#include "cases.hpp"
#include "catch.hpp"

using namespace tidewatt::workload;

TEST_CASE("output tiles are worked off in whole waves", "[workload][compute]") {
  ComputeParams gpu = cases::a100();
  gpu.small_tile_ratio = 0.1;                                            // only the large tile counts
  CHECK(wave_efficiency(gpu, 256 * 108, 128) == Approx(1.0));            // exactly one wave
  CHECK(wave_efficiency(gpu, 256 * 109, 128) == Approx(109.0 / 216.0));  // one tile more costs a second wave
  CHECK(wave_efficiency(gpu, 1, 1) == Approx(1.0 / (256 * 128 * 108.0)));
  CHECK(wave_efficiency(gpu, 256 * 10800, 128 * 10) > 0.99);
  gpu.small_tile_ratio = 1.0;  // smaller tiles fill the second wave better
  CHECK(wave_efficiency(gpu, 256 * 109, 128) == Approx(218.0 / 324.0));
}

TEST_CASE("a matrix product is bound by the slower of matrix units and memory", "[workload][compute]") {
  const ComputeParams gpu = cases::h100();
  const Work large = gemm_work(gpu, 8192, 16384, 16384, 1e6), thin = gemm_work(gpu, 8192, 16384, 8, 3e8);
  CHECK(large.memory_s == 0.0);
  CHECK(large.gemm_s ==
        Approx(2.0 * 8192 * 16384 * 16384 /
                   (gpu.matrix_efficiency_frac * wave_efficiency(gpu, 8192, 16384) * gpu.matrix_FLOP_per_s) +
               gpu.gemm_overhead_s));
  CHECK(thin.gemm_s == 0.0);
  CHECK(thin.memory_s == Approx(3e8 / (gpu.hbm_efficiency_frac * gpu.hbm_B_per_s)));
}

TEST_CASE("a phase keeps the work of its parts", "[workload][compute]") {
  const ComputeParams gpu = cases::h100();
  const Work w{3.0, 1.0, 0.5, 0.25};
  const PhaseKind kind = make_kind("x", w, gpu, 0.8);
  CHECK(kind.reference_s() == Approx(w.total_s()));
  CHECK(kind.matrix_activity == Approx(0.75 * gpu.gemm_activity + 0.25 * gpu.attention_activity));
  CHECK(kind.hbm_frac_matrix == Approx(0.75 * gpu.gemm_hbm_frac + 0.25 * gpu.attention_hbm_frac));
}

TEST_CASE("fp8 products run at their own peak", "[workload][compute]") {
  const ComputeParams gpu = cases::h100();
  const double wide = gemm_work(gpu, 8192, 16384, 16384, 1e6).gemm_s - gpu.gemm_overhead_s;
  const double narrow = gemm_work(gpu, 8192, 16384, 16384, 1e6, Precision::fp8).gemm_s - gpu.gemm_overhead_s;
  CHECK(narrow / wide == Approx(989.4 / 1978.9));
}

TEST_CASE("attention reaches half its rate on a sequence of s_half", "[workload][compute]") {
  const ComputeParams gpu = cases::h100();
  const auto rate = [&](double s) { return 1e13 / (attention_work(gpu, 1e13, s).attention_s - gpu.gemm_overhead_s); };
  CHECK(rate(300) == Approx(0.5 * gpu.attention_efficiency_frac * gpu.matrix_FLOP_per_s));
  CHECK(rate(1e9) == Approx(gpu.attention_efficiency_frac * gpu.matrix_FLOP_per_s).epsilon(1e-4));
  // Published cuDNN figures (arXiv 2407.08608), causal, weighted 1 : 2.5 forward to backward: 470, 521, 522 TF.
  CHECK(rate(2048) == Approx(470.3e12).epsilon(0.015));
  CHECK(rate(8192) == Approx(521.1e12).epsilon(0.015));
  CHECK(rate(16384) == Approx(522.4e12).epsilon(0.015));
}

TEST_CASE("one efficiency per format, a ratio for grouped products, attention by itself", "[workload][compute]") {
  ComputeParams gpu = cases::h100();
  gpu.nvfp4_FLOP_per_s = 4e15;
  for (const Precision p : {Precision::fp8, Precision::mxfp8, Precision::nvfp4})
    CHECK(efficiency_frac(gpu, p, KernelClass::dense) == gpu.matrix_efficiency_frac);  // nothing of their own
  gpu.fp8_efficiency_frac = 0.6, gpu.nvfp4_efficiency_frac = 0.4, gpu.grouped_efficiency_ratio = 0.7;
  CHECK(efficiency_frac(gpu, Precision::bf16, KernelClass::dense) == gpu.matrix_efficiency_frac);
  CHECK(efficiency_frac(gpu, Precision::fp8, KernelClass::dense) == 0.6);
  CHECK(efficiency_frac(gpu, Precision::mxfp8, KernelClass::dense) == 0.6);  // as fp8 until it has one
  CHECK(efficiency_frac(gpu, Precision::nvfp4, KernelClass::dense) == 0.4);
  CHECK(efficiency_frac(gpu, Precision::fp8, KernelClass::grouped) == Approx(0.42));
  CHECK(efficiency_frac(gpu, Precision::nvfp4, KernelClass::attention) == gpu.attention_efficiency_frac);
  const auto matrix_s = [&](Precision p, KernelClass k) {
    return gemm_work(gpu, 8192, 16384, 16384, 1e6, p, k).gemm_s - gpu.gemm_overhead_s;
  };
  CHECK(matrix_s(Precision::fp8, KernelClass::grouped) == Approx(matrix_s(Precision::fp8, KernelClass::dense) / 0.7));
  CHECK(matrix_s(Precision::nvfp4, KernelClass::dense) ==
        Approx(matrix_s(Precision::fp8, KernelClass::dense) * (0.6 * 1978.9e12) / (0.4 * 4e15)));
}

TEST_CASE("a product alone has its own share of the peak, where one is known", "[workload][compute]") {
  ComputeParams gpu = cases::h100();
  gpu.fp8_efficiency_frac = 0.6;
  CHECK(efficiency_frac(gpu, Precision::bf16, KernelClass::alone) == gpu.matrix_efficiency_frac);
  CHECK(efficiency_frac(gpu, Precision::fp8, KernelClass::alone) == 0.6);
  gpu.product_efficiency_frac = 0.8, gpu.fp8_product_efficiency_frac = 0.75;
  CHECK(efficiency_frac(gpu, Precision::bf16, KernelClass::alone) == 0.8);
  CHECK(efficiency_frac(gpu, Precision::fp8, KernelClass::alone) == 0.75);
  CHECK(efficiency_frac(gpu, Precision::bf16, KernelClass::dense) ==
        gpu.matrix_efficiency_frac);  // a step keeps its own
  CHECK(efficiency_frac(gpu, Precision::fp8, KernelClass::dense) == 0.6);
}

TEST_CASE("a block's scale is shared by its values", "[workload][compute]") {
  CHECK(element_B(Precision::bf16) == 2.0);
  CHECK(element_B(Precision::fp8) == 1.0);
  CHECK(element_B(Precision::mxfp8) == 33.0 / 32.0);
  CHECK(element_B(Precision::nvfp4) == 9.0 / 16.0);
}
