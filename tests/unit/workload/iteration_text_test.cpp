#include "workload/iteration_text.hpp"

#include "cases.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "workload/iteration.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

TEST_CASE("a hand-made repetition reads as it runs", "[workload][iteration_text]") {
  PhaseKind forward, wait;
  forward.name = "forward", forward.matrix_s = 0.3, forward.memory_s = 0.1, forward.matrix_activity = 0.9;
  forward.hbm_frac_matrix = 0.2, forward.hbm_frac_memory = 0.8;
  wait.name = "bubble", wait.wait_s = 1.0;
  const Timeline t{{forward, wait},
                   {{{3'000'000'000, 0}, {1'000'000'000, 1}}, {{1'000'000'000, 1}, {3'000'000'000, 0}}},
                   4'000'000'000};
  const std::string text = iteration_text(t, 2, 20);
  CHECK(text.find("period 4.0000 s, 2 stages, 1 replica groups") != std::string::npos);
  CHECK(text.find("group 0 stage   0 |FFFFFFFFFFFFFFF.....|") != std::string::npos);
  CHECK(text.find("group 0 stage   1 |.....FFFFFFFFFFFFFFF|") != std::string::npos);
  CHECK(text.find("3000.000 ms   75.0 %   matrix  75.0 % at activity 0.90   HBM  35.0 %") != std::string::npos);
  CHECK_THROWS_AS(iteration_text(t, 3), InputError);
  CHECK_THROWS_AS(iteration_text(t, 2, 19), InputError);
}

TEST_CASE("the last stage waits for the first", "[workload][iteration_text]") {
  const IterationModel model(cases::llama3_405b(), cases::llama3_plan(16384), cases::h100(), cases::roce());
  const std::string text = iteration_text(model.iteration({{0.9}}), model.n_stage());
  CHECK(text.find("stage  15 |.") != std::string::npos);
  CHECK(text.find("optimizer") != std::string::npos);
}
