#include "tidewatt/power/rack.hpp"

#include <fmt/format.h>

#include <array>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::power {
namespace {

constexpr std::array<std::string_view, 2> inputs = {"ac_480V", "dc_800V"};

}  // namespace

void RackParams::fields(FieldVisitor& v) {
  v.integer("n_cabinet", n_cabinet, {1, 16}, "cabinets that share one scale-up domain");
  v.integer("n_compute_tray", n_compute_tray, {1, 1000}, "compute trays of all cabinets");
  v.integer("gpus_per_tray", gpus_per_tray, {1, 64}, "GPU packages per compute tray");
  v.integer("cpus_per_tray", cpus_per_tray, {0, 64}, "CPUs per compute tray");
  v.integer("n_switch_tray", n_switch_tray, {0, 1000}, "switch trays of the scale-up links");
  v.number("gpu_W", gpu_W, {50, 20000}, "limit of one GPU package");
  v.number("cpu_W", cpu_W, {0, 5000}, "one CPU under training");
  v.number("tray_other_W", tray_other_W, {0, 10000}, "rest of a compute tray: NICs, DPU, drives, board losses");
  v.number("switch_tray_W", switch_tray_W, {0, 20000}, "power of one switch tray");
  v.number("switch_reduced_ratio", switch_reduced_ratio, {0, 1},
           "power of a switch tray with half of its links over that with all", Need::optional);
  v.number("management_W", management_W, {0, 20000}, "power of all management switches and controllers");
  v.number("fans_W", fans_W, {0, 50000}, "power of all fans");
  v.number("gpu_idle_W", gpu_idle_W, {0, 5000}, "one GPU package without a process, 0 = not read", Need::optional);
  v.number("cpu_idle_W", cpu_idle_W, {0, 5000}, "one CPU without a process", Need::optional);
  v.choice("input", input, inputs, "type of the rack's input");
  v.integer("n_shelf", n_shelf, {1, 1000}, "shelves that feed the busbar");
  v.integer("n_shelf_needed", n_shelf_needed, {1, 1000}, "shelves needed for the rated load");
  v.number("shelf_rating_kW", shelf_rating_W, {0.1, 2000}, "output of one shelf");
  v.number("shelf_efficiency_frac", shelf_efficiency_frac, {0.5, 1}, "rack input to busbar");
  v.number("storage_J", storage_J, {0, 1e5}, "energy stored at the shelves per GPU", Need::optional);
  v.number("peak_ratio", peak_ratio, {1, 5}, "millisecond peak of a GPU over its limit", Need::optional);
  v.number("vendor_low_kW", vendor_low_W, {1, 5000}, "lowest rack power that a vendor publishes");
  v.number("vendor_high_kW", vendor_high_W, {1, 5000}, "highest rack power that a vendor publishes");
}

RackPower rack_power(const RackParams& r, double gpu_W, double cpu_W) {
  if (!(gpu_W >= 0.0 && cpu_W >= 0.0))
    throw InputError(fmt::format("rack: {} W per GPU and {} W per CPU must not be negative", gpu_W, cpu_W));
  if (!(r.shelf_efficiency_frac > 0.0 && r.shelf_efficiency_frac <= 1.0))
    throw InputError(fmt::format("rack: shelf efficiency {} is outside (0, 1]", r.shelf_efficiency_frac));
  const auto trays = static_cast<double>(r.n_compute_tray);
  RackPower p;
  p.gpus_W = trays * static_cast<double>(r.gpus_per_tray) * gpu_W;
  p.cpus_W = trays * static_cast<double>(r.cpus_per_tray) * cpu_W;
  p.tray_other_W = trays * r.tray_other_W;
  p.switch_trays_W = static_cast<double>(r.n_switch_tray) * r.switch_tray_W;
  p.management_W = r.management_W;
  p.fans_W = r.fans_W;
  p.shelf_loss_W = p.busbar_W() * (1.0 / r.shelf_efficiency_frac - 1.0);
  return p;
}

RackPower rack_rated_power(const RackParams& rack) { return rack_power(rack, rack.gpu_W, rack.cpu_W); }

RackPower rack_idle_power(const RackParams& rack) {
  if (!(rack.gpu_idle_W > 0.0)) throw InputError("rack: no idle reading of its GPU is known (gpu_idle_W = 0)");
  return rack_power(rack, rack.gpu_idle_W, rack.cpu_idle_W);
}

}  // namespace TIDEWATT_NAMESPACE::power
