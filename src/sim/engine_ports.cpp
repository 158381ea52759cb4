#include "engine_ports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/archive.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "scenario_inputs.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

Tick whole_ms(double t_s) {
  const double ms = std::round(t_s * 1e3);
  if (!(std::abs(t_s * 1e3 - ms) <= 1e-6) || std::abs(ms) > 1e15)
    throw InputError(fmt::format("advance_to: {} s is not a whole number of milliseconds", t_s));
  return static_cast<Tick>(ms) * ns_per_ms;
}

constexpr Tick longest_iteration = 3600 * ns_per_s;
constexpr int writes_for_way = 2;      ///< in a row: then the next step is expected to end with one, too
constexpr std::size_t most_acts = 64;  ///< that are computed again when it does not

}  // namespace

Engine::Ports::Ports(Impl& engine)
    : entries(port_table(engine)), asked(engine.state.now), last(count(engine)), before(last), told_(last) {}

const PortEntry& Engine::Ports::find(std::string_view name) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const PortEntry& e) { return e.port.name == name; });
  if (found != entries.end()) return *found;
  std::vector<std::string> known;
  known.reserve(entries.size());
  for (const auto& e : entries) known.push_back(e.port.name);
  const auto close = nearest(name, known);
  throw InputError(
      fmt::format("port: there is no \"{}\"{}", name, close.empty() ? "" : "; the nearest is \"" + close + "\""));
}

/// Keeps the beginning of a step of the engine's own.
void Engine::Ports::keep(Impl& engine, Tick planned_end) {
  moments_.push_back({engine.state.now, furthest_occupant(engine), planned_end, engine.save(std::move(spare_))});
  spare_.clear();
}

/// Notes the beginning of a step without a copy of the state. @return whether there is a way to it
bool Engine::Ports::keep_on_way(const Impl& engine, Tick planned_end) {
  if (!moments_.empty() || way_.bytes.empty() || way_.n_write < writes_for_way || way_.acts.size() >= most_acts)
    return false;
  moments_.push_back({engine.state.now, furthest_occupant(engine), planned_end, {}});
  return true;
}

/// The engine took a step of its own, or returned to a moment.
void Engine::Ports::leave_way() {
  if (!way_.bytes.empty()) spare_ = std::exchange(way_.bytes, {});
  way_.acts.clear();
  way_.n_write = 0;
}

/// Computes the state of a moment again if it was not copied. Leaves the engine anywhere.
void Engine::Ports::find_back(Impl& engine, Moment& moment) {
  if (!moment.bytes.empty()) return;
  const int n_look = n_look_;
  engine.load(way_.bytes);
  for (const auto& act : way_.acts)
    if (act.written != nullptr)
      set(engine, *act.written, act.value);
    else
      play_to(engine, act.to);
  n_look_ = n_look;
  moment.bytes = engine.save(std::move(spare_));
  spare_.clear();
  leave_way();
}

/// Drops all but the newest moments.
void Engine::Ports::forget(std::size_t n_kept) {
  while (moments_.size() > n_kept) {
    if (auto& bytes = moments_.front().bytes; !bytes.empty()) spare_ = std::move(bytes);
    moments_.pop_front();
  }
}

/// Advances from the present time to `t`. The last macro step but one ends two iterations before, so that means over the last
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

/// Advances to `t` from the newest saved state in which no occupant was past `t`. @pre the last saved state is the engine's
/// present step
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
  find_back(engine, moments_.back());
  leave_way();
  engine.load(moments_.back().bytes);
  spare_ = std::move(moments_.back().bytes);
  moments_.pop_back();
  inside_ = false;
}

void Engine::Ports::advance_to(Impl& engine, double t_s) {
  const Tick t = whole_ms(t_s);
  if (t < asked)
    throw InputError(fmt::format("advance_to: {} s is in the past, the engine is at {} s", t_s, seconds(asked)));
  if (t > engine.model.end)
    throw InputError(fmt::format("advance_to: {} s is beyond the run's end at {} s", t_s, seconds(engine.model.end)));
  std::optional<PortCounters> passed;
  if (inside_ && t < moments_.back().planned_end) {
    if (t > asked) play_to(engine, t);
  } else {
    passed = passed_inside(engine, t);
    leave_inside(engine);
    take_own_steps(engine, t);
  }
  tell(engine, t, std::move(passed));
}

/// What the means from `asked` to `t` are of. The sums of looks into a step are a little apart from those of the whole step, by up to
/// a thousandth of it: that goes into the means of the ten minutes to come, and all of it into the run's last.
/// @param passed nothing: what the present sums are above the last ones
void Engine::Ports::tell(Impl& engine, Tick t, std::optional<PortCounters> passed) {
  constexpr double spread_s = 600.0;
  auto now = count(engine);
  if (!passed) passed = difference(now, last);
  const double share = t == engine.model.end ? 1.0 : std::min(1.0, seconds(t - asked) / spread_s);
  add(*passed, share, difference(difference(now, told_), *passed));
  before = difference(now, *passed), before.at = asked;
  add(told_, 1.0, *passed);
  last = std::move(now), last.at = asked = t;
}

/// What passes from the present time inside a step to `t` behind its end, as the looks into the step go on: their sums are a little apart
/// from the whole step's, which a mean over a short time across its end would show. Nothing: no step was looked into, or the time
/// is no shorter than it.
std::optional<PortCounters> Engine::Ports::passed_inside(Impl& engine, Tick t) {
  if (!inside_ || t - asked >= moments_.back().planned_end - moments_[from_].now) return std::nullopt;
  play_to(engine, t);
  return difference(count(engine), last);
}

/// Takes the engine's own steps up to `t`, and reads inside the one that contains `t`.
void Engine::Ports::take_own_steps(Impl& engine, Tick t) {
  Tick end = planned_end(engine);
  for (; engine.state.now < t && end <= t; end = planned_end(engine)) {
    // A step that is about to end at `t` may reach beyond it, to the end of an iteration: then it is taken back.
    if (end + longest_iteration > t) keep(engine, end);
    leave_way();
    engine.step();
    if (engine.state.now > t) {
      inside_ = true;
      return look_inside(engine, t);
    }
    while (moments_.size() > 1 && moments_[1].clocks <= engine.state.now) forget(moments_.size() - 1);
  }
  if (engine.state.now == t && furthest_occupant(engine) <= t) return forget(0);
  if (!keep_on_way(engine, end)) keep(engine, end);
  look_inside(engine, t);
}

void Engine::Ports::write(Impl& engine, std::string_view name, std::optional<double> value) {
  const PortEntry& entry = find(name);
  const Port& p = entry.port;
  if (!entry.set) throw InputError(fmt::format("port {}: it can be read only", p.name));
  if (value && !(*value >= p.low && *value <= p.high))
    throw InputError(fmt::format("port {}: {} is not within {} to {} {}", p.name, *value, p.low, p.high, p.unit));
  if (value && entry.is_switch && *value != 0.0 && *value != 1.0)
    throw InputError(fmt::format("port {}: {} is neither 0 nor 1", p.name, *value));
  if (entry.held(engine) == value) return;
  end_step(engine);
  set(engine, entry, value);
  if (!way_.bytes.empty()) way_.acts.push_back({engine.state.now, &entry, value});
}

void Engine::Ports::set(Impl& engine, const PortEntry& entry, std::optional<double> value) {
  entry.set(engine, value);
  auto& log = engine.state.outside.writes[entry.port.name];
  if (log.n++ == 0) log.first = engine.state.now;
  log.last = engine.state.now;
}

/// Ends the step at the present time. This time must not depend on how often a controller read before.
void Engine::Ports::end_step(Impl& engine) {
  if (inside_ && n_look_ > 1) {
    find_back(engine, moments_[from_]);
    leave_way();
    engine.load(moments_[from_].bytes);
    play_to(engine, asked);
    last = count(engine);  // without the looks on the way: the mean from here on must not show what they had apart
  } else if (inside_) {
    if (auto& bytes = moments_[from_].bytes; !bytes.empty()) {
      const int n_write = way_.n_write;
      leave_way();
      way_.bytes = std::move(bytes);
      way_.n_write = n_write;
    }
    way_.acts.push_back({asked, nullptr, {}});
    ++way_.n_write;
  }
  inside_ = false;
  forget(0);
}

void Engine::Ports::step(Impl& engine) {
  leave_inside(engine);
  forget(0);
  leave_way();
  engine.step();
  tell(engine, engine.state.now, std::nullopt);
}

std::string Engine::Ports::save(Impl& engine) {
  ArchiveWriter a;
  std::string version = TIDEWATT_VERSION, text = engine.model.scenario.text, played = engine.save();
  if (!moments_.empty() && moments_.front().bytes.empty()) {
    find_back(engine, moments_.front());
    engine.load(played);
  }
  a(version, text, inside_, asked, before, last, told_, moments_, from_, n_look_, played);
  std::string state = a.take();
  return state + sha256_hex(state);
}

void Engine::Ports::restore(Impl& engine, std::string_view bytes, bool other_scenario) {
  constexpr std::size_t n_digest = 64;
  const std::size_t n_state = bytes.size() - std::min(bytes.size(), n_digest);
  if (n_state == 0 || sha256_hex(bytes.substr(0, n_state)) != bytes.substr(n_state))
    throw InputError("restore: these bytes are not what save() returned");
  ArchiveReader a(bytes.substr(0, n_state));
  std::string version, text;
  a(version, text);
  if (version != TIDEWATT_VERSION)
    throw InputError(fmt::format("restore: saved by version {}, this is {}", version, TIDEWATT_VERSION));
  if (auto changes = input_changes(text, engine.model.scenario.text); !changes.empty() && !other_scenario) {
    for (auto& c : changes) c.message = "restore: not as when the state was saved: " + c.message;
    throw InputError(std::move(changes));
  }
  bool inside = false;
  Tick at = 0;
  PortCounters previous, latest, told;
  std::deque<Moment> moments;
  std::size_t from = 0;
  int n_look = 0;
  std::string played;
  a(inside, at, previous, latest, told, moments, from, n_look, played);
  // A state that does not fit is refused half-read: the present one takes its place again.
  const std::string present = engine.save();
  try {
    engine.load(played);
  } catch (...) {
    engine.load(present);
    throw;
  }
  inside_ = inside;
  asked = at;
  before = std::move(previous);
  last = std::move(latest);
  told_ = std::move(told);
  moments_ = std::move(moments);
  from_ = from;
  n_look_ = n_look;
  leave_way();
}

}  // namespace TIDEWATT_NAMESPACE::sim
