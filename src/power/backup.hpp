#pragma once
#include <span>

#include "tidewatt/power/generator.hpp"
#include "tidewatt/power/ups.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// How a site with supplies and standby generators responds to a loss of its utility.
struct BackupParams {
  UpsParams ups;
  GeneratorParams generator;
  double start_after_s = 0.0;   ///< time of bad utility until generators are started
  double utility_good_s = 0.0;  ///< time of good utility until the site returns to it
  double transfer_gap_s = 0.0;  ///< open transition between the sources; the supplies bridge it
  void fields(FieldVisitor& v);
};

enum class BackupSource : std::uint8_t { utility, generator, none };

struct BackupState {
  UpsState ups;
  GeneratorState generator;
  BackupSource source = BackupSource::utility;
  Tick bad_for = 0, good_for = 0, gap_left = 0;
  template <class A>
  void archive(A& a) {
    a(ups, generator, source, bad_for, good_for, gap_left);
  }
};

struct BackupMeters {
  UpsMeters ups;
  GeneratorMeters generator;
  CompensatedSum utility_J;    ///< drawn from the utility
  CompensatedSum generator_J;  ///< drawn from the generators
  std::int64_t n_start = 0, n_return = 0;
  template <class A>
  void archive(A& a) {
    a(ups, generator, utility_J, generator_J, n_start, n_return);
  }
};

/// Utility → transfer switch → uninterruptible supply → load, with generators on the switch's other side.
///
/// The supply leaves a bad utility at once; after start_after_s the generators are ordered; as soon as one is on the bus
/// the switch takes them and the supply draws what they accept, in their steps, the battery giving the rest; after
/// utility_good_s of good voltage the switch goes back through a gap, and the supply walks in again.
class Backup {
 public:
  explicit Backup(const BackupParams& params);  ///< @throws InputError
  BackupState start() const;
  /// @param load_W at the supplies' output  @param utility_pu voltage  @param utility_W out: drawn from the utility
  /// @param served_W out  @throws InputError if lengths differ
  void step(std::span<const double> load_W, std::span<const double> utility_pu, std::span<double> utility_W,
            std::span<double> served_W, BackupState& state, BackupMeters& meters) const;
  const Ups& ups() const { return ups_; }
  const Generator& generator() const { return generator_; }

 private:
  void choose(double utility_pu, BackupState& s, BackupMeters& m) const;
  Ups ups_;
  Generator generator_;
  Tick start_after_, good_, gap_;
};

}  // namespace TIDEWATT_NAMESPACE::power
