#include "backup.hpp"

#include <algorithm>
#include <limits>

#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::power {

using numerics::bin_s;

void BackupParams::fields(FieldVisitor& v) {
  v.number("start_after_s", start_after_s, {0, 3600}, "time of bad utility voltage until generators are started");
  v.number("utility_good_s", utility_good_s, {0, 86400}, "time of good utility voltage until the site returns to it");
  v.number("transfer_gap_s", transfer_gap_s, {0, 60}, "interruption during a transfer between the sources");
}

Backup::Backup(const BackupParams& p)
    : ups_(p.ups),
      generator_(p.generator),
      start_after_(to_tick(p.start_after_s)),
      good_(to_tick(p.utility_good_s)),
      gap_(to_tick(p.transfer_gap_s)) {}

BackupState Backup::start() const {
  BackupState s;
  s.ups = ups_.start();
  return s;
}

void Backup::choose(double utility_pu, BackupState& s, BackupMeters& m) const {
  const bool good = utility_pu >= ups_.params().low_pu && utility_pu <= ups_.params().high_pu;
  s.bad_for = good ? 0 : std::min(s.bad_for, start_after_) + ns_per_ms;
  s.good_for = good ? std::min(s.good_for, good_) + ns_per_ms : 0;
  // A supply that locked itself on battery also calls for the generators: its battery will not last.
  const bool call = s.bad_for > start_after_ || s.ups.mode == UpsMode::locked;
  if (call && !s.generator.ordered) {
    ++m.n_start;
    generator_.order(true, s.generator, m.generator);
  }
  if (s.gap_left > 0) {
    s.gap_left -= ns_per_ms;
    return;
  }
  const bool back = s.good_for > good_;
  if (s.source == BackupSource::utility && call && s.generator.n_online > 0) {
    s.source = BackupSource::generator;
    s.gap_left = gap_;
  } else if (s.source == BackupSource::generator && back && s.ups.mode != UpsMode::locked) {
    s.source = BackupSource::utility;
    s.gap_left = gap_;
    ++m.n_return;
  } else if (s.source == BackupSource::utility && s.generator.ordered && back && s.ups.mode == UpsMode::normal) {
    generator_.order(false, s.generator, m.generator);
  }
}

void Backup::step(std::span<const double> load_W, std::span<const double> utility_pu, std::span<double> utility_W,
                  std::span<double> served_W, BackupState& s, BackupMeters& m) const {
  if (utility_pu.size() != load_W.size() || utility_W.size() != load_W.size() || served_W.size() != load_W.size())
    throw InputError("backup: chunks differ in length");
  for (std::size_t k = 0; k < load_W.size(); ++k) {
    choose(utility_pu[k], s, m);
    const bool on_generator = s.source == BackupSource::generator;
    const double source_pu = s.gap_left > 0 ? 0.0
                             : on_generator ? (s.generator.n_online > 0 ? 1.0 : 0.0)
                                            : utility_pu[k];
    const double limit_W = on_generator ? generator_.limit_W(s.generator) : std::numeric_limits<double>::infinity();
    if (on_generator && s.ups.mode == UpsMode::locked) ups_.release(s.ups);  // the operators moved the site over
    const double drawn_W = ups_.bin(load_W[k], source_pu, limit_W, served_W[k], s.ups, m.ups);
    utility_W[k] = on_generator ? 0.0 : drawn_W;
    (on_generator ? m.generator_J : m.utility_J).add(drawn_W * bin_s);
    if (s.generator.ordered) generator_.bin(on_generator ? drawn_W : 0.0, s.generator, m.generator);
  }
}

}  // namespace TIDEWATT_NAMESPACE::power
