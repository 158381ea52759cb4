#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catch.hpp"
#include "grid/grid_play.hpp"
#include "grid/psse_dyr.hpp"
#include "grid/psse_raw.hpp"

/// Two buses of 100 MVA at 60 Hz: bus 1 swings, bus 2 has a unit of 100 MVA delivering `power_MW`; a line of 0.3 pu.
/// @param source_1, source_2 reactances behind which the units' records may put a voltage
inline std::string two_buses(double power_MW, double load_MW = 0.0, const std::string& source_1 = "0.000001",
                             const std::string& source_2 = "0.25") {
  return "0, 100.0, 33, 0, 0, 60.0 / two buses\n\n\n1, 'A', 230.0, 3, 1, 1, 1, 1.0, 0.0\n2, 'B', 230.0, 2, 1, 1, 1, "
         "1.0, 0.0\n0 / loads\n" +
         (load_MW != 0.0 ? "2, '1', 1, 1, 1, " + std::to_string(load_MW) + ", 0.0, 0.0, 0.0, 0.0, 0.0, 1, 1, 0\n"
                         : std::string()) +
         "0 / shunts\n0 / generators\n1, '1', 0.0, 0.0, 999, -999, 1.0, 0, 100.0, 0.0, " + source_1 +
         ", 0.0, 0.0, 1.0, 1\n2, '1', " + std::to_string(power_MW) + ", 0.0, 999, -999, 1.0, 0, 100.0, 0.0, " +
         source_2 +
         ", 0.0, 0.0, 1.0, 1\n0 / branches\n1, 2, '1', 0.0, 0.3, 0.0, 0, 0, 0, 0, 0, 0, 0, 1\n0 / transformers\n" +
         "0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\nQ\n";
}

/// The system of such a case, the site at bus 2.
inline tidewatt::grid::GridSystem system_of(const std::string& raw, const std::string& dyr,
                                            tidewatt::grid::LoadMotion motion = {},
                                            tidewatt::grid::ShaftInput shaft = tidewatt::grid::ShaftInput::power) {
  using namespace tidewatt::grid;
  return GridSystem(parse_raw(raw, "two.raw"), parse_dyr(dyr, "two.dyr"), 2, motion, shaft);
}

/// A shipped network.
inline tidewatt::grid::GridSystem shipped_network(
    const std::string& name, std::int64_t bus, tidewatt::grid::LoadMotion motion = {},
    tidewatt::grid::ShaftInput shaft = tidewatt::grid::ShaftInput::power) {
  using namespace tidewatt::grid;
  const std::string stem = std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/networks/" + name;
  return GridSystem(read_raw(stem + ".raw"), read_dyr(stem + ".dyr"), bus, motion, shaft);
}

/// One model from the values of its record.
template <class Model, class... More>
Model model_of(const std::string& values, More... more) {
  using namespace tidewatt;
  const auto records = grid::parse_dyr("1 'MODEL' 1 " + values + " /", "one.dyr");
  std::vector<Finding> findings;
  grid::DyrValues reader(records.at(0), findings);
  Model out(reader, more...);
  reader.finish();
  for (const auto& f : findings) FAIL(f.text());
  return out;
}

/// Every finding that a record's values give.
template <class Model, class... More>
std::vector<tidewatt::Finding> findings_of(const std::string& values, More... more) {
  using namespace tidewatt;
  const auto records = grid::parse_dyr("1 'MODEL' 1 " + values + " /", "one.dyr");
  std::vector<Finding> findings;
  grid::DyrValues reader(records.at(0), findings);
  Model out(reader, more...);
  reader.finish();
  return findings;
}

inline double largest(const std::vector<double>& x) {
  double out = 0.0;
  for (const double v : x) out = std::max(out, std::abs(v));
  return out;
}

/// Explicit Runge-Kutta of fourth order for one small model. @param rates (t, x, rate)
template <class Rates>
void integrate(std::vector<double>& x, double length_s, double step_s, Rates rates) {
  const auto n = static_cast<long>(std::lround(length_s / step_s));
  std::vector<double> k1(x.size()), k2(x.size()), k3(x.size()), k4(x.size()), y(x.size());
  for (long i = 0; i < n; ++i) {
    const double t = step_s * static_cast<double>(i);
    const auto at = [&](const std::vector<double>& k, double h) {
      for (std::size_t j = 0; j < x.size(); ++j) y[j] = x[j] + h * k[j];
    };
    rates(t, x, k1);
    at(k1, 0.5 * step_s), rates(t + 0.5 * step_s, y, k2);
    at(k2, 0.5 * step_s), rates(t + 0.5 * step_s, y, k3);
    at(k3, step_s), rates(t + step_s, y, k4);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += step_s / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j]);
  }
}
