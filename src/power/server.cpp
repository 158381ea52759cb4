#include "tidewatt/power/server.hpp"

namespace TIDEWATT_NAMESPACE::power {

void ServerPowerParams::fields(FieldVisitor& v) {
  v.number("host_W", host_W, {0, 20000}, "CPUs, DRAM, NICs, switches and drives while training, at the dc bus");
  v.number("host_idle_W", host_idle_W, {0, 20000}, "the same with idle GPUs");
  v.number("gpu_conversion_ratio", gpu_conversion_ratio, {0.5, 1}, "board watts ÷ dc bus watts of the GPU feed");
  v.number("fans_W", fans_W, {0, 10000}, "all fans at full speed");
  v.number("psu_rating_W", psu_rating_W, {100, 200000}, "installed PSU output");
  v.number("psu_fixed_ratio", psu_fixed_ratio, {0, 0.2}, "no-load PSU loss ÷ rating");
  v.number("psu_linear_ratio", psu_linear_ratio, {0, 0.2}, "PSU loss proportional to output");
  v.number("psu_square_ratio", psu_square_ratio, {0, 0.5}, "PSU loss at full load proportional to output squared");
  v.integer("n_gpu", n_gpu, {1, 8}, "GPUs per server");
}

}  // namespace TIDEWATT_NAMESPACE::power
