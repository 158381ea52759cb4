#pragma once
// Truths drawn from priors, and how often the 95 % intervals of fits hold them.
#include <map>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "study/fit_posterior.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A truth for every parameter, drawn from its prior. @param z_limit cuts the draws, so that truths stay inside of what a model allows
inline std::vector<double> drawn_truth(const std::vector<PriorParameter>& prior, std::uint64_t seed,
                                       double z_limit = 2.0) {
  std::vector<double> out;
  for (std::size_t i = 0; i < prior.size(); ++i)
    out.push_back(
        prior_value(prior[i], random::truncated_normal(seed, random::Purpose::jitter, 900 + i, -z_limit, z_limit)));
  return out;
}

/// Readings' noise: independent and drifting, in the unit of the readings.
class Noise {
 public:
  Noise(std::uint64_t seed, double white, double drift, double kept)
      : seed_(seed), white_(white), drift_(drift), kept_(kept) {}
  double next() {
    const auto n = [&](std::uint64_t what) { return random::normal(seed_, random::Purpose::jitter, what, i_); };
    state_ = kept_ * state_ + drift_ * std::sqrt(1.0 - kept_ * kept_) * n(700);
    const double e = state_ + white_ * n(701);
    ++i_;
    return e;
  }

 private:
  std::uint64_t seed_, i_ = 0;
  double white_, drift_, kept_, state_ = 0.0;
};

/// Counts per parameter: fits that identify it, and of those that hold its truth.
class Coverage {
 public:
  void add(const std::vector<FitValue>& values, const std::vector<double>& truth) {
    for (std::size_t i = 0; i < truth.size(); ++i) {
      auto& c = count_[values[i].key];
      ++c.fits;
      if (!values[i].identified) continue;
      ++c.identified;
      c.held += values[i].low <= truth[i] && truth[i] <= values[i].high;
    }
  }
  int identified(const std::string& key) { return count_[key].identified; }
  /// Within three standard deviations of what 95 % would hold, all identified values together.
  bool holds() const {
    double n = 0.0, held = 0.0;
    for (const auto& [key, c] : count_) n += c.identified, held += c.held;
    return n > 0.0 && held >= 0.95 * n - 3.0 * std::sqrt(n * 0.95 * 0.05) - 1.0;
  }
  std::string text() const {
    std::string out;
    for (const auto& [key, c] : count_)
      out += key + ": " + std::to_string(c.held) + " of " + std::to_string(c.identified) + " identified of " +
             std::to_string(c.fits) + "\n";
    return out;
  }

 private:
  struct Count {
    int fits = 0, identified = 0, held = 0;
  };
  std::map<std::string, Count> count_;
};

}  // namespace TIDEWATT_NAMESPACE::study
