#include "tidewatt/cooling/chiller.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

double biquadratic(const std::vector<double>& c, double e, double k) {
  return c[0] + e * (c[1] + e * c[2]) + k * (c[3] + k * c[4]) + e * k * c[5];
}

}  // namespace

void ChillerParams::fields(FieldVisitor& v) {
  v.number("chiller_capacity_kW", capacity_W, {0, 1e7}, "heat taken at the reference point by all chillers; 0: none");
  v.number("chiller_cop_ratio", cop_ratio, {1, 20}, "heat taken over compressor power at the reference point");
  v.number("chiller_leaving_low_degC", leaving_low_K, {-20, 40}, "coldest evaporator leaving water of the curves");
  v.number("chiller_leaving_high_degC", leaving_high_K, {-20, 60}, "warmest evaporator leaving water of the curves");
  v.number("chiller_entering_low_degC", entering_low_K, {-20, 60}, "coldest condenser entering water of the curves");
  v.number("chiller_entering_high_degC", entering_high_K, {-20, 80}, "warmest condenser entering water of the curves");
  v.number("chiller_unload_K", unload_K, {0, 30},
           "condenser water beyond the curves' warmest by which high pressure has unloaded the compressors",
           Need::optional);
  v.number("chiller_plr_min_frac", plr_min_frac, {0.01, 1}, "load below which a compressor cycles");
  v.number("chiller_plr_max_frac", plr_max_frac, {0.5, 1.5}, "largest load, of the available capacity");
  v.number("chiller_motor_frac", motor_frac, {0.5, 1},
           "fraction of compressor power that reaches the refrigerant as heat");
  v.numbers("chiller_capacity_T_ratio", capacity_T_ratio, {-10, 10}, "capacity: 1, e, e2, c, c2, ec in degC");
  v.numbers("chiller_input_T_ratio", input_T_ratio, {-10, 10}, "input ratio: 1, e, e2, c, c2, ec in degC");
  v.numbers("chiller_input_plr_ratio", input_plr_ratio, {-10, 10}, "input: 1, y, y2 of the load");
}

void check_chiller(const ChillerParams& p) {
  std::vector<Finding> findings;
  const auto report = [&](std::string key, std::string message) {
    findings.push_back({{}, std::move(key), std::move(message)});
  };
  const auto length = [&](const char* key, const std::vector<double>& list, std::size_t n) {
    if (list.size() != n) report(key, fmt::format("{} values, the curve has {}", list.size(), n));
  };
  length("chiller_capacity_T_ratio", p.capacity_T_ratio, 6);
  length("chiller_input_T_ratio", p.input_T_ratio, 6);
  length("chiller_input_plr_ratio", p.input_plr_ratio, 3);
  if (!(p.leaving_high_K > p.leaving_low_K)) report("chiller_leaving_high_degC", "not above chiller_leaving_low_degC");
  if (!(p.entering_high_K > p.entering_low_K))
    report("chiller_entering_high_degC", "not above chiller_entering_low_degC");
  if (!findings.empty()) throw InputError(std::move(findings));
  for (const double e : {p.leaving_low_K, p.leaving_high_K})
    for (const double c : {p.entering_low_K, p.entering_high_K}) {
      const double te = e - zero_celsius_K, tc = c - zero_celsius_K;
      if (!(biquadratic(p.capacity_T_ratio, te, tc) > 0.05 && biquadratic(p.input_T_ratio, te, tc) > 0.05))
        report("chiller", fmt::format("capacity or input curve is below 0.05 at {:.1f}/{:.1f} degC", te, tc));
    }
  if (!findings.empty()) throw InputError(std::move(findings));
}

double pressure_left_frac(const ChillerParams& p, double entering_K) {
  constexpr double least_K = 0.1;  // none: as good as at once, and still a slope for the solver
  const double beyond = (entering_K - p.entering_high_K) / std::max(p.unload_K, least_K);
  return std::clamp(1.0 - beyond, 0.0, 1.0);
}

ChillerPoint chiller_at(const ChillerParams& p, double load_W, double leaving_K, double entering_K) {
  const double e_K = std::clamp(leaving_K, p.leaving_low_K, p.leaving_high_K);
  const double c_K = std::clamp(entering_K, p.entering_low_K, p.entering_high_K);
  const double e = e_K - zero_celsius_K, c = c_K - zero_celsius_K;
  ChillerPoint at;
  at.outside = e_K != leaving_K || c_K != entering_K;
  const double f = biquadratic(p.capacity_T_ratio, e, c) * pressure_left_frac(p, entering_K),
               g = biquadratic(p.input_T_ratio, e, c);
  at.available_W = p.capacity_W * f;
  at.plr_frac = at.available_W > 0.0 ? load_W / at.available_W : 0.0;
  const double y = std::max(at.plr_frac, p.plr_min_frac);
  at.cycling_frac = std::min(at.plr_frac / p.plr_min_frac, 1.0);
  const double h = p.input_plr_ratio[0] + y * (p.input_plr_ratio[1] + y * p.input_plr_ratio[2]);
  at.power_W = p.capacity_W / p.cop_ratio * f * g * h * at.cycling_frac;
  return at;
}

}  // namespace TIDEWATT_NAMESPACE::cooling
