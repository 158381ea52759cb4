#include "grid_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grid/compliance_report.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

using List = std::vector<std::pair<std::string, double>>;

Value number(double x) { return std::isfinite(x) ? Value(x) : Value(); }

std::string trimmed(double x) {
  std::string s = fmt::format("{:f}", x);
  while (s.back() == '0') s.pop_back();
  if (s.back() == '.') s.pop_back();
  return s;
}

void add_rules(const connection::SiteStream& stream, Result& result) {
  auto& summary = result.summary;
  auto& arrays = result.arrays;
  const double lost_W = stream.load_lost_W();
  const auto reports = stream.meters().reports(lost_W, std::isfinite(lost_W) ? stream.delivery()->load_lost_bin() : -1);
  if (reports.empty()) return;
  result.compliance = reports;
  std::vector<std::string> set, rule, title, verdict, units;
  std::vector<double> value, spread, limit, margin, margin_frac, worst_s;
  std::string failing;
  auto whole = grid::Compliance::pass;
  for (const auto& r : reports) {
    const auto v = r.verdict();
    const auto rank = [](grid::Compliance c) {
      return c == grid::Compliance::fail           ? 3
             : c == grid::Compliance::undecided    ? 2
             : c == grid::Compliance::not_measured ? 1
                                                   : 0;
    };
    if (rank(v) > rank(whole)) whole = v;
    for (const auto& o : r.outcomes) {
      set.push_back(r.rule_set);
      rule.push_back(o.rule.name);
      title.push_back(o.rule.title);
      verdict.emplace_back(grid::name(o.verdict));
      units.emplace_back(grid::si_unit(o.rule.metric));
      value.push_back(o.figure.value);
      spread.push_back(o.figure.spread);
      limit.push_back(o.rule.limit);
      margin.push_back(o.margin);
      margin_frac.push_back(o.margin_frac);
      worst_s.push_back(o.figure.worst < 0 ? std::nan("") : seconds(o.figure.worst));
      if (o.verdict == grid::Compliance::pass) continue;
      failing +=
          (failing.empty() ? "" : "; ") + r.rule_set + "." + o.rule.name + " " + std::string(grid::name(o.verdict));
      if (o.verdict != grid::Compliance::not_measured)
        failing += " by " + trimmed(std::round(-1000.0 * o.margin_frac) / 10.0) + " %";
    }
  }
  summary.emplace_back("compliance", std::string(grid::name(whole)));
  summary.emplace_back("compliance_not_passed", failing.empty() ? Value() : Value(failing));
  const std::uint64_t n = rule.size();
  const auto text = [&](const char* path, std::vector<std::string> v, const char* what) {
    arrays.push_back({path, {"rule"}, {n}, std::move(v), "1", what});
  };
  const auto figure = [&](const char* path, std::vector<double> v, const char* unit, const char* what) {
    arrays.push_back({path, {"rule"}, {n}, std::move(v), unit, what});
  };
  text("/compliance/rule", rule, "name of the rule");
  text("/compliance/rule_set", set, "rule set that it stands in");
  text("/compliance/title", title, "what it says");
  text("/compliance/verdict", verdict, "pass, fail, undecided or not measured");
  text("/compliance/unit", units, "unit of value, spread, limit and margin");
  figure("/compliance/value", value, "1", "figure, SI unit of the rule's metric");
  figure("/compliance/spread", spread, "1", "half width of what is not known about it");
  figure("/compliance/limit", limit, "1", "limit, same unit");
  figure("/compliance/margin", margin, "1", "distance to the limit, positive where allowed");
  figure("/compliance/margin_frac", margin_frac, "1", "margin over the limit");
  figure("/compliance/worst_s", worst_s, "s", "when the figure stood at its worst");
}

void add_devices(const connection::SiteStream& stream, std::vector<std::pair<std::string, Value>>& summary) {
  const auto put = [&](const char* key, Value v) { summary.emplace_back(key, std::move(v)); };
  if (stream.battery() != nullptr) {
    const auto& b = stream.battery()->meters();
    put("battery_charged_MWh", b.charged_J.value() / 3.6e9);
    put("battery_discharged_MWh", b.discharged_J.value() / 3.6e9);
    put("battery_loss_MWh", (b.charge_loss_J.value() + b.discharge_loss_J.value() + b.standby_J.value()) / 3.6e9);
    put("battery_soc_min", b.soc_min_frac);
    put("battery_soc_max", b.soc_max_frac);
    if (const auto* w = stream.battery()->wear()) {
      put("battery_full_cycles", w->full_cycles);
      put("battery_life_used_ppm", List{{"cycles", 1e6 * (w->cycle_life_frac + w->throughput_life_frac)},
                                        {"calendar", 1e6 * w->calendar_life_frac}});
    }
    put("battery_limited",
        List{{"power", static_cast<double>(b.n_power_limited)}, {"energy", static_cast<double>(b.n_energy_limited)}});
  }
  if (stream.has_orders()) {
    const auto& o = stream.order_meters();
    put("order_kept", o.s > 0.0 ? Value(List{{"max_MW", o.max_W * 1e-6},
                                             {"mean_MW", o.mean_J / o.s * 1e-6},
                                             {"most_over_MW", o.most_over_W * 1e-6},
                                             {"over_MWh", o.over_J / 3.6e9}})
                                : Value());  // no whole mean of 100 ms is within an order
  }
  if (const auto* r = stream.grid().reserves()) {
    std::int64_t n_stage = 0;
    for (const double at_s : r->shed_at_s) n_stage += at_s >= 0.0 ? 1 : 0;
    put("reserves_fast_from_s", r->fast_from_s >= 0.0 ? Value(r->fast_from_s) : Value());
    put("reserves_stages_open", n_stage);
    put("reserves_shed_MW", stream.grid().shed_W() * 1e-6);
  }
  const connection::Delivery* d = stream.delivery();
  if (d == nullptr) return;
  put("unserved_MWh", d->unserved_J() / 3.6e9);
  put("load_lost_MW", number(stream.load_lost_W() * 1e-6));
  if (const auto* r = d->rack_storage()) {
    put("rack_storage_soc_min", r->soc_low_frac);
    put("rack_storage_soc_max", r->soc_high_frac);
    put("rack_storage_limited",
        List{{"power", static_cast<double>(r->n_power_limited)}, {"energy", static_cast<double>(r->n_energy_limited)}});
    put("rack_storage_loss_MWh", (r->charge_loss_J.value() + r->discharge_loss_J.value()) / 3.6e9);
  }
  if (const auto* u = d->ups()) {
    put("ups_loss_MWh", u->loss_J.value() / 3.6e9);
    put("ups_transfers", u->n_transfer);
    put("ups_dropped", u->n_off);
    put("ups_soc_min", u->battery.soc_low_frac);
    put("ups_soc_end", d->ups_soc_frac());
  }
  if (const auto* b = d->backup()) {
    put("generator_starts", b->n_start);
    put("generator_MWh", b->generator_J.value() / 3.6e9);
    put("generator_fuel_MWh", b->generator.fuel_J.value() / 3.6e9);
    put("generator_frequency_min_Hz", b->generator.lowest_Hz < 1e299 ? Value(b->generator.lowest_Hz) : Value());
  }
  if (const auto* t = d->turbines()) {
    put("turbine_parallel_MWh", d->parallel_J() / 3.6e9);
    put("island_MWh", t->electrical_J.value() / 3.6e9);
    put("island_frequency_min_Hz", t->lowest_Hz < 1e299 ? Value(t->lowest_Hz) : Value());
    put("island_frequency_max_Hz", t->highest_Hz > -1e299 ? Value(t->highest_Hz) : Value());
    put("island_trips", t->n_trip);
  }
  if (d->own_supply_J() > 0.0) put("own_supply_MWh", d->own_supply_J() / 3.6e9);
}

}  // namespace

void add_grid_summary(const connection::SiteStream& stream, double simulated_s, Result& result) {
  auto& summary = result.summary;
  const auto put = [&](const char* key, Value v) { summary.emplace_back(key, std::move(v)); };
  const auto& m = stream.meters();
  const auto list = [&](auto&& value) {
    List out;
    for (const auto& r : m.load().ramps()) out.emplace_back(trimmed(r.window_s) + "s", value(r) * 1e-6);
    return out;
  };
  const auto& part = m.params();
  put("rules_from_s", static_cast<double>(part.from_bin) * 1e-3);
  put("rules_until_s", std::min(static_cast<double>(part.until_bin) * 1e-3, simulated_s));
  put("ramp_up_MW_per_s", list([](const grid::Ramp& r) { return r.up_W_per_s; }));
  put("ramp_down_MW_per_s", list([](const grid::Ramp& r) { return r.down_W_per_s; }));
  List bands;
  for (const auto& b : m.load().bands())
    bands.emplace_back(trimmed(b.low_Hz) + "-" + trimmed(b.high_Hz) + "Hz", b.rms_W * 1e-6);
  put("band_rms_MW", bands);
  // Cycles larger than a tenth and than half of the largest swing.
  double largest_W = 0.0, tenth = 0.0, half = 0.0;
  const auto cycles = m.load().cycles();
  for (const auto& c : cycles) largest_W = std::max(largest_W, c.range_W);
  for (const auto& c : cycles) {
    tenth += c.range_W >= 0.1 * largest_W ? c.count : 0.0;
    half += c.range_W >= 0.5 * largest_W ? c.count : 0.0;
  }
  put("rainflow_cycles", List{{"largest_MW", largest_W * 1e-6}, {"above_tenth", tenth}, {"above_half", half}});
  const auto P_st = [&](std::size_t lamp) {
    return m.bus().flicker(lamp).windows().empty() ? Value() : Value(m.bus().flicker(lamp).P_st_max());
  };
  const auto P_lt = [&](std::size_t lamp) {
    return m.bus().flicker(lamp).windows().size() < 12 ? Value() : Value(m.bus().flicker(lamp).P_lt_max());
  };
  put("flicker_P_st_120V_60Hz", P_st(0));
  put("flicker_P_st_230V_50Hz", P_st(1));
  put("flicker_P_lt_120V_60Hz", P_lt(0));
  put("flicker_P_lt_230V_50Hz", P_lt(1));
  const auto stays = [](const grid::ExcursionMeter& e) {
    return List{{"below", static_cast<double>(e.below().count)},
                {"below_s", static_cast<double>(e.below().bins) * 1e-3},
                {"above", static_cast<double>(e.above().count)},
                {"above_s", static_cast<double>(e.above().bins) * 1e-3}};
  };
  put("voltage_outside_5_percent", stays(m.bus().voltage()));
  put("frequency_outside_36_mHz", stays(m.bus().frequency()));
  add_devices(stream, summary);
  add_rules(stream, result);
  m.add_arrays(result.arrays);
}

}  // namespace TIDEWATT_NAMESPACE::sim
