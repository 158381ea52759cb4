#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/median.hpp"
#include "base/text.hpp"
#include "catalog_in_use.hpp"
#include "grid/grid_case.hpp"
#include "grid/grid_modes.hpp"
#include "grid_rows.hpp"
#include "row_term.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double light_damping_frac = 0.03;  // assumed, 0.02 to 0.05
constexpr double deadband_Hz = 0.036;        // governors' deadband: an oscillation within it works no valve
constexpr double swing_W_per_gpu = 66.7e6 / 100e3;

grid::GridCase case_of(const std::string& name) {
  std::vector<Finding> findings;
  auto out = grid::read_grid_case(catalog_in_use().values("grid_case", name), name, findings);
  if (!findings.empty()) throw InputError(std::move(findings));
  return out;
}

struct Bus {
  double at_mode_Hz = 0.0, period_s = 0.0, mode_s = 0.0, beside_Hz = 0.0;
};

// A 66.7 MW square wave at one bus: at its worst period within 15 % of the inter-area mode's, and the calmest within 1 s of that.
Bus forced_at(const grid::LinearGrid& linear, std::size_t bus) {
  const auto swing_Hz = [&](double period_s) {
    return grid::forced_oscillation(linear, {bus, 66.7e6, period_s, 0.5, 6.0}).peak_to_peak_Hz;
  };
  Bus out;
  out.mode_s = term("G13.mode_s", 1.0 / linear.swing_modes().front().frequency_Hz);
  for (int k = -10; k <= 10; ++k) {
    const double period_s = out.mode_s * (1.0 + 0.015 * k);
    if (const double p = swing_Hz(period_s); p > out.at_mode_Hz) out.at_mode_Hz = p, out.period_s = period_s;
  }
  out.beside_Hz = out.at_mode_Hz;
  for (int tenth = 1; tenth < 10; ++tenth)
    for (const double sign : {-0.1, 0.1})
      out.beside_Hz = std::min(out.beside_Hz, swing_Hz(out.period_s + sign * tenth));
  return out;
}

}  // namespace

std::vector<Row> kundur_rows(const Context&) {
  std::vector<Row> out;
  grid::GridCase c = case_of("kundur_two_area");
  for (grid::DyrRecord& r : c.records)
    if (double H = 0.0; r.model == "GENROU" && parse_number(r.values.at(4), H))
      r.values[4] = fmt::format("{}", term("G4.inertia_s", H));
  const auto modes = grid::LinearGrid(c.system(7)).swing_modes();
  const char* source = "kundur";
  const std::string what = "two areas, four sixth-order machines, manual excitation, saturation, no damping torque: ";
  const double f_Hz[] = {0.545, 1.087, 1.117};
  const char* names[] = {"inter-area", "local, area 1", "local, area 2"};
  if (modes.size() != 3) {
    out.push_back(holds("G4", what + "three swing modes", false, source, "another number of modes was found"));
    return out;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string id = fmt::format("G4/{}", k + 1);
    out.push_back(against(id + "f", what + names[k] + " mode", "Hz", f_Hz[k], modes[k].frequency_Hz, 0.05, source));
    if (k == 0) {
      out.push_back(
          within_absolute(id + "z", what + "its damping ratio", "", 0.032, modes[k].damping_frac, 0.01, source));
    } else {
      Row r = within(id + "z", what + "its damping ratio, 0.07 to 0.08 with 0.01 on either side", "", 0.06, 0.09,
                     modes[k].damping_frac, 0.0, source,
                     "the book prints 0.072 for both; why ours lies higher is not known");
      out.push_back(std::move(r));
    }
  }
  return out;
}

std::vector<Row> new_england_rows(const Context&) {
  std::vector<Row> out;
  const grid::GridCase c = case_of("ieee39");
  const auto linear = grid::LinearGrid(c.system(16)).with_swing_damping(term("G13.damping_frac", light_damping_frac));
  const std::vector<double> load_W = c.network.bus_load_W();
  std::vector<double> ratio, fleet, shift;
  for (std::size_t i = 0; i < load_W.size(); ++i) {
    if (load_W[i] < 100e6) continue;  // where a large load could connect
    const Bus b = forced_at(linear, i);
    ratio.push_back(b.at_mode_Hz / b.beside_Hz);
    shift.push_back(b.period_s / b.mode_s);
    fleet.push_back(66.7e6 / swing_W_per_gpu * 2.0 * deadband_Hz / b.at_mode_Hz);
  }
  const std::string what =
      "New England system, swing modes damped by 3 %, square wave of 66.7 MW at duty 0.5, median over load buses: ";
  const auto [lo, hi] = std::minmax_element(ratio.begin(), ratio.end());
  out.push_back(against("G13/period", what + "worst period within 15 % of the inter-area mode's, over it", "", 1.0,
                        median(shift), 0.05, "resonance_criterion"));
  out.push_back(within("G13", what + "frequency swing at the mode over the calmest period less than 1 s away", "",
                       7.4 / 2.0, 7.4 * 2.0, median(ratio), 0.0, "resonance_criterion",
                       fmt::format("7.4 published, factor 2; by bus {:.1f} to {:.1f}", *lo, *hi)));
  const auto [least, most] = std::minmax_element(fleet.begin(), fleet.end());
  out.push_back(calibrated(
      within(
          "G15", what + "how many H100 may swing in lockstep, by 667 W each, before a machine leaves +-36 mHz", "GPU",
          66900 / 1.5, 66900 * 1.5, median(fleet), 0.0, "resonance_criterion",
          fmt::format(
              "published: 66,900; a factor of 1.5 is allowed. We could not read the publication's limit, damping and "
              "bus. We assume the governors' deadband, 3 % of damping (the figure is proportional to it) and the "
              "median bus; single buses give {:.0f} to {:.0f}. So the row only shows that these assumptions can "
              "give the published figure",
              *least, *most)),
      "damping and bus were chosen after the results of all buses were known: no prediction"));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
