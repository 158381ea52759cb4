#include "tidewatt/thermal/fan_controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/field_log.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"

namespace TIDEWATT_NAMESPACE::thermal {
namespace {

/// What is wrong with a table; empty: nothing.
std::string table_finding(const FanGroupParams& g) {
  if (g.threshold_K.size() != g.speed_frac.size())
    return fmt::format("{} thresholds and {} speeds: a speed belongs to each threshold", g.threshold_K.size(),
                       g.speed_frac.size());
  if (g.threshold_K.empty() && !g.regulates) return "neither thresholds nor a set point: the group asks for nothing";
  if (std::adjacent_find(g.threshold_K.begin(), g.threshold_K.end(), std::greater_equal<>()) != g.threshold_K.end())
    return "thresholds must ascend";
  return {};
}

/// Whether a table holds on to its reading.
bool near(const FanGroupParams& g, double accepted_K, double reading_K) {
  return reading_K <= accepted_K + g.hysteresis_up_K && reading_K >= accepted_K - g.hysteresis_down_K;
}

}  // namespace

void FanGroupParams::fields(FieldVisitor& v) {
  choose(v, "senses", senses, "what fleets take for the reading; none: the group asks for no more than the others",
         Need::optional);
  v.flag("margin", margin, "true: readings are distances to a limit, negative below it", Need::optional);
  if (margin)
    v.numbers("threshold_margin_K", threshold_K, {-150, 50}, "thresholds at which each step begins", Need::optional);
  else
    v.numbers("threshold_degC", threshold_K, {-40, 150}, "thresholds at which each step begins", Need::optional);
  v.numbers("speed_frac", speed_frac, {0, 1}, "PWM from each threshold on", Need::optional);
  v.number("hysteresis_up_K", hysteresis_up_K, {0, 20},
           "a rise up to this much over the last accepted reading is ignored ", Need::optional);
  v.number("hysteresis_down_K", hysteresis_down_K, {0, 20}, "a fall up to this much is ignored", Need::optional);
  v.flag("line", line, "true: linear between thresholds; false: steps", Need::optional);
  v.flag("regulates", regulates, "true: the group has a PID term", Need::optional);
  const Need need = regulates ? Need::required : Need::optional;
  if (margin)
    v.number("set_point_margin_K", set_point_K, {-150, 50}, "set point of the PID term", need);
  else
    v.number("set_point_degC", set_point_K, {-40, 150}, "set point of the PID term", need);
  v.number("gain_frac_per_K", gain_per_K, {0, 1}, "kp: PWM per kelvin above the set point", need);
  v.number("integral_gain_frac_per_K_s", integral_gain_per_K_s, {0, 1}, "ki: PWM per kelvin and second", need);
  v.number("regulates_above_K", regulates_above_K, {0, 20}, "the PID term acts this far above its set point",
           Need::optional);
  v.number("clears_below_K", clears_below_K, {0, 20}, "its integral is cleared this far below", Need::optional);
}

void FanControllerParams::fields(FieldVisitor& v) {
  v.number("sample_s", sample_s, {0.01, 600}, "time between two samples");
  v.number("slew_frac", slew_frac, {0.001, 1}, "largest change of the PWM from sample to sample");
  v.number("failed_read_frac", failed_read_frac, {0, 1}, "PWM while a sensor cannot be read");
  v.number("failed_fan_frac", failed_fan_frac, {0, 1}, "PWM while fans stand still");
  v.integer("failed_fans", failed_fans, {1, 1000}, "number of rotors that must stand still for failed_fan_frac");
}

FanControllerParams read_fan_controller(const Node& entry, const std::string& path, FieldLog* log) {
  std::vector<Finding> findings;
  FanControllerParams out;
  if (log != nullptr) log->list(log->pattern(path + ".group"));
  TableReader r(entry, path, findings, log);
  out.fields(r);
  const Node* groups = r.child("group", Need::required, "sensors that ask for a speed");
  r.finish();
  if (groups != nullptr && groups->is_table())
    for (const auto& [name, node] : std::get<Node::Table>(groups->value)) {
      FanGroupParams g;
      g.name = name;
      // The first pass finds the keys that the second one knows.
      std::vector<Finding> unseen;
      TableReader first(node, path + ".group." + name, unseen);
      first.flag("margin", g.margin, "", Need::optional);
      first.flag("regulates", g.regulates, "", Need::optional);
      TableReader of_group(node, path + ".group." + name, findings, log);
      g.fields(of_group);
      of_group.finish();
      if (const auto finding = table_finding(g); !finding.empty()) of_group.report(&node, "", finding);
      out.groups.push_back(std::move(g));
    }
  if (!findings.empty()) throw InputError(findings);
  return out;
}

double fan_table_frac(const FanGroupParams& g, double reading_K) {
  if (g.threshold_K.empty()) return 0.0;
  const auto above = std::upper_bound(g.threshold_K.begin(), g.threshold_K.end(), reading_K);
  if (above == g.threshold_K.begin()) return g.speed_frac.front();
  const auto i = static_cast<std::size_t>(above - g.threshold_K.begin()) - 1;
  if (!g.line || above == g.threshold_K.end()) return g.speed_frac[i];
  const double x = (reading_K - g.threshold_K[i]) / (g.threshold_K[i + 1] - g.threshold_K[i]);
  return std::fma(x, g.speed_frac[i + 1] - g.speed_frac[i], g.speed_frac[i]);
}

FanController::FanController(FanControllerParams params, double start_frac)
    : p_(std::move(params)), memory_(p_.groups.size()), speed_frac_(start_frac) {
  std::vector<Finding> findings;
  for (const auto& g : p_.groups)
    if (const auto finding = table_finding(g); !finding.empty()) findings.push_back({{}, "group." + g.name, finding});
  if (p_.groups.empty()) findings.push_back({{}, "group", "a controller needs at least one group of sensors"});
  if (!findings.empty()) throw InputError(findings);
}

double FanController::table_frac(const FanGroupParams& g, Memory& m, double reading_K) const {
  if (!near(g, m.accepted_K, reading_K)) m.accepted_K = reading_K;  // also the first one: nothing is near NaN
  return fan_table_frac(g, m.accepted_K);
}

double FanController::regulated_frac(const FanGroupParams& g, Memory& m, double reading_K) const {
  const double above_K = reading_K - g.set_point_K;
  if (above_K > g.regulates_above_K) {
    m.integral_K_s += above_K * p_.sample_s;
    m.term_frac = g.gain_per_K * above_K + g.integral_gain_per_K_s * m.integral_K_s;
  } else if (above_K < -g.clears_below_K) {
    m.integral_K_s = m.term_frac = 0.0;
  }
  return m.term_frac;
}

void FanController::append_memory(std::vector<double>& to) const {
  to.push_back(speed_frac_);
  for (const auto& m : memory_)
    to.insert(to.end(), {m.reading_K, m.accepted_K, m.integral_K_s, m.term_frac, m.asked_frac});
}

double FanController::sample(std::span<const double> reading_K, std::int64_t stopped_rotors) {
  if (reading_K.size() != p_.groups.size())
    throw InputError(fmt::format("fan controller: {} readings for {} groups", reading_K.size(), p_.groups.size()));
  double wanted_frac = 0.0;
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    auto& m = memory_[i];
    if (m.rests && reading_K[i] == m.reading_K) {
      wanted_frac = std::max(wanted_frac, m.asked_frac);
      continue;
    }
    const auto& g = p_.groups[i];
    m.reading_K = reading_K[i];
    m.rests = !g.regulates || !(reading_K[i] - g.set_point_K > g.regulates_above_K);  // an integral grows
    if (std::isnan(reading_K[i])) {
      m.asked_frac = p_.failed_read_frac;
    } else if (g.regulates || !near(g, m.accepted_K, reading_K[i]) || m.asked_frac == p_.failed_read_frac) {
      const double table = table_frac(g, m, reading_K[i]);
      m.asked_frac = std::clamp(g.regulates ? table + regulated_frac(g, m, reading_K[i]) : table, 0.0, 1.0);
    }
    wanted_frac = std::max(wanted_frac, m.asked_frac);
  }
  if (stopped_rotors >= p_.failed_fans) wanted_frac = std::max(wanted_frac, p_.failed_fan_frac);
  speed_frac_ += std::clamp(wanted_frac - speed_frac_, -p_.slew_frac, p_.slew_frac);
  return speed_frac_;
}

}  // namespace TIDEWATT_NAMESPACE::thermal
