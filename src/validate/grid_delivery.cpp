#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalog_in_use.hpp"
#include "groups.hpp"
#include "power_shelf.hpp"
#include "row_term.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/mitigation/ballast.hpp"
#include "tidewatt/mitigation/gpu_smoothing.hpp"
#include "tidewatt/power/converter_chain.hpp"
#include "tidewatt/power/rack_storage.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

template <class Params>
Params from_catalog(const std::string& kind, const std::string& name) {
  const catalog::Catalog& catalog = catalog_in_use();
  const Node node = catalog.values(kind, name);
  std::vector<Finding> findings;
  TableReader reader(node, name, findings);
  Params p;
  p.fields(reader);
  reader.finish();
  if (!findings.empty()) throw InputError(std::move(findings));
  return p;
}

/// G8: the shelf's input is lost at full load; times to 10 µs.
void shelf_rows(std::vector<Row>& rows) {
  const auto params = from_catalog<PowerShelfParams>("power_shelf", "orv3_shelf");
  constexpr Tick step = ns_per_ms / 100;
  auto alone = params;
  alone.start_s = 1e6;  // the battery unit never comes
  const PowerShelf shelf(alone), whole(params);
  auto s = shelf.start(), w = whole.start();
  PowerShelfMeters m, mw;
  Tick held = 0, triggered = -1, taken = -1;
  for (Tick at = 0; at < 100 * ns_per_ms; at += step) {
    shelf.step(step, params.rating_W, false, s, m);
    if (s.bus_V > 0.0) held = at + step;
    whole.step(step, params.rating_W, false, w, mw);
    if (triggered < 0 && w.unit == BatteryUnit::starting) triggered = at + step;
    if (taken < 0 && w.unit == BatteryUnit::delivering) taken = at + step;
  }
  const std::string what = "Open Rack V3 shelf, input lost at full load";
  rows.push_back(
      against("G8/held", what + ", battery unit absent: bus held", "ms", 20.0, seconds(held) * 1e3, 0.05, "orv3"));
  rows.push_back(
      against("G8/energy", what + ", battery unit absent: energy given", "J", 60.0, m.load_J.value(), 0.05, "orv3"));
  rows.push_back(against("G8/battery", what + ": from the battery unit's trigger to its output", "ms", 4.0,
                         seconds(taken - triggered) * 1e3, 0.05, "orv3"));
  rows.push_back(holds("G8/bus", what + ": the bus is never lost", mw.unserved_J.value() == 0.0, "orv3"));
}

/// G9: what the smoothed timeline draws, piece by piece.
struct Drawn {
  double begin_s, end_s, power_W;
};
std::vector<Drawn> drawn(const std::vector<mitigation::SmoothedPiece>& pieces, const std::vector<double>& natural_W) {
  std::vector<Drawn> out;
  double at_s = 0.0;
  for (const auto& p : pieces) {
    out.push_back({at_s, at_s + seconds(p.duration), std::clamp(natural_W[p.segment], p.low_W, p.high_W)});
    at_s = out.back().end_s;
  }
  return out;
}
void smoothing_rows(std::vector<Row>& rows) {
  constexpr double tdp_W = 1200.0, high_W = 1150.0, wait_W = 200.0, floor_W = 0.65 * tdp_W;
  const mitigation::GpuSmoothingParams p{term("G9.floor_frac", 0.65), term("G9.up_W_per_s", 1000.0),
                                         term("G9.down_W_per_s", 500.0), term("G9.delay_s", 2.0)};
  const std::vector<Tick> duration = {4 * ns_per_s, 1500 * ns_per_ms, 4 * ns_per_s, 8 * ns_per_s};
  const std::vector<double> natural_W = {high_W, wait_W, high_W, wait_W};
  mitigation::SmoothingState state{high_W, 0};
  const auto wave = drawn(mitigation::smooth_from(state, p, tdp_W, duration, natural_W, wait_W), natural_W);
  const double gap_s = 4.0, second_s = 5.5;
  double lowest_W = 1e9, rise_end_s = 0.0, stop_s = 0.0, released_s = 0.0, down_s = 0.0, floor_s = 0.0;
  for (const auto& d : wave) {
    if (d.begin_s >= gap_s && d.end_s <= second_s + 1e-9) lowest_W = std::min(lowest_W, d.power_W);
    if (d.begin_s >= second_s && rise_end_s == 0.0 && d.power_W >= high_W) rise_end_s = d.begin_s;
    if (rise_end_s > 0.0 && d.power_W >= high_W) stop_s = d.end_s;
    if (stop_s > 0.0 && d.begin_s >= stop_s && floor_s == 0.0 && d.power_W <= floor_W * (1 + 1e-9)) floor_s = d.begin_s;
    if (stop_s > 0.0 && d.begin_s >= stop_s && d.power_W >= floor_W * (1 - 1e-9)) released_s = d.end_s;
    if (released_s > 0.0 && down_s == 0.0 && d.power_W <= wait_W) down_s = d.begin_s;
  }
  const std::string what =
      "square wave 1,150/200 W on a 1,200 W limit, floor 65 %, 1,000 W/s up, 500 W/s down, stop delay 2 s";
  const char* source = "power_stabilization";
  rows.push_back(against("G9/floor", what + ": lowest power in a short gap", "W", floor_W, lowest_W, 0.02, source));
  rows.push_back(against("G9/up", what + ": rate of the rise", "W/s", 1000.0,
                         (high_W - floor_W) / (rise_end_s - second_s), 0.02, source));
  rows.push_back(against("G9/down", what + ": rate of the fall to the floor", "W/s", 500.0,
                         (high_W - floor_W) / (floor_s - stop_s), 0.02, source));
  rows.push_back(
      against("G9/delay", what + ": floor held after the stop", "s", 2.0, released_s - stop_s, 0.02, source));
  rows.push_back(against("G9/release", what + ": rate of the fall after it", "W/s", 500.0,
                         (floor_W - wait_W) / (down_s - released_s), 0.02, source));
}

/// G10: 65 J per GPU, a quarter of an hour after the job has begun: the droop has narrowed.
std::vector<double> behind_store_W(const power::RackStorageParams& p, std::size_t period, std::size_t on, double low_W,
                                   double high_W) {
  const power::RackStorage device(p);
  std::vector<double> load_W(900'000);
  for (std::size_t i = 0; i < load_W.size(); ++i) load_W[i] = i % period < period - on ? low_W : high_W;
  auto s = device.start(low_W);
  power::StoreMeters m;
  device.step(load_W, load_W, s, m);
  return {load_W.end() - 20'000, load_W.end()};
}
double reduction_W(const power::RackStorageParams& p, std::size_t period, std::size_t on, double low_W, double high_W) {
  const auto W = behind_store_W(p, period, on, low_W, high_W);
  return high_W - *std::max_element(W.begin(), W.end());
}
void capacitor_rows(std::vector<Row>& rows) {
  const auto p = from_catalog<power::RackStorageParams>("rack_storage", "gpu_capacitor_65J");
  constexpr double high_W = 1400.0, low_W = 980.0, peak_W = high_W - low_W;
  double given_J = 0.0;  // to the last of four pulses
  const auto W = behind_store_W(p, 5000, 2500, low_W, high_W);
  for (std::size_t i = W.size() - 2500; i < W.size(); ++i) given_J += 1e-3 * (high_W - W[i]);
  rows.push_back(against("G10/isolated",
                         "65 J per GPU, 420 W pulses of 2.5 s: time for which the store could carry one alone", "ms",
                         155.0, given_J / peak_W * 1e3, 0.10, "gb300_power_shelf"));
  for (const double D : {0.3, 0.5, 0.7}) {
    const double got = reduction_W(p, 200, static_cast<std::size_t>(200 * D), low_W, high_W) / high_W;
    rows.push_back(against(fmt::format("G10/D{}", D),
                           fmt::format("65 J per GPU, 1,400/980 W every 0.2 s, duty {}: peak lower by", D),
                           "of 1,400 W", 0.30 * (1.0 - D), got, 0.10, "gb300_power_shelf"));
  }
}

/// G11: software ballast on an H100 iteration of 2 s with a stall of a quarter.
void ballast_rows(std::vector<Row>& rows) {
  const auto p = from_catalog<mitigation::BallastParams>("ballast", "ballast_firefly");
  constexpr double tdp_W = 700.0;
  const std::vector<Tick> duration = {1500 * ns_per_ms, 500 * ns_per_ms};
  const std::vector<double> natural_W = {0.9 * tdp_W, 150.0};
  const auto out = mitigation::ballast(p, tdp_W, duration, natural_W);
  std::vector<Tick> d;
  std::vector<double> W;
  for (const auto& piece : out.pieces) {
    d.push_back(piece.duration);
    W.push_back(piece.power_W);
  }
  const double before_W = mitigation::windowed_range_W(duration, natural_W, 0.05);
  const double after_W = mitigation::windowed_range_W(d, W, 0.05);
  const std::string what = "software ballast at 90 %, 2 s iteration with 25 % stall, 630/150 W";
  rows.push_back(within("G11/range", what + ": share of the range of 50 ms means that is closed", "1", 0.95, 1.0,
                        1.0 - after_W / before_W, 0.0, "power_stabilization"));
  rows.push_back(within("G11/loss", what + ": throughput lost", "1", 0.0, 0.05, out.lost_throughput_frac(), 0.0,
                        "power_stabilization"));
}

/// G14: middle of the published loop bandwidths; their ends in the note.
void chain_rows(std::vector<Row>& rows) {
  const auto params = from_catalog<power::ConverterChainParams>("converter_chain", "converter_chain_480V");
  const power::ConverterChain chain(params);
  auto slow = params, fast = params, natural = params;
  slow.stage[1].voltage_Hz = 10.0, slow.stage[3].voltage_Hz = 5.0;
  fast.stage[1].voltage_Hz = 20.0, fast.stage[3].voltage_Hz = 10.0;
  for (auto& stage : natural.stage) stage.voltage_Hz *= stage.voltage_Hz / stage.natural_Hz();
  const auto peak_Hz = [](const power::ConverterChainParams& p) {
    return power::ConverterChain(p).peak(0.1, 50.0).frequency_Hz;
  };
  const auto peak = chain.peak(0.1, 50.0);
  const std::string what = "converter chain, loops at the middle of arXiv 2604.06624's ranges, damping 0.707";
  const std::string note = fmt::format(
      "bandwidth read as unit open-loop gain; {:.1f} to {:.1f} Hz over the published ranges; G14/natural reads it the "
      "other way",
      peak_Hz(slow), peak_Hz(fast));
  rows.push_back(within_absolute("G14/peak", what + ": frequency of the largest amplification", "Hz", 5.5,
                                 peak.frequency_Hz, 1.5, "power_delivery_resonance", note));
  rows.push_back(within_absolute("G14/natural", what + ", bandwidth read as natural frequency: the same", "Hz", 5.5,
                                 peak_Hz(natural), 1.5, "power_delivery_resonance",
                                 "the publication does not say which of the two it means"));
  rows.push_back(holds("G14/amplifies", what + ": gain above 1 at its peak", peak.magnitude > 1.0,
                       "power_delivery_resonance", fmt::format("gain {:.2f}", peak.magnitude)));
  bool falls = chain.response(20.0).magnitude < 1.0;
  for (int f_Hz = 20; f_Hz < 50; ++f_Hz)
    falls = falls && chain.response(f_Hz + 1).magnitude < chain.response(f_Hz).magnitude;
  rows.push_back(
      holds("G14/falls", what + ": below 1 and falling from 20 Hz to 50 Hz", falls, "power_delivery_resonance"));
}

}  // namespace

std::vector<Row> delivery_rows(const Context&) {
  std::vector<Row> rows;
  shelf_rows(rows);
  smoothing_rows(rows);
  capacitor_rows(rows);
  ballast_rows(rows);
  chain_rows(rows);
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
