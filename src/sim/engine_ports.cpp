#include "engine_ports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tidewatt/base/archive.hpp"
#include "tidewatt/base/text.hpp"

namespace tidewatt::sim {
namespace {

using Direction = Port::Direction;

/// A mean over an interval that has a length; null otherwise.
Value mean(double from, double to, Tick duration) {
  return duration > 0 ? Value((to - from) / seconds(duration)) : Value();
}

Tick whole_ms(double t_s) {
  const double ms = std::round(t_s * 1e3);
  if (!(std::abs(t_s * 1e3 - ms) <= 1e-6) || std::abs(ms) > 1e15) throw InputError(fmt::format("advance_to: {} s is not a whole number of milliseconds", t_s));
  return static_cast<Tick>(ms) * ns_per_ms;
}

std::string state_name(const JobRun& job) { return workload::name_of(job.life().next(job.now()).state); }

}  // namespace

Engine::Ports::Counters Engine::Ports::count(Impl& e) {
  e.settle();
  Counters c{e.state.now, e.connection->stream().connection_J(), e.state.meters.ac_in.value(), e.halls.books().electric.value(), {}};
  for (const auto& user : e.occupants)
    if (user.trains()) c.tokens.push_back(user.figures().tokens);
  return c;
}

Engine::Ports::Ports(Impl& engine) {
  using C = Counters;
  const auto read = [&](std::string name, std::string unit, std::string place, std::string doc, auto get) {
    entries.push_back({{std::move(name), std::move(unit), Direction::read, std::move(place), std::move(doc)}, std::move(get), {}});
  };
  read("time_s", "s", "site", "simulated time since the start", [](const Impl&, const C&, const C& to) { return Value(seconds(to.at)); });
  read("pcc_W", "W", "site", "power drawn at the connection",
       [](const Impl&, const C& from, const C& to) { return mean(from.pcc_J, to.pcc_J, to.at - from.at); });
  read("pcc_now_W", "W", "site", "power drawn at the connection", [](const Impl& e, const C&, const C&) { return Value(e.connection->stream().last_bin().pcc_W); });
  read("pcc_now_var", "var", "site", "reactive power drawn at the connection",
       [](const Impl& e, const C&, const C&) { return Value(e.connection->stream().last_bin().pcc_var); });
  read("it_W", "W", "site", "power of all servers at their AC inputs",
       [](const Impl&, const C& from, const C& to) { return mean(from.it_J, to.it_J, to.at - from.at); });
  read("cooling_W", "W", "site", "power of the cooling plants",
       [](const Impl&, const C& from, const C& to) { return mean(from.cooling_J, to.cooling_J, to.at - from.at); });
  read("frequency_Hz", "Hz", "site", "frequency of the grid, now", [](const Impl& e, const C&, const C&) { return Value(e.connection->stream().last_bin().frequency_Hz); });
  read("voltage_pu", "1", "site", "voltage at the connection over nominal, now",
       [](const Impl& e, const C&, const C&) { return Value(e.connection->stream().last_bin().bus_pu); });
  if (engine.model.scenario.battery)
    read("storage_J", "J", "site", "energy in the site battery, now", [](const Impl& e, const C&, const C&) { return Value(e.connection->stream().battery()->energy_J()); });
  for (std::size_t h = 0; h < engine.model.scenario.halls.size(); ++h) {
    const std::string name = engine.model.scenario.halls[h].hall.name, at = "hall." + name + ".", place = "hall " + name;
    const auto& type = engine.model.fleet.types[h];
    read(at + "supply_K", "K", place, "coolant that the plant supplies, now", [h](const Impl& e, const C&, const C&) { return Value(e.halls.coolant_K(h)); });
    read(at + "die_max_K", "K", place, "largest of the GPUs' mean die temperatures over their last complete iteration",
         [h](const Impl& e, const C&, const C&) { return Value(hottest_mean_K(e, h)); });
    read(at + "die_max_now_K", "K", place, "hottest die, now", [h](const Impl& e, const C&, const C&) { return Value(hottest_now_K(e, h)); });
    const auto limit = [&](std::string key, std::string unit, std::string doc, double low, double high, double HallControls::Limits::*member) {
      entries.push_back({{at + key, std::move(unit), Direction::read_write, place, std::move(doc), low, high},
                         [h, member](const Impl& e, const C&, const C&) { return Value(e.controls.limits()[h].*member); },
                         [h, member](Impl& e, double value) {
                           auto limits = e.controls.limits()[h];
                           limits.*member = value;
                           e.controls.set_limits(h, limits);
                           e.apply_controls();
                         }});
    };
    limit("cap_W", "W", "power cap of each GPU", type.governor.cap_margin_W + 1.0, type.gpu.params().tdp_W, &HallControls::Limits::cap_W);
    limit("clock_lock_Hz", "Hz", "highest clock of each GPU", type.gpu.clock_min_Hz(), type.gpu.clock_max_Hz(), &HallControls::Limits::clock_lock_Hz);
  }
  for (std::size_t j = 0; j < engine.model.scenario.jobs.size(); ++j) {
    const std::string name = engine.model.scenario.jobs[j].name, at = "job." + name + ".", place = "job " + name;
    read(at + "tokens", "1", place, "tokens of all completed iterations", [j](const Impl&, const C&, const C& to) { return Value(to.tokens[j]); });
    read(at + "tokens_per_s", "1/s", place, "tokens per second",
         [j](const Impl&, const C& from, const C& to) { return mean(from.tokens[j], to.tokens[j], to.at - from.at); });
    read(at + "iteration_s", "s", place, "length of the last iteration", [j](const Impl& e, const C&, const C&) {
      const Tick period = e.occupants[j].last_period();
      return period > 0 ? Value(seconds(period)) : Value();
    });
    read(at + "state", "", place, "what the job does now", [j](const Impl& e, const C&, const C&) { return Value(state_name(e.occupants[j])); });
  }
  before = last = count(engine);
}

const Engine::Ports::Entry& Engine::Ports::find(std::string_view name) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.port.name == name; });
  if (found != entries.end()) return *found;
  std::vector<std::string> known;
  for (const auto& e : entries) known.push_back(e.port.name);
  const auto close = nearest(name, known);
  throw InputError(fmt::format("port: there is no \"{}\"{}", name, close.empty() ? "" : "; the nearest is \"" + close + "\""));
}

/// Moves the probe to `t`. Its last step but one ends two iterations before, so that means over the last complete
/// iteration are not means over a long jump.
void Engine::Ports::look_inside(Impl& engine, Tick t) {
  if (!inside) {
    if (!probe) {
      RunOptions options = engine.model.options;
      options.progress = nullptr;
      options.tape = nullptr;
      probe = std::make_unique<Impl>(engine.model.scenario, options);
    }
    probe->load(engine.save());
    inside = true;
    n_look = 0;
  }
  const Tick period = longest_period(*probe);
  for (const Tick edge : {(t - 2 * period) / ns_per_ms * ns_per_ms, t}) {
    probe->agenda.set_pause(edge);
    while (probe->state.now < edge) probe->step();
  }
  ++n_look;
}

void Engine::Ports::advance_to(std::unique_ptr<Impl>& engine, double t_s) {
  const Tick t = whole_ms(t_s);
  if (t < asked) throw InputError(fmt::format("advance_to: {} s is in the past, the engine is at {} s", t_s, seconds(asked)));
  if (t > engine->model.end) throw InputError(fmt::format("advance_to: {} s is beyond the run's end at {} s", t_s, seconds(engine->model.end)));
  while (engine->state.now < t && engine->agenda.planned_end(engine->state.now, engine->occupants) <= t) {
    // A step that is about to end at `t` may reach beyond it, to the end of an iteration: then it is taken back.
    const bool close = engine->agenda.planned_end(engine->state.now, engine->occupants) + 2 * longest_period(*engine) + ns_per_s > t;
    const std::string start = close ? engine->save() : std::string();
    engine->step();
    if (engine->state.now > t) {
      engine->load(start);
      break;
    }
    inside = false;
  }
  if (engine->state.now < t) look_inside(*engine, t);
  else inside = false;
  asked = t;
  before = std::move(last);
  last = count(at_time(*engine));
}

void Engine::Ports::write(std::unique_ptr<Impl>& engine, std::string_view name, double value) {
  const Entry& entry = find(name);
  const Port& p = entry.port;
  if (!entry.set) throw InputError(fmt::format("port {}: it can be read only", p.name));
  if (!(value >= p.low && value <= p.high)) throw InputError(fmt::format("port {}: {} is not within {} to {} {}", p.name, value, p.low, p.high, p.unit));
  if (entry.get(at_time(*engine), before, last) == Value(value)) return;
  if (inside) {
    // The step ends here. Where it ends must not depend on how often somebody looked on the way.
    if (n_look > 1) {
      inside = false;
      look_inside(*engine, asked);
    }
    std::swap(engine, probe);
    inside = false;
    last = count(*engine);
  }
  entry.set(*engine, value);
}

void Engine::Ports::step(Impl& engine) {
  inside = false;
  engine.step();
  asked = engine.state.now;
  before = std::move(last);
  last = count(engine);
}

std::string Engine::Ports::save(Impl& engine) {
  ArchiveWriter a;
  std::string state = engine.save();
  a(state, asked, before, last);
  return a.take();
}

void Engine::Ports::restore(Impl& engine, std::string_view bytes) {
  ArchiveReader a(bytes);
  std::string state;
  Tick t = 0;
  Counters saved_before, saved_last;
  a(state, t, saved_before, saved_last);
  if (!a.done() || saved_before.tokens.size() != engine.model.scenario.jobs.size() || saved_last.tokens.size() != engine.model.scenario.jobs.size())
    throw InputError("checkpoint: of another scenario");
  engine.load(state);
  inside = false;
  if (t > engine.state.now) look_inside(engine, t);
  asked = t;
  before = std::move(saved_before);
  last = std::move(saved_last);
}

}  // namespace tidewatt::sim
