// Any bytes as a log that `tidewatt fit` reads: telemetry of GPUs, power of nodes, job events. Read, or refused with InputError.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "study/fit_job_log.hpp"
#include "study/fit_telemetry.hpp"
#include "tidewatt/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidewatt;
  static const int file = memfd_create("log", 0);  // a file without a disk
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  const auto finite = [](const std::vector<double>& x) {
    for (const double v : x)
      if (!std::isfinite(v)) std::abort();
  };
  try {
    for (const auto& gpu : study::read_gpu_telemetry(path)) {
      finite(gpu.record.time_s);
      finite(gpu.record.power_W);
      finite(gpu.record.die_K);
    }
  } catch (const InputError&) {
  }
  try {
    const auto log = study::read_node_log(path);
    finite(log.time_s);
    finite(log.node_W);
  } catch (const InputError&) {
  }
  try {
    for (const auto& w : study::read_job_log(path, path, 1e-3).work) finite({w.start_s, w.end_s});
  } catch (const InputError&) {
  }
  return 0;
}
