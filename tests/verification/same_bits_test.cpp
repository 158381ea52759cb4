// Row 10, at the kernel: one SHA-256 whatever the threads and the instruction set.
#include <set>

#include "base/parallel.hpp"
#include "kernel_fleet.hpp"
#include "tidewatt/io/payload_hash.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;
using namespace tidewatt::sim;

namespace {

std::string sha256(std::size_t n_thread, InstructionSet set) {
  KernelFleet f(41);  // not a multiple of anything
  Draws d(10, 0);
  const auto plan = make_batch_plan(random_segments(d, 40, 0.002, 0.4), production_grading);
  auto task = f.task(plan);
  task.options.instruction_set = set;
  for (int i = 0; i < 10; ++i)
    parallel_ranges(f.fleet.n_node(), n_thread, [&](std::size_t begin, std::size_t end) {
      advance_nodes(f.fleet, f.state, f.signals, task, begin, end);
    });
  Result r;
  const std::uint64_t n = f.fleet.n_gpu();
  r.arrays.push_back({"/die_K", {"gpu"}, {n}, f.state.die_K, "K", "die"});
  r.arrays.push_back({"/sink_K", {"gpu"}, {n}, f.state.sink_K, "K", "sink"});
  r.arrays.push_back({"/clock_Hz", {"gpu"}, {n}, f.state.clock_Hz, "Hz", "clock"});
  r.arrays.push_back({"/gpu_J", {"gpu"}, {n}, f.signals.gpu_J, "J", "energy"});
  r.arrays.push_back({"/peak_K", {"gpu"}, {n}, f.state.die_peak_K, "K", "peak"});
  return io::payload_sha256(r);
}

}  // namespace

TEST_CASE("row 10: the kernel's result has one SHA-256 over threads and instruction sets") {
  std::set<std::string> hashes;
  int n_run = 0;
  for (const auto set : instruction_sets())
    for (const std::size_t n_thread : {1u, 2u, 3u, 8u, 17u}) {
      hashes.insert(sha256(n_thread, set));
      ++n_run;
    }
  figure(10, fmt::format("different hashes of {} runs", n_run).c_str(), static_cast<double>(hashes.size()), 1, "");
  fmt::print("row 10  {}\n", *hashes.begin());
  CHECK(hashes.size() == 1);
}
