#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

struct CapOptions {
  double contract_W = 0.0;   ///< power of the site that fleets are compared at; 0: what the scenario draws at its limit
  double lowest_frac = 0.6;  ///< lowest cap, of each GPU's board limit
  std::size_t n_cap = 9;     ///< from the limit to the lowest cap in equal steps, at least 3
  std::size_t n_thread = 0;
  std::function<bool()> stop{};  ///< checked between steps: true ends it with a std::runtime_error
};

/// Boundaries at which a run's power is counted, from the inside outwards.
enum class PowerBoundary : std::uint8_t { boards, servers, connection };
inline constexpr std::size_t n_boundary = 3;

/// One run of the scenario with every GPU under a cap. Means of the whole run: start, saves and pauses are included.
struct CapPoint {
  double cap_frac = 0.0;      ///< of the board limit
  double cap_W = 0.0;         ///< per GPU of the first hall
  double tokens_per_s = 0.0;  ///< useful ones, the iteration that the end cuts included in part
  std::array<double, n_boundary> mean_W{};
  double clock_slowest_Hz = 0.0, voltage_V = 0.0;  ///< slowest GPU's mean; a nominal chip's voltage at that clock
  double capped_frac = 0.0;                        ///< of the compute time, by the power limit
  // at the contract
  std::int64_t n_gpu = 0, n_rack = 0;  ///< whole scale-up domains that the contract holds
  double fleet_tokens_per_s = 0.0;     ///< of so many, each GPU as in the run
  /// Tokens per joule that crosses a boundary, 1/J.
  double tokens_per_J(PowerBoundary at) const { return tokens_per_s / mean_W[static_cast<std::size_t>(at)]; }
};

/// What holds the most economic cap where it is.
enum class KneeReason : std::uint8_t {
  none,           ///< the lowest cap is still the best: no knee within the range
  voltage_floor,  ///< below it the voltage cannot fall any more, so power falls no faster than the clock
  boards,         ///< watts of the boards that do not follow the cap: leakage, memory, idle time
  servers,        ///< watts of hosts, switch trays, fans and conversion
  connection,     ///< watts of cooling, transformers and cables
};

struct CapStudy {
  double contract_W = 0.0;
  std::vector<CapPoint> points;                   ///< the board limit first
  std::size_t best = 0;                           ///< most tokens at the contract
  std::array<std::size_t, n_boundary> best_at{};  ///< most tokens per joule, counted at each boundary
  KneeReason reason = KneeReason::none;
  /// Watts per GPU at the best cap, counted at each boundary, and how many of them stay when the cap falls.
  std::array<double, n_boundary> gpu_W{}, fixed_W{};
  double clock_bound_frac =
      0.0;               ///< share of the iteration that follows the clock: d ln tokens / d ln f around the best cap
  double floor_V = 0.0;  ///< lowest voltage of the first hall's GPU
};

/// Runs a scenario under caps from the board limit down and compares what they give: at the site itself, and with as many GPUs
/// as fit behind the same connection. Throughput per GPU is taken not to depend on the number of replicas.
///
///     fleet = domain ⌊contract / (P / n_gpu) / domain⌋,   tokens at the contract = fleet · (tokens per s / n_gpu)
///     fixed watts = P − cap dP/dcap by the caps beside the best one
///
/// The knee is explained by where it comes from: tokens per joule of the boards alone, of the servers, and at the connection each
/// have their own best cap. The boundary that moves it last, or most, gives the reason.
/// @throws InputError for less than three caps, a cap that the driver does not take or no clock keeps, a contract below one domain
CapStudy study_caps(const sim::Scenario& scenario, const CapOptions& options);

std::string knee_text(const CapStudy& s);  ///< a sentence or two: the best cap and why it is not lower
std::string caps_text(const CapStudy& s);  ///< for people
std::string caps_json(const CapStudy& s);  ///< one JSON object on one line

}  // namespace TIDEWATT_NAMESPACE::study
