#include "engine_ports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenario_check.hpp"
#include "tidewatt/base/archive.hpp"
#include "tidewatt/base/sha256.hpp"
#include "tidewatt/base/text.hpp"
#include "tidewatt/sim/scenario_inputs.hpp"

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

constexpr Tick longest_iteration = 3600 * ns_per_s;

/// The lowest that a scenario may ask for.
double lowest_cap_W(const Scenario& scenario, std::size_t hall) {
  double out = 0.0;
  for (const auto& job : scenario.jobs) out = std::max(out, sim::lowest_cap_W(scenario.halls[hall], job));
  return out;
}

std::string state_name(const JobRun& job) { return workload::name_of(job.life().next(job.now()).state); }

}  // namespace

Engine::Ports::Counters Engine::Ports::count(Impl& e) {
  e.settle();
  Counters c{e.state.now, e.connection->stream().connection_J(), e.state.meters.ac_in.value(), e.halls.books().electric.value(), {}, {}};
  for (const auto& user : e.occupants)
    if (user.trains()) {
      c.tokens.push_back(user.figures().tokens);
      c.job_J.push_back(user.figures().load_J);
    }
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
    limit("cap_W", "W", "power cap of each GPU", lowest_cap_W(engine.model.scenario, h), type.gpu.params().tdp_W, &HallControls::Limits::cap_W);
    limit("clock_lock_Hz", "Hz", "highest clock of each GPU", type.gpu.clock_min_Hz(), type.gpu.clock_max_Hz(), &HallControls::Limits::clock_lock_Hz);
  }
  for (std::size_t j = 0; j < engine.model.scenario.jobs.size(); ++j) {
    const std::string name = engine.model.scenario.jobs[j].name, at = "job." + name + ".", place = "job " + name;
    read(at + "tokens", "1", place, "tokens of all completed iterations", [j](const Impl&, const C&, const C& to) { return Value(to.tokens[j]); });
    read(at + "tokens_per_s", "1/s", place, "tokens per second",
         [j](const Impl&, const C& from, const C& to) { return mean(from.tokens[j], to.tokens[j], to.at - from.at); });
    read(at + "it_W", "W", place, "power of the job's servers at their AC inputs",
         [j](const Impl&, const C& from, const C& to) { return mean(from.job_J[j], to.job_J[j], to.at - from.at); });
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

/// Keeps the beginning of a step of the engine's own.
void Engine::Ports::keep(Impl& engine, Tick planned_end) {
  moments_.push_back({engine.state.now, furthest_occupant(engine), planned_end, engine.save(std::move(spare_))});
  spare_.clear();
}

/// Drops all but the newest moments.
void Engine::Ports::forget(std::size_t n_kept) {
  while (moments_.size() > n_kept) {
    spare_ = std::move(moments_.front().bytes);
    moments_.pop_front();
  }
}

/// Plays to `t` from where the engine stands. The last macro step but one ends two iterations before, so that means over the last
/// complete iteration are not means over a long jump.
void Engine::Ports::play_to(Impl& engine, Tick t) {
  const Tick period = longest_period(engine);
  for (const Tick edge : {(t - 2 * period) / ns_per_ms * ns_per_ms, t}) {
    engine.agenda.set_pause(edge);
    while (engine.state.now < edge) engine.step();
  }
  engine.agenda.set_pause(workload::never);
  ++n_look_;
}

/// Plays to `t` from the newest moment at which no occupant's clock was beyond it. @pre the last moment is the engine's present step
void Engine::Ports::look_inside(Impl& engine, Tick t) {
  from_ = moments_.size() - 1;
  while (from_ > 0 && moments_[from_].clocks > t) --from_;
  if (inside_ || moments_[from_].now != engine.state.now) engine.load(moments_[from_].bytes);
  inside_ = true;
  n_look_ = 0;
  play_to(engine, t);
}

void Engine::Ports::leave_inside(Impl& engine) {
  if (!inside_) return;
  engine.load(moments_.back().bytes);
  spare_ = std::move(moments_.back().bytes);
  moments_.pop_back();
  inside_ = false;
}

void Engine::Ports::advance_to(Impl& engine, double t_s) {
  const Tick t = whole_ms(t_s);
  if (t < asked) throw InputError(fmt::format("advance_to: {} s is in the past, the engine is at {} s", t_s, seconds(asked)));
  if (t > engine.model.end) throw InputError(fmt::format("advance_to: {} s is beyond the run's end at {} s", t_s, seconds(engine.model.end)));
  if (inside_ && t < moments_.back().planned_end) {
    if (t > asked) play_to(engine, t);
  } else {
    leave_inside(engine);
    take_own_steps(engine, t);
  }
  asked = t;
  before = std::move(last);
  last = count(engine);
}

/// Steps of the engine's own up to `t`, and a look inside the one that `t` lies in.
void Engine::Ports::take_own_steps(Impl& engine, Tick t) {
  const auto planned_end = [&] { return engine.agenda.planned_end(engine.state.now, engine.occupants); };
  Tick end = planned_end();
  for (; engine.state.now < t && end <= t; end = planned_end()) {
    // A step that is about to end at `t` may reach beyond it, to the end of an iteration: then it is taken back.
    if (end + longest_iteration > t) keep(engine, end);
    engine.step();
    if (engine.state.now > t) {
      inside_ = true;
      return look_inside(engine, t);
    }
    while (moments_.size() > 1 && moments_[1].clocks <= engine.state.now) forget(moments_.size() - 1);
  }
  if (engine.state.now == t && furthest_occupant(engine) <= t) return forget(0);
  keep(engine, end);
  look_inside(engine, t);
}

void Engine::Ports::write(Impl& engine, std::string_view name, double value) {
  const Entry& entry = find(name);
  const Port& p = entry.port;
  if (!entry.set) throw InputError(fmt::format("port {}: it can be read only", p.name));
  if (!(value >= p.low && value <= p.high)) throw InputError(fmt::format("port {}: {} is not within {} to {} {}", p.name, value, p.low, p.high, p.unit));
  if (entry.get(engine, before, last) == Value(value)) return;
  // The step ends here. Where it ends must not depend on how often somebody looked on the way.
  if (inside_ && n_look_ > 1) {
    engine.load(moments_[from_].bytes);
    play_to(engine, asked);
  }
  inside_ = false;
  forget(0);
  entry.set(engine, value);
}

void Engine::Ports::step(Impl& engine) {
  leave_inside(engine);
  forget(0);
  engine.step();
  asked = engine.state.now;
  before = std::move(last);
  last = count(engine);
}

std::string Engine::Ports::save(Impl& engine) {
  ArchiveWriter a;
  std::string version = TIDEWATT_VERSION, text = engine.model.scenario.text, played = engine.save();
  a(version, text, inside_, asked, before, last, moments_, from_, n_look_, played);
  std::string state = a.take();
  return state + sha256_hex(state);
}

void Engine::Ports::restore(Impl& engine, std::string_view bytes, bool other_scenario) {
  constexpr std::size_t n_digest = 64;
  const std::size_t n_state = bytes.size() - std::min(bytes.size(), n_digest);
  if (n_state == 0 || sha256_hex(bytes.substr(0, n_state)) != bytes.substr(n_state)) throw InputError("restore: these bytes are not what save() returned");
  ArchiveReader a(bytes.substr(0, n_state));
  std::string version, text;
  a(version, text);
  if (version != TIDEWATT_VERSION) throw InputError(fmt::format("restore: saved by version {}, this is {}", version, TIDEWATT_VERSION));
  if (auto changes = input_changes(text, engine.model.scenario.text); !changes.empty() && !other_scenario) {
    for (auto& c : changes) c.message = "restore: not as when the state was saved: " + c.message;
    throw InputError(std::move(changes));
  }
  std::string played;
  a(inside_, asked, before, last, moments_, from_, n_look_, played);
  engine.load(played);
}

}  // namespace tidewatt::sim
