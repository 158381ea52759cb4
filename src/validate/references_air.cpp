// X1 to X4: moist air, liquids and weather files. Tolerances were set before the first comparison: formulas of one kind agree to
// their constants, other formulas to what a plant would notice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cooling/epw.hpp"
#include "cooling/liquid.hpp"
#include "evidence_runs.hpp"
#include "references.hpp"
#include "row_term.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

using namespace cooling;

/// Allowed differences of a package's moist air.
struct AirTolerance {
  double ratio_frac, wetbulb_K, dewpoint_K, enthalpy_J_per_kg, volume_frac;
};

void moist_air(const References& r, const std::string& id, const std::string& list, const std::string& source,
               const std::string& what, const AirTolerance& allowed, std::vector<Row>& rows) {
  WorstCase ratio, wetbulb, freezing, dewpoint, enthalpy, volume;
  for (const Node& c : r.cases(list)) {
    const double t = number_of(c, "drybulb_degC"), rh = number_of(c, "rh_frac"), p = number_of(c, "pressure_Pa");
    const std::string at = fmt::format("{:g} degC, {:.0f} %, {:g} kPa", t, 100.0 * rh, 1e-3 * p);
    const double T = t + zero_celsius_K;
    const double W = humidity_ratio_from_relative_humidity(T, term(id + ".rh_frac", rh), p);
    ratio.add(number_of(c, "humidity_ratio"), W, at);
    const double expected_degC = number_of(c, "wetbulb_degC");
    (std::abs(expected_degC) < 1.0 ? freezing : wetbulb).add(expected_degC, wet_bulb_K(T, W, p) - zero_celsius_K, at);
    dewpoint.add(number_of(c, "dewpoint_degC"), dew_point_K(vapour_pressure_Pa(W, p)) - zero_celsius_K, at);
    enthalpy.add(number_of(c, "enthalpy_J_per_kg"), enthalpy_J_per_kg(T, W), at);
    volume.add(number_of(c, "volume_m3_per_kg"), 1.0 / dry_air_density_kg_per_m3(T, W, p), at);
  }
  rows.push_back(ratio.row(id + "/ratio", "humidity ratio from relative humidity, " + what, "", allowed.ratio_frac,
                           false, source));
  rows.push_back(wetbulb.row(id + "/wet-bulb", "wet bulb farther than 1 K from freezing, " + what, "degC",
                             allowed.wetbulb_K, true, source));
  rows.push_back(freezing.row(id + "/wet-bulb-freezing", "wet bulb within 1 K of freezing, " + what, "degC",
                              allowed.wetbulb_K, true, source));
  if (rows.back().verdict == Verdict::fail)
    rows.back().note =
        "just around 0 degC a wet and an icy bulb solve the same equation; the package returns the icy one, "
        "we the wet one";
  rows.push_back(dewpoint.row(id + "/dew-point", "dew point, " + what, "degC", allowed.dewpoint_K, true, source));
  rows.push_back(enthalpy.row(id + "/enthalpy", "enthalpy, " + what, "J/kg", allowed.enthalpy_J_per_kg, true, source));
  if (rows.back().verdict == Verdict::fail)
    rows.back().note = "at equal relative humidity real air holds 0.4 to 0.6 % more vapour than an ideal mixture";
  rows.push_back(
      volume.row(id + "/volume", "volume of 1 kg of dry air, " + what, "m3/kg", allowed.volume_frac, false, source));
}

Row altitudes(const References& r, const std::string& id, const std::string& list, double tolerance_frac,
              const std::string& source) {
  WorstCase pressure;
  for (const Node& c : r.cases(list)) {
    const double z = number_of(c, "altitude_m");
    pressure.add(number_of(c, "pressure_Pa"), standard_pressure_Pa(term("X1.altitude_m", z)), fmt::format("{:g} m", z));
  }
  return pressure.row(id, "pressure of the standard atmosphere", "Pa", tolerance_frac, false, source);
}

/// Means and extremes of one weather file.
struct YearFigures {
  double mean_degC = 0.0, highest_degC = -100.0, pressure_Pa = 0.0, dewpoint_degC = 0.0;
};
YearFigures figures_of(const EpwYear& year) {
  YearFigures out;
  const auto n = static_cast<std::size_t>(term("X4.hours_frac", 1.0) * static_cast<double>(year.hours.size()));
  for (std::size_t i = 0; i < n; ++i) {
    const WeatherSample& air = year.hours[i].air;
    const double share = 1.0 / static_cast<double>(n), t = air.drybulb_K - zero_celsius_K;
    out.mean_degC += share * t;
    out.highest_degC = std::max(out.highest_degC, t);
    out.pressure_Pa += share * air.pressure_Pa;
    out.dewpoint_degC +=
        share * (dew_point_K(vapour_pressure_Pa(air.humidity_ratio, air.pressure_Pa)) - zero_celsius_K);
  }
  return out;
}

}  // namespace

void air_reference_rows(const References& r, std::vector<Row>& rows) {
  moist_air(r, "X1", "psychrolib_air", "psychrolib", "ASHRAE's formulas in " + r.version("psychrolib"),
            {0.002, 0.02, 0.02, 100.0, 0.001}, rows);
  rows.push_back(altitudes(r, "X1/altitude", "psychrolib_altitude", 0.0005, "psychrolib"));
  moist_air(r, "X2", "coolprop_air", "coolprop", "a real gas in " + r.version("CoolProp"),
            {0.01, 0.1, 0.1, 500.0, 0.005}, rows);
}

void liquid_reference_rows(const References& r, std::vector<Row>& rows) {
  for (const bool glycol : {false, true}) {
    WorstCase density, heat;
    for (const Node& c : r.cases(glycol ? "coolprop_glycol" : "coolprop_water")) {
      const double t = term("X3.degC", number_of(c, "degC")), w = glycol ? number_of(c, "glycol_frac") : 0.0;
      const std::string at = fmt::format("{:g} degC, {:.0f} % propylene glycol", number_of(c, "degC"), 100.0 * w);
      density.add(number_of(c, "density_kg_per_m3"), coolant_density_kg_per_m3(t + zero_celsius_K, w), at);
      heat.add(number_of(c, "cp_J_per_kg_K"), coolant_cp_J_per_kg_K(t + zero_celsius_K, w), at);
    }
    const std::string id = glycol ? "X3/glycol" : "X3/water",
                      what = (glycol ? "propylene glycol by ASHRAE's tables in " : "water by IAPWS-95 in ") +
                             r.version("CoolProp");
    rows.push_back(
        density.row(id + "-density", "density, " + what, "kg/m3", glycol ? 0.01 : 0.0002, false, "coolprop"));
    rows.push_back(
        heat.row(id + "-heat", "heat capacity, " + what, "J/kg/K", glycol ? 0.02 : 0.001, false, "coolprop"));
  }
}

void weather_reference_rows(const References& r, const Context& context, std::vector<Row>& rows) {
  const char* source = "pvlib";
  rows.push_back(altitudes(r, "X4/altitude", "pvlib_altitude", 0.005, source));
  WorstCase magnus;
  for (const Node& c : r.cases("pvlib_dewpoint")) {
    const double T = number_of(c, "drybulb_degC") + zero_celsius_K, rh = number_of(c, "rh_frac");
    magnus.add(number_of(c, "dewpoint_degC"),
               dew_point_K(term("X4.rh_frac", rh) * saturation_pressure_Pa(T)) - zero_celsius_K,
               fmt::format("{:g} degC, {:.0f} %", T - zero_celsius_K, 100.0 * rh));
  }
  rows.push_back(
      magnus.row("X4/dew-point", "dew point by Magnus's formula in " + r.version("pvlib"), "degC", 0.3, true, source));
  const auto folder = context.data / "weather_epw";
  WorstCase mean, highest, pressure, dewpoint;
  for (const Node& c : r.cases("pvlib_year")) {
    const std::string file = text_of(c, "file");
    if (!std::filesystem::exists(folder / file)) {
      rows.push_back(skipped("X4/year", "typical years as another reader has them", source, "no " + file));
      return;
    }
    const YearFigures own = figures_of(read_epw((folder / file).string()));
    mean.add(number_of(c, "mean_degC"), own.mean_degC, file);
    highest.add(number_of(c, "highest_degC"), own.highest_degC, file);
    pressure.add(number_of(c, "mean_pressure_Pa"), own.pressure_Pa, file);
    dewpoint.add(number_of(c, "mean_dewpoint_degC"), own.dewpoint_degC, file);
  }
  const std::string what = " of a typical year as " + r.version("pvlib") + " reads it";
  rows.push_back(mean.row("X4/year-mean", "mean dry bulb" + what, "degC", 0.01, true, source));
  rows.push_back(highest.row("X4/year-highest", "highest dry bulb" + what, "degC", 0.01, true, source));
  rows.push_back(pressure.row("X4/year-pressure", "mean pressure" + what, "Pa", 0.0001, false, source));
  rows.push_back(dewpoint.row("X4/year-dew-point", "mean dew point" + what, "degC", 0.05, true, source));
}

}  // namespace TIDEWATT_NAMESPACE::validate
