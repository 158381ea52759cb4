#include "class_map.hpp"

#include <algorithm>
#include <cmath>

#include "fleet_block.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

using thermal::n_mode;

// Segments whose die differs by more than this from their kind's mean get their own leakage. What happens once is an edge.
constexpr double repeated_apart_K = 0.75, once_apart_K = 0.05;

/// [segment] what it does to the modes, whatever the power: computed once, all segments side by side.
struct Legs {
  std::vector<double> s;
  std::vector<std::uint32_t> kind;
  std::array<std::vector<double>, n_mode> gone, spent_s;  ///< 1 − e^{−λs} and ∫ e^{−λt} dt
  std::size_t size() const { return s.size(); }
};

TIDEWATT_CLONES
void set_mode(const double* s, std::size_t n, double rate_per_s, double* gone, double* spent_s) {
  const double per_rate = 1.0 / rate_per_s;
  for (std::size_t j = 0; j < n; ++j) {
    gone[j] = detail::decayed(rate_per_s * s[j]);
    spent_s[j] = gone[j] * per_rate;
  }
}

void set_legs(std::span<const workload::Segment> segments, const thermal::PackageModes& modes, Legs& out) {
  out.s.clear(), out.kind.clear();
  for (const auto& segment : segments) {
    out.s.push_back(seconds(segment.duration));
    out.kind.push_back(segment.kind);
  }
  for (std::size_t m = 0; m < n_mode; ++m) {
    out.gone[m].resize(out.size());
    out.spent_s[m].resize(out.size());
    set_mode(out.s.data(), out.size(), modes.rate_per_s[m], out.gone[m].data(), out.spent_s[m].data());
  }
}

// Contribution of each kind's watts to the die at the end of segment `last` of the periodic steady state, minus that to its mean:
// every segment's response decays until then, and those of all repetitions before it are a geometric series.
TIDEWATT_CLONES
void peak_weights(ClassMap& map, const Legs& legs, const thermal::PackageModes& modes, std::size_t last) {
  map.peak.K_per_W.assign(map.kind_s.size(), 0.0);
  std::array<double, n_mode> series{}, end{};  // decay from a segment's end until then
  double settled_K_per_W = 0.0;
  for (std::size_t m = 0; m < n_mode; ++m) {
    const double of_mode = modes.shape[0][m] * modes.gain_K_per_J[m] / modes.rate_per_s[m];
    settled_K_per_W += of_mode;
    series[m] = of_mode / detail::decayed(modes.rate_per_s[m] * map.period_s);
    end[m] = 1.0;
  }
  const std::size_t n = legs.size();
  for (std::size_t i = 0, j = last; i < n; ++i, j = j == 0 ? n - 1 : j - 1) {
    double K_per_W = 0.0;
    for (std::size_t m = 0; m < n_mode; ++m) {
      const double part = end[m] * legs.gone[m][j];
      K_per_W += series[m] * part;
      end[m] -= part;
    }
    map.peak.K_per_W[legs.kind[j]] += K_per_W;
  }
  for (const auto k : map.used) map.peak.K_per_W[k] -= settled_K_per_W * map.kind_s[k] / map.period_s;
}

/// The nominal die through all segments: T(t) = settled + Σ falls e^{−λt} in each.
struct Played {
  std::vector<double> mean_K, settled_K, area_Ks, square_K2s, end_K;
  std::array<std::vector<double>, n_mode> falls_K;
  double all_mean_K = 0.0;
  std::size_t hottest = 0;  ///< segment at whose end it is warmest
  void begin(std::size_t n) {
    mean_K.resize(n), square_K2s.resize(n);
    for (auto* sum : {&settled_K, &area_Ks, &end_K}) sum->assign(n, 0.0);
    for (auto& of_mode : falls_K) of_mode.resize(n);
    hottest = 0;
  }
};

/// Of a course under way, kept from one to the next.
struct Rooms {
  Legs legs;
  Played played;
  std::array<std::vector<double>, n_mode> z, drive;  ///< [mode][segment, and the end] and [mode][segment]
  std::array<std::vector<double>, n_mode> response_s;
  std::vector<double> share;  ///< [segment]
};
/// [mode]
template <class Of>
auto data_of(Of& of_mode) {
  static_assert(n_mode == 3);
  return std::array{of_mode[0].data(), of_mode[1].data(), of_mode[2].data()};
}
Rooms& rooms_of_thread() {
  static thread_local Rooms rooms;
  return rooms;
}

/// Adds one mode. @param z [segment, and the end] where the mode is at its begin  @param drive [segment] g P
TIDEWATT_CLONES
void add_mode(const Legs& legs, double rate_per_s, double shape, const double* z, const double* drive, double* falls_K,
              Played& to) {
  const double per_rate = 1.0 / rate_per_s;
  const double* s = legs.s.data();
  double *area_Ks = to.area_Ks.data(), *settled_K = to.settled_K.data(), *end_K = to.end_K.data();
  const std::size_t n = legs.size();
  TIDEWATT_LANE_LOOP
  for (std::size_t j = 0; j < n; ++j) {
    const double settled = drive[j] * per_rate;
    settled_K[j] = std::fma(shape, settled, settled_K[j]);
    falls_K[j] = shape * (z[j] - settled);
    area_Ks[j] = std::fma(shape, std::fma(drive[j], s[j], z[j] - z[j + 1]) * per_rate, area_Ks[j]);
    end_K[j] = std::fma(shape, z[j + 1], end_K[j]);
  }
}

/// ∫ T² of every segment: (∫ e^{−(λ+μ)t} dt) = (1 − e^{−λs} e^{−μs})/(λ + μ).
TIDEWATT_CLONES
void add_squares(const Legs& legs, const thermal::PackageModes& modes, Played& to) {
  const std::size_t n = legs.size();
  double* out = to.square_K2s.data();
  for (std::size_t j = 0; j < n; ++j) out[j] = to.settled_K[j] * (2.0 * to.area_Ks[j] - to.settled_K[j] * legs.s[j]);
  for (std::size_t k = 0; k < n_mode; ++k)
    for (std::size_t m = k; m < n_mode; ++m) {
      const double weight = (m == k ? 1.0 : 2.0) / (modes.rate_per_s[k] + modes.rate_per_s[m]);
      const double *a = legs.gone[k].data(), *b = legs.gone[m].data();
      const double *of_k = to.falls_K[k].data(), *of_m = to.falls_K[m].data();
      for (std::size_t j = 0; j < n; ++j)
        out[j] = std::fma(weight * of_k[j] * of_m[j], std::fma(-a[j], b[j], a[j] + b[j]), out[j]);
    }
}

// The nominal die from modes `z` on, and its mean and spread in every kind.
TIDEWATT_CLONES
void play_nominal(ClassMap& map, const NominalChip& chip, const std::array<double, n_mode>& begin, Rooms& rooms) {
  auto& [legs, out, z, drive, response_s, share] = rooms;
  const auto& modes = chip.modes;
  const std::size_t n = legs.size();
  out.begin(n);
  for (std::size_t m = 0; m < n_mode; ++m) z[m].resize(n + 1), drive[m].resize(n), z[m][0] = begin[m];
  // Modes side by side: each waits for its own last step.
  const std::array gone = data_of(legs.gone), spent_s = data_of(legs.spent_s);
  const std::array at = data_of(z), driven = data_of(drive);
  std::array<double, n_mode> now = begin;
  const auto gain_K_per_J = modes.gain_K_per_J;
  for (std::size_t j = 0; j < n; ++j) {
    const double W = chip.power_W[legs.kind[j]] + (chip.more_W.empty() ? 0.0 : chip.more_W[j]);
    for (std::size_t m = 0; m < n_mode; ++m) {
      const double of_mode = gain_K_per_J[m] * W;
      driven[m][j] = of_mode;
      at[m][j + 1] = now[m] = std::fma(now[m], 1.0 - gone[m][j], of_mode * spent_s[m][j]);
    }
  }
  for (std::size_t m = 0; m < n_mode; ++m)
    add_mode(legs, modes.rate_per_s[m], modes.shape[0][m], at[m], driven[m], out.falls_K[m].data(), out);
  add_squares(legs, modes, out);
  std::vector<double> integral_Ks(map.kind_s.size(), 0.0), square_K2s(map.kind_s.size(), 0.0);
  double total_Ks = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    out.mean_K[j] = legs.s[j] > 0.0 ? out.area_Ks[j] / legs.s[j] : out.end_K[j];
    integral_Ks[legs.kind[j]] += out.area_Ks[j];
    square_K2s[legs.kind[j]] += out.square_K2s[j];
    total_Ks += out.area_Ks[j];
    if (out.end_K[j] > out.end_K[out.hottest]) out.hottest = j;
  }
  out.all_mean_K = total_Ks / map.period_s;
  for (const auto k : map.used) {
    const double kind_K = integral_Ks[k] / map.kind_s[k];
    map.leakage.rise_K[k] = kind_K - out.all_mean_K;
    map.leakage.spread_K2[k] = std::max(0.0, square_K2s[k] / map.kind_s[k] - kind_K * kind_K);
  }
}

/// A kind's mean leakage over that at the repetition's mean temperature.
TIDEWATT_INLINE double leakage_factor(const KindLeakage& leakage, std::size_t kind, double k_T) {
  return math::exp(k_T * leakage.rise_K[kind] + 0.5 * k_T * k_T * leakage.spread_K2[kind]);
}

// How a kind's leakage differs from its mean within each segment, per watt of it: `share` at the segment's mean temperature, and
// (1 + share) k (T(t) − mean) about it. Of that, ∫ e^{−λ(s−t)} dt over the segment:
//   ∫ e^{−λ(s−t)} e^{−μt} dt = (e^{−μs} − e^{−λs})/(λ − μ),  s e^{−λs} for μ = λ.
TIDEWATT_CLONES
void leak_responses(const Legs& legs, const Played& played, const double* share, double k_T,
                    const thermal::PackageModes& modes, std::size_t mode, double* out_s) {
  const std::size_t n = legs.size();
  const double *spent_s = legs.spent_s[mode].data(), *gone = legs.gone[mode].data(), *s = legs.s.data();
  for (std::size_t j = 0; j < n; ++j) {
    const double per_K = std::fma(share[j], k_T, k_T);
    out_s[j] = std::fma(per_K, played.settled_K[j] - played.mean_K[j], share[j]) * spent_s[j];
  }
  for (std::size_t m = 0; m < n_mode; ++m) {
    const double *falls_K = played.falls_K[m].data(), *other = legs.gone[m].data();
    const double per_apart = m == mode ? 0.0 : 1.0 / (modes.rate_per_s[mode] - modes.rate_per_s[m]);
    const double same = m == mode ? 1.0 : 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      const double per_K = std::fma(share[j], k_T, k_T);
      const double overlap_s = std::fma(same * s[j], 1.0 - gone[j], (gone[j] - other[j]) * per_apart);
      out_s[j] = std::fma(per_K * falls_K[j], overlap_s, out_s[j]);
    }
  }
}

// Adds what the leakage's course does to the modes at the repetition's end, and at the end of segment `hottest` where it repeats.
TIDEWATT_CLONES
void follow_leakage(ClassMap& map, const NominalChip& chip, Rooms& rooms) {
  auto& [legs, played, z, drive, response_s, share] = rooms;
  const auto& modes = chip.modes;
  const std::size_t n = legs.size();
  const double k_T = chip.leakage_per_K;
  std::vector<double> factor(map.kind_s.size(), 1.0);  // [kind] leakage over that at the repetition's mean
  for (const auto k : map.used) factor[k] = leakage_factor(map.leakage, k, k_T);
  std::array<double, n_mode> series, after, end, weight_s{};
  after.fill(1.0), end.fill(1.0);
  for (std::size_t m = 0; m < n_mode; ++m) {
    series[m] = modes.shape[0][m] * modes.gain_K_per_J[m] / detail::decayed(modes.rate_per_s[m] * map.period_s);
    response_s[m].resize(n);
    leak_responses(legs, played, share.data(), k_T, modes, m, response_s[m].data());
  }
  const std::array gone = data_of(legs.gone), response = data_of(response_s);
  for (std::size_t j = n; j-- > 0;) {
    const double of_kind = factor[legs.kind[j]];
    for (std::size_t m = 0; m < n_mode; ++m) {
      response[m][j] *= of_kind;
      weight_s[m] += response[m][j] * after[m];
      after[m] -= after[m] * gone[m][j];
    }
  }
  std::array<double, n_mode> peak_K_per_W{};
  for (std::size_t i = 0, j = played.hottest; i < n; ++i, j = j == 0 ? n - 1 : j - 1)
    for (std::size_t m = 0; m < n_mode; ++m) {
      peak_K_per_W[m] += series[m] * response[m][j] * end[m];
      end[m] -= end[m] * gone[m][j];
    }
  map.leakage.weight_s = weight_s;
  map.leakage.peak_K_per_W = peak_K_per_W[0] + peak_K_per_W[1] + peak_K_per_W[2];
}

TIDEWATT_CLONES
void exponentials(double* x, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) x[j] = math::exp(x[j]) - 1.0;
}

// How leakage follows the die within its kind, and the segments with their own leakage.
/// @param apart_K by which a segment's die differs that gets its own leakage
void share_leakage(ClassMap& map, const NominalChip& chip, double apart_K, Rooms& rooms) {
  const Legs& legs = rooms.legs;
  const Played& played = rooms.played;
  auto& share = rooms.share;
  const std::size_t n = legs.size();
  const double k_T = chip.leakage_per_K;
  map.leakage.apart.clear();
  share.resize(n);
  std::vector<double> excess_s(map.kind_s.size(), 0.0);
  const auto over_K = [&](std::size_t j) {
    return played.mean_K[j] - played.all_mean_K - map.leakage.rise_K[legs.kind[j]];
  };
  for (std::size_t j = 0; j < n; ++j)
    share[j] = k_T * over_K(j) - 0.5 * k_T * k_T * map.leakage.spread_K2[legs.kind[j]];
  exponentials(share.data(), n);
  for (std::size_t j = 0; j < n; ++j) {
    excess_s[legs.kind[j]] += share[j] * legs.s[j];
    if (std::abs(over_K(j)) > apart_K) map.leakage.apart.push_back({static_cast<std::uint32_t>(j), share[j]});
  }
  for (const auto k : map.used) excess_s[k] /= map.kind_s[k];
  for (std::size_t j = 0; j < n; ++j) share[j] -= excess_s[legs.kind[j]];
  follow_leakage(map, chip, rooms);
}

/// The nominal chip's powers with each kind's leakage at its own temperature: warm kinds leak more and are warmer for it.
TIDEWATT_CLONES
std::vector<double> at_own_temperatures(const ClassMap& map, const NominalChip& chip) {
  const double k_T = chip.leakage_per_K;
  std::vector<double> out(chip.power_W.begin(), chip.power_W.end());
  for (const auto k : map.used) out[k] += chip.leakage_W[k] * (leakage_factor(map.leakage, k, k_T) - 1.0);
  return out;
}

// Where the periodic steady state begins.
std::array<double, n_mode> steady_modes(const ClassMap& map, const NominalChip& chip) {
  std::array<std::vector<double>, n_mode> weight_s;
  interpolate_weights(map, chip.modes.rate_per_s, weight_s);
  std::array<double, n_mode> z{};
  for (std::size_t m = 0; m < n_mode; ++m) {
    double b = map.within.weight_J[m];
    for (std::size_t i = 0; i < map.used.size(); ++i) b += chip.power_W[map.used[i]] * weight_s[m][i];
    const double x = chip.modes.rate_per_s[m] * map.period_s;
    z[m] = chip.modes.gain_K_per_J[m] * b / (x * math::mean_decay(x));
  }
  return z;
}

/// What clocks that move within kinds do to the modes at the repetition's end.
void set_within(ClassMap& map, const Legs& legs, std::span<const double> more_W) {
  std::array<double, n_mode> weight_J{}, after;
  after.fill(1.0);
  const std::array gone = data_of(legs.gone), spent_s = data_of(legs.spent_s);
  for (std::size_t j = more_W.size(); j-- > 0;)
    for (std::size_t m = 0; m < n_mode; ++m) {
      weight_J[m] += more_W[j] * spent_s[m][j] * after[m];
      after[m] -= after[m] * gone[m][j];
    }
  map.within.weight_J = weight_J;
}

/// Adds, `share` times, what powers, leakage and the begin do to a die at the end of segment `last`.
/// @param leak_s [mode][segment] leakage that follows the die, see leak_responses
void add_once(const Legs& legs, const thermal::PackageModes& modes, std::span<const double> more_W,
              const std::array<std::vector<double>, n_mode>& leak_s, std::size_t last, double share, OncePeak& to) {
  std::array<double, n_mode> left;
  left.fill(share);
  for (std::size_t j = last + 1; j-- > 0;)
    for (std::size_t m = 0; m < n_mode; ++m) {
      const double K_per_J = modes.shape[0][m] * modes.gain_K_per_J[m] * left[m],
                   K_per_W = K_per_J * legs.spent_s[m][j];
      to.K_per_W[legs.kind[j]] += K_per_W;
      to.leak_K_per_W += K_per_J * leak_s[m][j];
      if (!more_W.empty()) to.within_K += K_per_W * more_W[j];
      left[m] -= left[m] * legs.gone[m][j];
    }
  for (std::size_t m = 0; m < n_mode; ++m) to.left[m] += left[m];
}

/// Where the nominal chip is hottest in what was played last, over its end; nothing where that is the end.
OncePeak once_peak(std::size_t n_kind, const thermal::PackageModes& modes, std::span<const double> more_W,
                   const Rooms& rooms) {
  OncePeak out;
  out.K_per_W.assign(n_kind, 0.0);
  const auto& legs = rooms.legs;
  if (rooms.played.hottest + 1 == legs.size()) return out;
  add_once(legs, modes, more_W, rooms.response_s, rooms.played.hottest, 1.0, out);
  add_once(legs, modes, more_W, rooms.response_s, legs.size() - 1, -1.0, out);
  return out;
}

}  // namespace

void add_rises(ClassMap& map, std::span<const workload::Segment> segments, const NominalChip& chip) {
  map.repeats = true;
  Rooms& rooms = rooms_of_thread();
  const auto& [legs, played, z, drive, response_s, share] = rooms;
  set_legs(segments, chip.modes, rooms.legs);
  set_within(map, legs, chip.more_W);
  play_nominal(map, chip, steady_modes(map, chip), rooms);
  const auto own_W = at_own_temperatures(map, chip);
  const NominalChip own{chip.modes, own_W, chip.leakage_W, chip.leakage_per_K, chip.more_W};
  play_nominal(map, own, steady_modes(map, own), rooms);
  share_leakage(map, own, repeated_apart_K, rooms);
  peak_weights(map, legs, own.modes, played.hottest);
  map.peak.once = {once_peak(map.kind_s.size(), own.modes, chip.more_W, rooms)};
  if (!chip.more_W.empty()) {
    map.within.peak_K = played.end_K[played.hottest] - played.all_mean_K;
    for (const auto k : map.used) map.within.peak_K -= own_W[k] * map.peak.K_per_W[k];
  }
  // A chip that is still warming is hottest later. What is known of leakage stays that of the settled one.
  const auto settled = map.leakage;
  const std::size_t of_settled = played.hottest;
  play_nominal(map, own, {}, rooms);
  map.leakage = settled;
  if (played.hottest != of_settled)
    map.peak.once.push_back(once_peak(map.kind_s.size(), own.modes, chip.more_W, rooms));
}

void add_course(ClassMap& map, std::span<const workload::Segment> segments, const NominalChip& chip,
                const std::array<double, n_mode>& store_K) {
  std::array<double, n_mode> z{};
  for (std::size_t m = 0; m < n_mode; ++m)
    for (std::size_t i = 0; i < n_mode; ++i) z[m] += chip.modes.inverse[m][i] * store_K[i];
  Rooms& rooms = rooms_of_thread();
  set_legs(segments, chip.modes, rooms.legs);
  set_within(map, rooms.legs, chip.more_W);
  play_nominal(map, chip, z, rooms);
  share_leakage(map, chip, once_apart_K, rooms);
  map.peak.once = {once_peak(map.kind_s.size(), chip.modes, chip.more_W, rooms)};
}

}  // namespace TIDEWATT_NAMESPACE::fleet
