#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// What fails and is repaired as one.
enum class FailedUnit : std::uint8_t {
  node,         ///< a server, or a rack's compute tray
  switch_tray,  ///< switches of the scale-up links: the domain is down until the tray is repaired
  rack          ///< the parts that all trays of a domain share: shelves, busbar, liquid
};

/// Scale-up domains of several nodes that a job uses. A domain serves while it has `nodes_needed` nodes and all its switch trays.
struct TIDEWATT_API DomainLayout {
  std::int64_t n_domain = 0;       ///< domains that the job needs at a time; 0: every node is a domain of its own
  std::int64_t nodes_needed = 0;   ///< of each domain
  std::int64_t spare_nodes = 0;    ///< spare nodes in each domain
  std::int64_t n_switch_tray = 0;  ///< of each domain
};

/// Rates of interruptions by cause. Unexpected causes act on nodes, switch trays or racks and scale with their number; planned ones act
/// on the job.
struct TIDEWATT_API FailureRates {
  std::vector<std::string> causes;          ///< names of unexpected causes
  std::vector<double> rate_per_node_s;      ///< [cause], per node and second of calendar time
  std::vector<std::string> planned_causes;  ///< names of planned stops
  std::vector<double> planned_rate_per_s;   ///< [planned cause], per job
  std::vector<double> detect_s{};           ///< [cause] or empty: the job's own time for all
  std::vector<double> repair_s{};           ///< [cause] or empty; mean until the node is back, 0 = restarted in place
  std::vector<std::string> switch_tray_causes{};  ///< names of causes that act on a rack's switch tray
  std::vector<double> switch_tray_rate_per_s{};   ///< [cause], per switch tray
  std::vector<double> switch_tray_repair_s{};     ///< [cause], mean; its domain is down for as long
  std::vector<std::string> rack_causes{};         ///< names of causes that act on a whole rack
  std::vector<double> rack_rate_per_s{};          ///< [cause], per scale-up domain
  std::vector<double> rack_repair_s{};            ///< [cause], mean

  void fields(FieldVisitor& v);
};

/// One interruption of a job.
struct TIDEWATT_API Failure {
  Tick tick = 0;
  /// Index into the joined lists `causes`, `planned_causes`, `switch_tray_causes` and `rack_causes`.
  std::uint32_t cause = 0;
  std::int64_t node = -1;  ///< -1 for planned ones; the first of the domain for a switch tray and a rack
  bool planned = false;
  static constexpr Tick as_the_job = -1, unknown = -1;
  Tick detect = as_the_job;  ///< from the failure until the job is torn down
  Tick repair = unknown;     ///< time until the node is back; 0: it stays in the job; unknown: it does not return
  FailedUnit unit = FailedUnit::node;
};

/// All interruptions in [begin, end). Each cause is a Poisson process over calendar time that starts at tick 0. Its gaps are
/// exponential with rate λ·n_node (λ·n_domain·n_switch_tray, λ·n_domain), and its node or domain is uniform. A draw is a pure
/// function of (seed, cause name, index), so neither the window nor the other causes change it. Repair times are exponential.
/// Sorted by (tick, cause, node).
/// @param domains of the job; without them no switch tray and no rack fails
/// @throws InputError for lists of unequal length, negative rates, a window before 0; RefusedError above 1e7 draws
TIDEWATT_API std::vector<Failure> draw_failures(const FailureRates& rates, std::uint64_t seed, std::int64_t n_node,
                                                Tick begin, Tick end, const DomainLayout& domains = {});

/// The name of a failure's cause.
TIDEWATT_API const std::string& cause_name(const FailureRates& rates, const Failure& failure);

/// 1 / (n_node Σλ_node + n_domain (n_switch_tray Σλ_switch + Σλ_rack)), unexpected causes only; infinite without any.
TIDEWATT_API double mean_time_to_failure_s(const FailureRates& rates, std::int64_t n_node,
                                           const DomainLayout& domains = {});

/// Interval of work between checkpoints that minimises lost time, √(2 w M) - w (Young 1974): w = blocking time of one
/// checkpoint, M = mean time to failure; valid for w ≪ M.  @throws InputError unless 0 < w < 2 M
TIDEWATT_API double optimum_checkpoint_interval_s(double checkpoint_s, double mean_time_to_failure_s);

}  // namespace TIDEWATT_NAMESPACE::workload
