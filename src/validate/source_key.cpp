#include "source_key.hpp"

#include <array>
#include <string_view>

namespace TIDEWATT_NAMESPACE::validate {
namespace {

struct Alias {
  std::string_view source, key;
};
constexpr std::array aliases = {Alias{"arXiv 2104.04473", "megatron"},
                                Alias{"arXiv 2402.15627", "megascale"},
                                Alias{"arXiv 2407.21783", "llama3"},
                                Alias{"arXiv 2205.05198", "korthikanti"},
                                Alias{"arXiv 1407.8116", "k20_dvfs"},
                                Alias{"arXiv 2410.05133", "frontier_twin"},
                                Alias{"arXiv 2507.16781", "cooling_matters"},
                                Alias{"arXiv 2604.11391", "power_capping_h100_h200"},
                                Alias{"arXiv 2607.00819", "sweet_spots"},
                                Alias{"arXiv 2412.08602; arXiv 2506.14551", "node_power_measured"},
                                Alias{"MLCommons training_results_v4.0", "mlperf_v4"},
                                Alias{"MLPerf Training v4.1", "mlperf_v4_1"},
                                Alias{"MLPerf Training v5.0", "mlperf_v5_0"},
                                Alias{"MLCommons training_results_v5.0", "mlperf_v5_0"},
                                Alias{"MLPerf Training v5.1", "mlperf_v5_1"},
                                Alias{"Megatron Bridge performance summary", "megatron_bridge"},
                                Alias{"torchtitan performance pages", "torchtitan"},
                                Alias{"ml-energy/zeus power traces", "zeus"}};

}  // namespace

std::string source_key(const std::string& source) {
  for (const Alias& a : aliases)
    if (a.source == source) return std::string(a.key);
  return source;
}

}  // namespace TIDEWATT_NAMESPACE::validate
