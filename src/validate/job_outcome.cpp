#include "job_outcome.hpp"

namespace TIDEWATT_NAMESPACE::validate {

using namespace workload;

JobOutcome outcome(const WalkedJob& run, Tick length, std::uint64_t n_seed) {
  JobOutcome mean;
  for (std::uint64_t seed = 1; seed <= n_seed; ++seed) {
    JobLife life(run.job, run.size, draw_failures(run.rates, seed, run.n_node, 0, length));
    walk(life, Jitter(run.job.jitter, seed, 0, run.n_replica), {run.iteration, 0}, 0, length);
    const JobBooks& b = life.books();
    const double stops = static_cast<double>(b.unexpected + b.planned), each = 1.0 / static_cast<double>(n_seed);
    Tick again = b.lost_ns;
    for (const JobState s : {JobState::wait_for_spare, JobState::replace, JobState::initialise, JobState::load,
                             JobState::warm_up, JobState::ramp_up})
      again += b.in(s);
    mean.effective_frac += each * b.effective_frac();
    mean.loss_min += each * (1.0 - b.effective_frac()) * seconds(b.total_ns()) / 60.0 / stops;
    mean.catch_up_min += each * seconds(again) / 60.0 / stops;
  }
  return mean;
}

}  // namespace TIDEWATT_NAMESPACE::validate
