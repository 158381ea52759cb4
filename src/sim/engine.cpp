#include "engine.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "tidewatt/base/archive.hpp"

namespace tidewatt::sim {
namespace {

std::size_t n_thread_of(const RunOptions& o) { return o.n_thread > 0 ? o.n_thread : std::max(1u, std::thread::hardware_concurrency()); }

/// Jobs one behind the other from the first node on; nobody uses the rest.
std::vector<JobRun> place(const Scenario& scenario, const Fleet& fleet) {
  std::vector<JobRun> out;
  std::size_t node = 0;
  for (const auto& job : scenario.jobs) {
    const auto n = static_cast<std::size_t>(job.plan.n_gpu) / fleet.n_gpu_per_node;
    out.emplace_back(scenario, fleet, &job, out.size(), node, n);
    node += n;
  }
  if (node < fleet.n_node()) out.emplace_back(scenario, fleet, nullptr, out.size(), node, fleet.n_node() - node);
  return out;
}

/// Finest level of the pyramid that a run may keep: a million buckets at most, so memory does not grow with its length.
std::size_t kept_level(double duration_s) {
  std::size_t level = 1;
  for (double bucket_s = 1.0; level < 3 && duration_s / bucket_s > 1e6; bucket_s = level == 1 ? 10.0 : 60.0, ++level) {}
  return level;
}

}  // namespace

double AuditLevel::closure() const {
  const double through = std::max({std::abs(in_J), std::abs(out_J), std::abs(stored_J), 1e-300});
  return std::abs(in_J - out_J - stored_J) / through;
}

Engine::Impl::Impl(const Scenario& s, const RunOptions& o)
    : scenario(s),
      options(o),
      end(to_tick(s.run.duration_s)),
      macro(to_tick(s.run.macro_step_s)),
      weather(make_weather(s)),
      fleet(build_fleet(s)),
      halls(scenario, fleet, weather),
      recorder(fleet, local_time_of_day(scenario.run.start)),
      users(place(scenario, fleet)),
      signals(make_signals(fleet)),
      hands{scenario, fleet, n_thread_of(o), end, state, signals, meters, walk, halls, loads, recorder, counts} {
  options.n_thread = hands.n_thread;
  state = idle_state(fleet, halls.inlet_K());
  spin_up();
}

/// The fleet has stood idle for long when the run begins; nothing of that is booked.
void Engine::Impl::spin_up() {
  FleetMeters unbooked;
  double load_W = 0.0;
  for (int i = 0; i < 12; ++i) {
    load_W = 0.0;
    for (auto& user : users) load_W += user.spin_up_W(hands, unbooked);
    if (i == 0 || i == 6) halls.settle(signals);
  }
  SiteStream::Params p;
  double total_W = 0.0;
  for (std::size_t n = 0; n < fleet.n_node(); ++n) total_W += design_W(fleet.types[fleet.node_hall[n]]);
  p.feeder = scenario.feeder.sized(total_W, 0.1 * total_W);
  p.source = scenario.source;
  p.frequency = scenario.frequency;
  p.battery = scenario.battery;
  p.n_lane = users.size();
  p.first_kept_level = kept_level(scenario.run.duration_s);
  p.closed_form = scenario.run.advance != "resolved";
  for (const auto& w : scenario.windows) p.windows.push_back({w.name, to_tick(w.start_s), to_tick(w.start_s + w.duration_s)});
  stream.emplace(p, load_W, halls.means().plant_W);
}

/// As long as all jobs are calm and the supply moves as expected, macro steps double, up to `macro_step_max_s`.
Tick Engine::Impl::macro_end() const {
  const auto most = static_cast<std::int64_t>(scenario.run.macro_step_max_s / scenario.run.macro_step_s);
  std::int64_t count = 1;
  if (halls.miss_K() < 0.02) count = std::clamp<std::int64_t>(2 * macro_count, 1, most);
  else if (halls.miss_K() < 0.05) count = std::clamp<std::int64_t>(macro_count, 1, most);
  const Tick begin = now / macro * macro;
  // Never across a full hour of the run, so that hourly figures need no guess at how a step's energy was spread.
  constexpr Tick hour = 3600 * ns_per_s;
  const Tick until = std::min({end, begin + count * macro, (now / hour + 1) * hour});
  const bool calm = std::all_of(users.begin(), users.end(), [&](const JobRun& u) { return u.calm(until); });
  return calm ? until : std::min({end, begin + macro, (now / hour + 1) * hour});
}

void Engine::Impl::step() {
  const Tick until = macro_end();
  recorder.begin_macro(until);
  for (auto& user : users) user.advance_to(until, hands);  // heat, load and work of everyone
  const double plant_W = halls.advance(now, until);        // the halls answer with supply air
  settle();
  recorder.macro_step(now, until, halls);
  pass_on(until, plant_W);                                 // up the feeder, and the grid's answer
  ++counts.macro_steps;
  macro_count = std::max<std::int64_t>(1, (until - now) / macro);
  now = until;
}

void Engine::Impl::pass_on(Tick until, double plant_W) {
  for (auto& l : loads) stream->append(l.lane, std::move(l.load), l.repetitions, l.iterating);
  loads.clear();
  const auto policy = options.n_thread > 1 ? std::launch::async : std::launch::deferred;
  flushing = std::async(policy, [this, until, plant_W] {
    stream->flush(until, plant_W);
    return stream->take_span();
  });
}

void Engine::Impl::settle() {
  if (flushing.valid()) recorder.connection(flushing.get());
}

Engine::Engine(const Scenario& scenario, const RunOptions& options) : impl_(std::make_unique<Impl>(scenario, options)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
bool Engine::done() const { return impl_->now >= impl_->end; }
double Engine::time_s() const { return seconds(impl_->now); }
void Engine::step() { impl_->step(); }
std::span<const double> Engine::die_K() const { return impl_->state.die_K; }
Result Engine::finish() { return impl_->finish(); }
std::span<const double> Engine::clock_Hz() const { return impl_->state.clock_Hz; }
std::span<const double> Engine::inlet_K() const { return impl_->halls.inlet_K(); }

void Engine::set_limits(std::size_t hall, double cap_W, double clock_lock_Hz) {
  if (hall >= impl_->fleet.types.size()) throw InputError(fmt::format("limits: there is no hall {}", hall));
  auto& type = impl_->fleet.types[hall];
  const auto& gpu = type.gpu;
  if (!(cap_W > type.governor.cap_margin_W && cap_W <= gpu.params().tdp_W))
    throw InputError(fmt::format("limits: a cap of {} W is not within {} to {} W", cap_W, type.governor.cap_margin_W, gpu.params().tdp_W));
  if (!(clock_lock_Hz >= gpu.clock_min_Hz() && clock_lock_Hz <= gpu.clock_max_Hz()))
    throw InputError(fmt::format("limits: a lock at {} MHz is not within {} to {} MHz", clock_lock_Hz / 1e6, gpu.clock_min_Hz() / 1e6,
                                 gpu.clock_max_Hz() / 1e6));
  type.cap_W = cap_W;
  type.clock_lock_Hz = clock_lock_Hz;
}

std::string Engine::save() const {
  impl_->settle();
  ArchiveWriter to;
  impl_->archive(to);
  return to.take();
}

void Engine::restore(std::string_view bytes) {
  impl_->settle();
  ArchiveReader from(bytes);
  impl_->archive(from);
  const auto& s = impl_->state;
  const std::size_t n_gpu = impl_->fleet.n_gpu(), n_node = impl_->fleet.n_node();
  if (!from.done() || s.die_K.size() != n_gpu || s.fan_frac.size() != n_node || impl_->now > impl_->end)
    throw InputError("checkpoint: of another fleet, or of a later time than the run's end");
}

Result run(const Scenario& scenario, const RunOptions& options) {
  Engine engine(scenario, options);
  const double total_s = scenario.run.duration_s;
  while (!engine.done()) {
    engine.step();
    if (options.progress && !options.progress(std::min(1.0, engine.time_s() / total_s))) return {};
  }
  return engine.finish();
}

}  // namespace tidewatt::sim
