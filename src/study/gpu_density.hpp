#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "fit_gpu_power.hpp"
#include "fit_log.hpp"
#include "fit_poles.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// The logs of one GPU as a probability density over its poles and its leakage, for a sampler. z counts standard deviations of
/// each parameter's prior from its middle; the prior itself, N(0, 1) in each, is not part of the density:
///
///     ln L(z) = Σ −½ [ ‖W r‖² − gᵀ H⁻¹ g + ln det H ],   H = 1 + NᵀWᵀWN,   g = NᵀWᵀW r
///
/// over the temperatures of every log, r = T(z) − T_measured, and over its watts under load at one clock, r = P(z) − P_measured
/// (`leakage_residual`), where it has any. N holds the derivatives by what belongs to the log alone: air temperature and power before the
/// log, and the power at rest. Both models are linear in these, so that they are averaged out exactly, over the priors of
/// `pole_priors` and a normal one with the ends of `rest_prior`. W whitens the noise that the residuals of each log's own fit show
/// (`fit_noise`), which stays as it is.
class GpuDensity {
 public:
  /// What one log gave.
  struct Log {
    std::string gpu, file, power_from;
    std::size_t n_sample = 0;
    FitNoise noise;
    std::string no_leakage;  ///< why its watts do not identify leakage; empty: they do
  };
  static constexpr std::size_t n_parameter = 6;

  /// @throws InputError if a file holds several GPUs and none is chosen, or lacks what a fit needs
  explicit GpuDensity(const FitGpuOptions& options);
  /// Parameters in the order of z: fast_K_per_W, fast_s, slow_K_per_W, slow_s, leakage_W, leakage_frac_per_K.
  const std::vector<PriorParameter>& prior() const { return prior_; }
  /// Mode of the first log's own fits, in z, [parameter].
  const std::vector<double>& start() const { return start_; }
  /// Their standard deviations, in z, [parameter].
  const std::vector<double>& start_sigma() const { return start_sigma_; }
  const std::vector<Log>& logs() const { return logs_; }
  /// @param z [parameter], dimensionless  @returns −∞ where the model has no finite value  @throws InputError for another number of them
  double log_likelihood(std::span<const double> z) const;

 private:
  struct Thermal {
    ThermalDrive drive;
    Whitener whiten;
    std::vector<double> ambient;  ///< whitened derivative by z of the air temperature, [sample]
    double before_W, before_sigma_W;
    double ambient_K;
  };
  struct Leakage {
    LeakageRecord record;
    Whitener whiten;
    std::vector<double> rest;  ///< whitened derivative by z of the power at rest, [sample]
    double rest_W;             ///< middle of its prior
  };
  double of_temperatures(const Thermal& log, std::span<const double> z) const;
  double of_watts(const Leakage& log, std::span<const double> z) const;

  std::vector<PriorParameter> prior_;
  std::vector<double> start_, start_sigma_;
  std::vector<Log> logs_;
  std::vector<Thermal> thermal_;
  std::vector<Leakage> leakage_;
};

/// Catalog keys that a GPU's poles and leakage decide, and their values.
struct GpuValue {
  const char* key;
  double value;
};
/// @param base catalog gpu  @param fan_frac during the log  @param p [parameter] as `GpuDensity::prior`, in their units
/// @throws SolverError if no package has the poles
std::array<GpuValue, 7> gpu_values(const std::string& base, double fan_frac,
                                   const std::array<double, GpuDensity::n_parameter>& p);

}  // namespace TIDEWATT_NAMESPACE::study
