#include <cmath>

#include "base/fields_of.hpp"
#include "catalog_in_use.hpp"
#include "grid/load_settings.hpp"
#include "grid_rows.hpp"
#include "row_term.hpp"
#include "swing.hpp"
#include "tidewatt/grid/frequency.hpp"
#include "tidewatt/grid/ride_through.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

// Highest deviation after losing `lost_W` of load.
double peak_Hz(const grid::FrequencyParams& p, double lost_W) {
  return grid::Frequency(p).first_turn(-lost_W).deviation_Hz;
}

}  // namespace

std::vector<Row> frequency_rows(const Context&) {
  std::vector<Row> out;
  const grid::FrequencyParams first_order{
      60.0, 60e9, term("G5.inertia_s", 5.0), 1.0, term("G5.droop_pu", 0.05), 0.6, 0.0, 0.0, 1.0};
  const grid::Frequency model(first_order);
  const double step_W = 2.6e9;
  const SwingResponse closed(5.0, 1.0, 0.05, 0.6, step_W / 60e9);
  const auto turn = model.first_turn(step_W);
  grid::FrequencyState state = model.start(0.0);
  const double rocof = model.rate_Hz_per_s(step_W, state);
  grid::FrequencyMeters meters;
  std::vector<double> load_W(1000, step_W), deviation_Hz(1000);
  for (int k = 0; k < 60; ++k) model.advance(load_W, deviation_Hz, state, meters);
  const std::string what = "swing and first-order governor, H 5 s, D 1, R 5 %, T 0.6 s, 2.6 GW on 60 GVA: ";
  const char* exact = "closed form";
  out.push_back(
      against("G5/rocof", what + "initial rate of change", "Hz/s", 60.0 * closed.rocof_per_s(), rocof, 1e-9, exact));
  out.push_back(against("G5/nadir", what + "nadir", "Hz", 60.0 * closed.turn_pu(), turn.deviation_Hz, 1e-9, exact));
  out.push_back(against("G5/time", what + "its time", "s", closed.turn_s(), turn.time_s, 1e-9, exact));
  out.push_back(against("G5/offset", what + "offset after 60 s", "Hz", 60.0 * closed.settled_pu(), deviation_Hz.back(),
                        1e-9, exact));

  const catalog::Catalog& files = catalog_in_use();
  const auto texas =
      fields_of<grid::FrequencyParams>(*files.values("grid", "ercot_like_60GVA").find("frequency"), "frequency");
  const std::string texas_what =
      "loss of 2.6 GW of load, 60 GVA, H 5 s, D 1, droop 8 % of the system's rating, T_g 0.2, T_ch 0.3, T_rh 7 s, F "
      "0.3: ";
  out.push_back(within("G6/rocof", texas_what + "initial rate of change", "Hz/s", 0.2, 0.4,
                       grid::Frequency(texas).initial_rocof_Hz_per_s(2.6e9), 0.0, "ercot_large_loads_2025"));
  out.push_back(calibrated(within("G6/peak", texas_what + "highest deviation", "Hz", 0.30, 0.50, peak_Hz(texas, 2.6e9),
                                  0.0, "ercot_large_loads_2025"),
                           "the entry's droop was set by this figure"));
  return out;
}

std::vector<Row> ride_through_rows(const Context&) {
  std::vector<Row> out;
  const catalog::Catalog& files = catalog_in_use();
  // Supplies that carry sags of this length by themselves: only the counter acts.
  std::vector<Finding> findings;
  const auto played = grid::played_settings(
      grid::read_load_settings(files.values("load_settings", "own_supply"), "own_supply", findings), "own_supply",
      findings);
  if (!findings.empty()) throw InputError(std::move(findings));
  const grid::RideThrough site(played.curve, played.back, 60.0);
  const std::int64_t begin[] = {0, 16'000, 33'000, 49'000, 66'000, 81'950}, length[] = {42, 66, 50, 45, 60, 50};
  std::vector<double> v(400'000, 1.0), share(v.size());
  for (int k = 0; k < 6; ++k)
    for (std::int64_t i = 0; i < length[k]; ++i) v[static_cast<std::size_t>(1000 + begin[k] + i)] = 0.3;
  grid::RideThroughState state;
  std::vector<grid::RideThroughEvent> events;
  site.advance(v, {}, share, state, events);
  const std::string what = "six sags of 42 to 66 ms to 0.3 pu in 82 s, three-in-a-minute counter: ";
  const char* source = "incident review of 10 July 2024";
  const std::size_t third = 1000 + 33'000;
  bool first_two = true, stays_off = true;
  for (std::size_t i = 0; i < third; ++i) first_two = first_two && share[i] == 1.0;
  for (std::size_t i = third; i < share.size(); ++i) stays_off = stays_off && share[i] == 0.0;
  out.push_back(holds("G7/rides", what + "rides the first two", first_two, source));
  out.push_back(holds("G7/transfers", what + "transfers on the third",
                      events.size() == 1 && events[0].to == grid::Connection::latched &&
                          events[0].bin == static_cast<std::int64_t>(third),
                      source));
  out.push_back(holds("G7/stays", what + "stays off for the rest of 400 s",
                      stays_off && state.now == grid::Connection::latched, source));
  site.manual_return(state, events);
  std::vector<double> healthy(60'000, 1.0);
  std::vector<double> ramp(healthy.size());
  site.advance(healthy, {}, ramp, state, events);
  out.push_back(holds("G7/returns", what + "a person brings it back over its ramp",
                      ramp.back() == 1.0 && ramp[ramp.size() / 2] < 0.6 && state.now == grid::Connection::connected,
                      source));

  // What the grid loses: 1,500 MW at once, on an eastern-sized system whose values were not set by this figure.
  const auto east =
      fields_of<grid::FrequencyParams>(*files.values("grid", "eastern_like_500GVA").find("frequency"), "frequency");
  out.push_back(
      within("G7/peak", "1,500 MW transferred away at once, system of 500 GVA: highest deviation (60.047 Hz reported)",
             "Hz", 0.03, 0.07, peak_Hz(east, 1500e6), 0.0, source, "assumed system; the reported figure is recalled"));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
