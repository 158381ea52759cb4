#include "port_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenario_check.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

using Held = std::optional<double>;
using Direction = Port::Direction;
constexpr double joule_per_MWh = 3.6e9;

/// A mean over an interval that has a length; null otherwise.
Value mean(double from, double to, Tick duration) {
  return duration > 0 ? Value((to - from) / seconds(duration)) : Value();
}

Value or_none(Held held) { return held ? Value(*held) : Value(); }

std::string state_name(const JobRun& job) { return workload::name_of(job.life().next(job.now()).state); }

/// Sets a value given from outside.
template <class Member>
auto outside(Member Outside::* member) {
  return [member](Simulation& e, Held value) {
    Outside given = e.state.outside;
    given.*member = value;
    e.set_outside(std::move(given));
  };
}

/// Over a hall's GPUs. @param of [gpu of the fleet]
template <class Take>
void each_gpu(const Simulation& e, std::size_t hall, std::span<const double> of, Take&& take) {
  const auto& fleet = e.model.fleet;
  for (std::size_t g = 0; g < of.size(); ++g)
    if (fleet.node_hall[g / fleet.n_gpu_per_node] == hall) take(of[g]);
}

double mean_over(const Simulation& e, std::size_t hall, std::span<const double> of) {
  double sum = 0.0, n = 0.0;
  each_gpu(e, hall, of, [&](double x) { sum += x, n += 1.0; });
  return sum / n;
}

double least_over(const Simulation& e, std::size_t hall, std::span<const double> of) {
  double out = std::numeric_limits<double>::infinity();
  each_gpu(e, hall, of, [&](double x) { out = std::min(out, x); });
  return out;
}

double most_over(const Simulation& e, std::size_t hall, std::span<const double> of) {
  double out = 0.0;
  each_gpu(e, hall, of, [&](double x) { out = std::max(out, x); });
  return out;
}

/// Price of energy in the tariff now.
Value tariff_USD_per_MWh(const Simulation& e) {
  const auto start = calendar_start(e.model.scenario.run.start);
  const double hour = start.hour + seconds(e.state.now) / 3600.0, days = std::floor(hour / 24.0);
  const auto& tariff = e.model.scenario.economics->tariff;
  const auto& prices =
      (start.weekday + static_cast<std::int64_t>(days)) % 7 >= 5 ? tariff.weekend_USD_per_J : tariff.price_USD_per_J;
  const auto h = static_cast<std::size_t>(hour - 24.0 * days);
  return h < prices.size() ? Value(prices[h] * joule_per_MWh) : Value();
}

Held price(const Simulation& e) {
  return e.state.outside.prices.empty() ? Held() : e.state.outside.prices.back().USD_per_MWh;
}

void add_site(const Simulation& run, std::vector<PortEntry>& entries) {
  using C = PortCounters;
  const auto read = [&](std::string name, std::string unit, std::string doc, auto get) {
    entries.push_back(
        {{std::move(name), std::move(unit), Direction::read, "site", std::move(doc)}, std::move(get), {}, {}, false});
  };
  const auto write = [&](std::string name, std::string unit, std::string doc, double low, double high, auto get,
                         auto held, auto set) {
    entries.push_back({{std::move(name), std::move(unit), Direction::read_write, "site", std::move(doc), low, high},
                       std::move(get),
                       std::move(held),
                       std::move(set),
                       false});
  };
  const auto& scenario = run.model.scenario;
  read("time_s", "s", "simulated time since the start",
       [](const Simulation&, const C&, const C& to) { return Value(seconds(to.at)); });
  read("pcc_W", "W", "power drawn at the connection",
       [](const Simulation&, const C& from, const C& to) { return mean(from.pcc_J, to.pcc_J, to.at - from.at); });
  read("pcc_now_W", "W", "power drawn at the connection",
       [](const Simulation& e, const C&, const C&) { return Value(e.connection->stream().last_bin().pcc_W); });
  read("pcc_now_var", "var", "reactive power drawn at the connection",
       [](const Simulation& e, const C&, const C&) { return Value(e.connection->stream().last_bin().pcc_var); });
  read("it_W", "W", "power of all servers at their AC inputs",
       [](const Simulation&, const C& from, const C& to) { return mean(from.it_J, to.it_J, to.at - from.at); });
  read("cooling_W", "W", "power of the cooling plants", [](const Simulation&, const C& from, const C& to) {
    return mean(from.cooling_J, to.cooling_J, to.at - from.at);
  });
  write(
      "frequency_Hz", "Hz", "frequency of the grid, now; written, it is so from then on",
      0.5 * scenario.frequency.nominal_Hz, 1.5 * scenario.frequency.nominal_Hz,
      [](const Simulation& e, const C&, const C&) { return Value(e.connection->stream().last_bin().frequency_Hz); },
      [](const Simulation& e) { return e.state.outside.frequency_Hz; }, outside(&Outside::frequency_Hz));
  write(
      "voltage_pu", "1",
      "voltage at the connection over nominal, now; written, it is so from then on: supplies and ride-through see it",
      0.0, 1.5, [](const Simulation& e, const C&, const C&) { return Value(e.connection->stream().last_bin().bus_pu); },
      [](const Simulation& e) { return e.state.outside.voltage_pu; }, outside(&Outside::voltage_pu));
  if (scenario.battery) {
    read("storage_J", "J", "energy in the site battery, now",
         [](const Simulation& e, const C&, const C&) { return Value(e.connection->stream().battery()->energy_J()); });
    write(
        "storage_W", "W",
        "power that the site battery takes, negative while it gives; written, it replaces the battery's controller "
        "within its limits",
        -scenario.battery->power_W, scenario.battery->power_W,
        [](const Simulation&, const C& from, const C& to) {
          return mean(from.storage_J, to.storage_J, to.at - from.at);
        },
        [](const Simulation& e) { return e.state.outside.storage_W; }, outside(&Outside::storage_W));
  }
  write(
      "order_W", "W",
      "most that the connection shall draw, by an order that is met with power caps, or by tiers where jobs have "
      "[job.curtailment]; none before it is written",
      0.0, 1e11, [](const Simulation& e, const C&, const C&) { return or_none(e.state.outside.order_W); },
      [](const Simulation& e) { return e.state.outside.order_W; }, outside(&Outside::order_W));
  write(
      "outdoor_drybulb_K", "K",
      "outdoor air, now; written, it replaces the weather's. Below its dew point air is saturated", 223.15, 333.15,
      [](const Simulation& e, const C&, const C&) { return Value(e.halls.outdoor().at(e.state.now).drybulb_K); },
      [](const Simulation& e) { return e.state.outside.outdoor_drybulb_K; }, outside(&Outside::outdoor_drybulb_K));
  write(
      "outdoor_wetbulb_K", "K",
      "wet bulb of the outdoor air, now; written, it replaces the weather's, at least that of dry air and at most the "
      "dry bulb",
      223.15, 318.15,
      [](const Simulation& e, const C&, const C&) { return Value(e.halls.outdoor().at(e.state.now).wetbulb_K); },
      [](const Simulation& e) { return e.state.outside.outdoor_wetbulb_K; }, outside(&Outside::outdoor_wetbulb_K));
  if (scenario.economics)
    write(
        "price_USD_per_MWh", "USD/MWh", "price of energy, now; written, it replaces the tariff's", -1e4, 1e5,
        [](const Simulation& e, const C&, const C&) { return price(e) ? or_none(price(e)) : tariff_USD_per_MWh(e); },
        price,
        [](Simulation& e, Held value) {
          Outside given = e.state.outside;
          given.prices.push_back({e.state.now, value});
          e.set_outside(std::move(given));
        });
}

void add_hall(const Simulation& run, std::size_t h, std::vector<PortEntry>& entries) {
  using C = PortCounters;
  const auto& spec = run.model.scenario.halls[h];
  const std::string at = "hall." + spec.hall.name + ".", place = "hall " + spec.hall.name;
  const auto& type = run.model.fleet.types[h];
  const auto read = [&](const std::string& key, std::string unit, std::string doc, auto get) {
    entries.push_back({{at + key, std::move(unit), Direction::read, place, std::move(doc)},
                       [get](const Simulation& e, const C&, const C&) { return Value(get(e)); },
                       {},
                       {},
                       false});
  };
  const auto write = [&](const std::string& key, std::string unit, std::string doc, double low, double high, auto get,
                         auto held, auto set) {
    entries.push_back({{at + key, std::move(unit), Direction::read_write, place, std::move(doc), low, high},
                       [get](const Simulation& e, const C&, const C&) { return Value(get(e)); },
                       std::move(held),
                       std::move(set),
                       false});
  };
  const auto supply_K = [h](const Simulation& e) { return e.halls.coolant_K(h); };
  const char* supply = "coolant that the plant supplies, now; written, it is the plant's set point";
  if (spec.own_plant)
    read("supply_K", "K", "coolant that the plant supplies, now", supply_K);
  else
    write(
        "supply_K", "K", supply, 253.15, 333.15, supply_K,
        [h](const Simulation& e) { return e.state.outside.supply_K[h]; },
        [h](Simulation& e, Held value) {
          Outside given = e.state.outside;
          given.supply_K[h] = value;
          e.set_outside(std::move(given));
        });
  read("die_max_K", "K", "largest of the GPUs' mean die temperatures over their last complete iteration",
       [h](const Simulation& e) { return hottest_mean_K(e, h); });
  read("die_max_now_K", "K", "hottest die, now", [h](const Simulation& e) { return hottest_now_K(e, h); });
  if (type.memory)
    read("memory_max_K", "K", "memory stacks of the warmest GPU, mean over the last step",
         [h](const Simulation& e) { return most_over(e, h, e.scratch.signals.memory_K); });
  read("clock_mean_Hz", "Hz", "clock of the last step, mean over GPUs",
       [h](const Simulation& e) { return mean_over(e, h, e.state.fleet.clock_Hz); });
  read("clock_min_Hz", "Hz", "clock of the slowest GPU in the last step",
       [h](const Simulation& e) { return least_over(e, h, e.state.fleet.clock_Hz); });
  const auto limit = [&](const std::string& key, std::string unit, std::string doc, double low, double high,
                         double usual, double HallControls::Limits::* member) {
    write(
        key, std::move(unit), std::move(doc), low, high,
        [h, member](const Simulation& e) { return e.controls.limits()[h].*member; },
        [h, member](const Simulation& e) { return Held(e.controls.limits()[h].*member); },
        [h, member, usual](Simulation& e, Held value) {
          auto limits = e.controls.limits()[h];
          limits.*member = value.value_or(usual);
          e.controls.set_limits(h, limits);
          e.apply_controls();
        });
  };
  limit("cap_W", "W", "power cap of each GPU", lowest_cap_W(run.model.scenario, run.model.scenario.halls[h]),
        gpu_cap_max_W(run.model.scenario.halls[h]), type.usual.cap_W, &HallControls::Limits::cap_W);
  limit("clock_lock_Hz", "Hz", "highest clock of each GPU", type.gpu.clock_min_Hz(), type.gpu.clock_max_Hz(),
        type.usual.lock_Hz, &HallControls::Limits::clock_lock_Hz);
}

void add_job(const Simulation& run, std::size_t j, std::vector<PortEntry>& entries) {
  using C = PortCounters;
  const std::string name = run.model.scenario.jobs[j].name, at = "job." + name + ".", place = "job " + name;
  const auto read = [&](const std::string& key, std::string unit, std::string doc, auto get) {
    entries.push_back(
        {{at + key, std::move(unit), Direction::read, place, std::move(doc)}, std::move(get), {}, {}, false});
  };
  read("tokens", "1", "tokens of all completed iterations",
       [j](const Simulation&, const C&, const C& to) { return Value(to.tokens[j]); });
  read("tokens_per_s", "1/s", "tokens per second", [j](const Simulation&, const C& from, const C& to) {
    return mean(from.tokens[j], to.tokens[j], to.at - from.at);
  });
  read(
      "it_W", "W", "power of the job's servers at their AC inputs",
      [j](const Simulation&, const C& from, const C& to) { return mean(from.job_J[j], to.job_J[j], to.at - from.at); });
  read("iteration_s", "s", "length of the last iteration", [j](const Simulation& e, const C&, const C&) {
    const Tick period = e.occupants[j].last_period();
    return period > 0 ? Value(seconds(period)) : Value();
  });
  read("state", "", "what the job does now",
       [j](const Simulation& e, const C&, const C&) { return Value(state_name(e.occupants[j])); });
  entries.push_back(
      {{at + "paused", "1", Direction::read_write, place,
        "1: the job saves and stops after its iteration, until 0 starts it again", 0.0, 1.0},
       [j](const Simulation& e, const C&, const C&) { return Value(e.state.outside.paused[j] != 0 ? 1.0 : 0.0); },
       [j](const Simulation& e) { return Held(e.state.outside.paused[j] != 0 ? 1.0 : 0.0); },
       [j](Simulation& e, Held value) {
         Outside given = e.state.outside;
         given.paused[j] = value.value_or(0.0) != 0.0 ? 1 : 0;
         e.set_outside(std::move(given));
       },
       true});
}

}  // namespace

void add(PortCounters& to, double share, const PortCounters& more) {
  to.pcc_J += share * more.pcc_J, to.it_J += share * more.it_J;
  to.cooling_J += share * more.cooling_J, to.storage_J += share * more.storage_J;
  for (std::size_t i = 0; i < to.tokens.size(); ++i)
    to.tokens[i] += share * more.tokens[i], to.job_J[i] += share * more.job_J[i];
}

PortCounters difference(PortCounters to, const PortCounters& from) {
  to.at -= from.at;
  add(to, -1.0, from);
  return to;
}

PortCounters count(Simulation& run) {
  run.settle();
  PortCounters c{run.state.now,
                 run.connection->stream().connection_J(),
                 run.state.meters.ac_in.value(),
                 run.halls.books().electric.value(),
                 0.0,
                 {},
                 {}};
  if (const auto* battery = run.connection->stream().battery())
    c.storage_J = battery->meters().charged_J.value() - battery->meters().discharged_J.value();
  for (const auto& user : run.occupants)
    if (user.trains()) {
      c.tokens.push_back(user.figures().tokens);
      c.job_J.push_back(user.figures().load_J);
    }
  return c;
}

std::vector<PortEntry> port_table(const Simulation& run) {
  std::vector<PortEntry> out;
  add_site(run, out);
  for (std::size_t h = 0; h < run.model.scenario.halls.size(); ++h) add_hall(run, h, out);
  for (std::size_t j = 0; j < run.model.scenario.jobs.size(); ++j) add_job(run, j, out);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::sim
