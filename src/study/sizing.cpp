#include "sizing.hpp"

#include <fmt/format.h>
#include <nlopt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "sim/replay.hpp"
#include "sim/site_params.hpp"
#include "steady_run.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double year_s = 365.25 * 86400.0;
constexpr double infinite = std::numeric_limits<double>::infinity();

class Search {
 public:
  Search(const sim::Scenario& scenario, const SizingChoices& choices, const SizingOptions& options)
      : scenario_(scenario), choices_(choices), options_(options) {
    nothing_ = evaluate({});
  }

  Sizing run() {
    std::vector<Hold> holds = {{}};
    for (const double floor : choices_.floor_ratio)
      for (const double down : choices_.smoothing_ramp_down_W_per_s) holds.push_back({floor, down, 0.0});
    for (const double level : choices_.ballast_level_ratio) holds.push_back({0.0, 0.0, level});
    for (const auto& [floor, down, level] : holds)
      for (std::size_t rack = 0; rack <= choices_.racks.size(); ++rack) {
        Portfolio p;
        p.floor_ratio = floor;
        p.ramp_down_W_per_s = down;
        p.ballast_ratio = level;
        if (rack > 0) p.rack = choices_.racks[rack - 1].name;
        out_.best.push_back(floor + level == 0.0 && rack == 0 ? nothing_ : evaluate(p));
        for (const auto& store : choices_.stores) out_.best.push_back(size_store(p, store));
      }
    std::stable_sort(out_.best.begin(), out_.best.end(), [](const Evaluated& a, const Evaluated& b) {
      if (a.passes != b.passes) return a.passes;
      return a.passes ? a.yearly_USD < b.yearly_USD : a.worst_margin_frac > b.worst_margin_frac;
    });
    for (const auto& e : all_)
      if (std::none_of(all_.begin(), all_.end(), [&](const Evaluated& other) { return dominates(other, e); }))
        out_.front.push_back(e);
    std::stable_sort(out_.front.begin(), out_.front.end(),
                     [](const Evaluated& a, const Evaluated& b) { return a.yearly_USD < b.yearly_USD; });
    return out_;
  }

 private:
  using Hold = std::array<double, 3>;  ///< of GPUs: smoothing's floor and fall, ballast's level
  static bool dominates(const Evaluated& a, const Evaluated& b) {
    const bool no_worse = a.yearly_USD <= b.yearly_USD && a.extra_J_per_year <= b.extra_J_per_year &&
                          a.lost_tokens_per_year <= b.lost_tokens_per_year &&
                          a.worst_margin_frac >= b.worst_margin_frac;
    return no_worse && (a.yearly_USD < b.yearly_USD || a.extra_J_per_year < b.extra_J_per_year ||
                        a.lost_tokens_per_year < b.lost_tokens_per_year || a.worst_margin_frac > b.worst_margin_frac);
  }

  /// The fleet under one setting of its GPUs.
  const connection::LoadTrace& fleet(const sim::Scenario& s, const Portfolio& p) {
    auto [it, fresh] = fleets_.try_emplace({p.floor_ratio, p.ramp_down_W_per_s, p.ballast_ratio});
    if (fresh) it->second = record(s);
    return it->second;
  }

  connection::LoadTrace record(const sim::Scenario& s) {
    connection::LoadTrace trace;
    sim::RunOptions o;
    o.n_thread = options_.n_thread;
    o.trace = &trace;
    // Results of a run are known at its macro steps: several must follow the time from which it counts. They may grow,
    // because those that may not do not end with iterations, and tokens are those of whole ones.
    auto fine = s;
    const double quarter_s = 0.25 * (s.run.duration_s - s.devices.rules_from_s);
    while (fine.run.macro_step_s > 0.5 * quarter_s && fine.run.macro_step_s > 2.0) fine.run.macro_step_s *= 0.5;
    fine.run.macro_step_max_s = std::max(2.0 * fine.run.macro_step_s, std::min(s.run.macro_step_max_s, quarter_s));
    sim::run(fine, o);
    ++out_.n_fleet_run;
    return trace;
  }

  Evaluated evaluate(const Portfolio& p) {
    const auto s = with_portfolio(scenario_, p, choices_, catalog_);
    auto bare = scenario_;
    if (p.floor_ratio > 0.0) bare.gpu_smoothing = s.gpu_smoothing;
    if (p.ballast_ratio > 0.0) bare.ballast = s.ballast;
    std::vector<RunMark> marks;
    const auto play = [&](const connection::LoadTrace& trace) {
      marks.clear();
      return sim::replay(s, trace, [&](std::size_t i, const connection::SiteStream& at) {
        const auto* w = at.battery() != nullptr ? at.battery()->wear() : nullptr;
        marks.push_back({trace.flushes[i].until, trace.flushes[i].tokens, at.connection_J() - stored_J(at),
                         w ? w->cycle_life_frac + w->throughput_life_frac : 0.0, at.battery_stored_J()});
      });
    };
    auto replayed = play(fleet(bare, p));
    // Where these devices keep, or lose, the power that the recorded fleet did not, its jobs would have gone on, or stopped.
    if (!replayed.power_as_recorded) replayed = play(record(s));
    const auto& stream = replayed.stream;
    Evaluated e;
    e.portfolio = p;
    if (s.battery && !p.store.empty()) e.portfolio.standby_W = s.battery->standby_W;
    e.reports = stream.meters().reports(stream.load_lost_W(), -1);
    e.worst_margin_frac = infinite;
    e.passes = true;
    for (const auto& r : e.reports)
      for (const auto& o : r.outcomes) {
        if (o.verdict == grid::Compliance::not_measured) continue;
        e.passes = e.passes && o.verdict == grid::Compliance::pass;
        const double m = margin(o);
        e.margins_frac.push_back(m);
        e.passes = e.passes && m >= options_.margin_frac;
        if (m < e.worst_margin_frac) e.worst_margin_frac = m, e.worst_rule = r.rule_set + "." + o.rule.name;
      }
    // The run's end cuts an iteration, whose tokens do not count.
    if (marks.size() > 2) marks.pop_back();
    const auto steady = steady_run(marks, to_tick(s.devices.rules_from_s));
    if (out_.n_evaluation == 0) bare_ = steady;
    e.steady_from_s = steady.start_s;
    e.tokens_per_s = steady.tokens_per_s;
    e.lost_throughput_frac = bare_.tokens_per_s > 0.0 ? 1.0 - steady.tokens_per_s / bare_.tokens_per_s : 0.0;
    e.extra_W = steady.mean_W - bare_.mean_W;
    e.peak_W = stream.max_W();
    e.charge_per_h = p.store_J > 0.0 ? steady.charge_W * 3600.0 / p.store_J : 0.0;
    e.change_frac = steady.change_frac;
    const auto start = start_cost(steady, bare_);
    e.start_lost_s = start.lost_s;
    e.start_extra_J = start.extra_J;
    e.wear_frac_per_year = steady.life_frac_per_s * year_s;
    price(s, e);
    ++out_.n_evaluation;
    all_.push_back(e);
    if (options_.on_evaluation) options_.on_evaluation(e);
    return e;
  }

  /// An increase of stored energy is not lost: it does not count as drawn.
  static double stored_J(const connection::SiteStream& stream) {
    double J = stream.battery_stored_J();
    if (const auto* d = stream.delivery())
      if (const auto* r = d->rack_storage())
        J += r->charged_J.value() - r->discharged_J.value() - r->charge_loss_J.value() - r->discharge_loss_J.value();
    return J;
  }

  static double margin(const grid::RuleOutcome& o) {
    return o.rule.limit != 0.0 ? (o.margin - o.figure.spread) / std::abs(o.rule.limit) : o.margin;
  }

  /// A store is replaced when its years are over or its cycles are used.
  static double life_years(const SizingChoices::Store& store, const Evaluated& e) {
    return e.wear_frac_per_year > 0.0 ? std::min(store.price.years, 1.0 / e.wear_frac_per_year) : store.price.years;
  }

  /// Yearly cost against doing nothing: annuity and service of devices, more energy, lost throughput. Energy and throughput are
  /// those of the steady part of the run, all year, and of each start once per start.
  void price(const sim::Scenario& s, Evaluated& e) const {
    double n_gpu = 0.0;
    for (const auto& h : s.halls) n_gpu += static_cast<double>(h.hall.n_gpu);
    const auto at = [&](auto pick) {
      const double interest = pick(choices_.interest_frac);
      double capital = 0.0, yearly = 0.0;
      for (const auto& store : choices_.stores)
        if (store.name == e.portfolio.store) {
          const double C =
              pick(store.price.per_W) * e.portfolio.store_W + pick(store.price.per_J) * e.portfolio.store_J;
          capital += C;
          yearly += mitigation::annuity_USD(C, interest, life_years(store, e)) + pick(store.price.operating_frac) * C;
        }
      for (const auto& rack : choices_.racks)
        if (rack.name == e.portfolio.rack) {
          const double C = pick(rack.per_W) * s.devices.rack_storage->store.power_W * sim::n_rack_storage(s);
          capital += C;
          yearly += mitigation::annuity_USD(C, interest, choices_.rack_years);
        }
      const double n_start = pick(choices_.starts_per_gpu_year) * n_gpu;
      yearly += pick(choices_.energy_USD_per_J) * (e.extra_W * year_s + n_start * e.start_extra_J);
      yearly += pick(choices_.gpu_USD_per_s) * n_gpu * (e.lost_throughput_frac * year_s + n_start * e.start_lost_s);
      return std::pair{capital, yearly};
    };
    for (const auto& store : choices_.stores)
      if (store.name == e.portfolio.store) e.store_years = life_years(store, e);
    e.starts_per_year = choices_.starts_per_gpu_year.value * n_gpu;
    e.lost_tokens_per_year =
        bare_.tokens_per_s * (e.lost_throughput_frac * year_s + e.starts_per_year * e.start_lost_s);
    e.extra_J_per_year = e.extra_W * year_s + e.starts_per_year * e.start_extra_J;
    std::tie(e.capital_USD, e.yearly_USD) = at([](const SizingChoices::Range& r) { return r.value; });
    e.low_USD = at([](const SizingChoices::Range& r) { return r.low; }).second;
    e.high_USD = at([](const SizingChoices::Range& r) { return r.high; }).second;
  }

  struct Problem {
    Search* search;
    Portfolio start;
    std::map<std::vector<double>, Evaluated> known;
    const Evaluated& at(const double* x) {
      const std::vector<double> key(x, x + 3);
      auto it = known.find(key);
      if (it == known.end()) {
        Portfolio p = start;
        p.store_W = std::exp(x[0]);
        p.store_J = p.store_W * std::exp(x[1]);
        p.smoothing_s = std::exp(x[2]);
        it = known.emplace(key, search->evaluate(p)).first;
      }
      return it->second;
    }
  };

  static bool better(const Evaluated& a, const Evaluated& b) {
    if (a.passes != b.passes) return a.passes;
    return a.passes ? a.yearly_USD < b.yearly_USD : a.worst_margin_frac > b.worst_margin_frac;
  }

  /// Power, duration and smoothing time of a site store at least cost with every margin kept.
  Evaluated size_store(Portfolio p, const SizingChoices::Store& store) {
    p.store = store.name;
    Problem problem{this, p, {}};
    const double range_W = nothing_.reports.empty() ? 1e6 : swing_W();
    const double lower[] = {std::log(0.01 * range_W), std::log(store.shortest_s), std::log(2.0)};
    const double upper[] = {std::log(1.5 * range_W), std::log(store.longest_s), std::log(300.0)};
    // Two ways to meet rules: a store that takes the whole swing, or the smallest, which cuts what other mitigations leave. The
    // search is local, so it begins at the better of the two.
    const double large[] = {std::log(0.6 * range_W), std::clamp(std::log(60.0), lower[1], upper[1]), std::log(30.0)};
    const double small[] = {lower[0], large[1], std::log(6.0)};
    const Evaluated &first = problem.at(large), &second = problem.at(small);
    double x[3];
    std::copy_n(better(second, first) ? small : large, 3, x);
    const double step[] = {0.4, 0.5, 0.6};
    nlopt_opt opt = nlopt_create(NLOPT_LN_COBYLA, 3);
    nlopt_set_lower_bounds(opt, lower);
    nlopt_set_upper_bounds(opt, upper);
    nlopt_set_initial_step(opt, step);
    nlopt_set_maxeval(opt,
                      static_cast<int>(options_.evaluations_per_choice) - 1);  // one of the two starts is known to it
    nlopt_set_xtol_abs1(opt, 0.02);
    nlopt_set_min_objective(
        opt,
        [](unsigned, const double* at, double*, void* data) {
          return std::log(std::max(1.0, static_cast<Problem*>(data)->at(at).yearly_USD));  // at any size of site
        },
        &problem);
    const std::size_t n_rule = nothing_.margins_frac.size();
    const std::vector<double> exactly(n_rule, 0.0);
    // Margins as logarithms of figure over limit: a figure far beyond the limit still has a slope.
    nlopt_add_inequality_mconstraint(
        opt, static_cast<unsigned>(n_rule),
        [](unsigned m, double* to, unsigned, const double* at, double*, void* data) {
          auto& sought = *static_cast<Problem*>(data);
          const auto& margins = sought.at(at).margins_frac;
          for (unsigned i = 0; i < m; ++i) {
            const double over = i < margins.size() ? sought.search->options_.margin_frac - margins[i] : 0.0;
            to[i] = over > 0.0 ? std::log1p(over) : std::max(over, -0.5);
          }
        },
        &problem, exactly.data());
    double cost = 0.0;
    nlopt_optimize(opt, x, &cost);
    nlopt_destroy(opt);
    const Evaluated* best = nullptr;
    for (const auto& [key, e] : problem.known) {
      if (best == nullptr || better(e, *best)) best = &e;
    }
    Evaluated out = *best;
    const double at[] = {std::log(out.portfolio.store_W), std::log(out.portfolio.store_J / out.portfolio.store_W),
                         std::log(out.portfolio.smoothing_s)};
    const char* names[] = {"power", "duration", "smoothing time"};
    for (int i = 0; i < 3; ++i)
      for (const bool low : {true, false})
        if (std::abs(at[i] - (low ? lower : upper)[i]) < 0.02)
          out.at_bound +=
              fmt::format("{}{} {}", out.at_bound.empty() ? "" : ", ", low ? "smallest" : "largest", names[i]);
    return out;
  }

  double swing_W() {
    const auto stream = sim::replay(scenario_, fleets_.at({})).stream;
    return std::max(1e5, stream.meters().figures(std::nan(""), -1).range_W.value);
  }

  const sim::Scenario& scenario_;
  const SizingChoices& choices_;
  const SizingOptions& options_;
  catalog::Catalog catalog_;
  std::map<Hold, connection::LoadTrace> fleets_;
  Evaluated nothing_;
  SteadyRun bare_;  ///< of doing nothing
  std::vector<Evaluated> all_;
  Sizing out_;
};

}  // namespace

Sizing size_portfolio(const sim::Scenario& scenario, const SizingChoices& choices, const SizingOptions& options) {
  if (scenario.devices.rules.empty())
    throw InputError(
        "site.rules: name a rule set that the portfolio must meet, e.g. --set site.rules=power_stabilization_example");
  if (scenario.battery || holds_power(scenario) || scenario.devices.rack_storage)
    throw InputError(
        "mitigation: the scenario has storage, smoothing or ballast of its own; size begins from a site without");
  return Search(scenario, choices, options).run();
}

}  // namespace TIDEWATT_NAMESPACE::study
