#include "sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "io/durable_file.hpp"
#include "process_pool.hpp"
#include "sensitivity.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/hdf5_sink.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Clock = std::chrono::steady_clock;
double since_s(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void write_text(const std::string& path, const std::string& text) {
  io::write_durably(path, {text.data(), text.size()});
}

/// HDF5 1.10 corrupts its heap when memory runs out: in a separate process this is an error here. The
/// table moves there, not here: that process has its own.
void write_hdf5(const std::string& path, SweepTable& table) {
  const auto write = [&](std::size_t) { io::Hdf5Sink(path).write(to_result(std::move(table))); };
  const auto died = [&](std::size_t, const std::string& why) {
    throw OutputError(fmt::format("could not write {}: the writing process was {}", path, why));
  };
  run_pool({0}, write, [](std::size_t) {}, died, {1, {}});
}

/// Counts, measures time, and reports to the caller.
class Tally {
 public:
  Tally(SweepOutcome& outcome, const SweepRunOptions& options) : outcome_(outcome), options_(options) {}
  void fail(const CaseRecord& record) {
    ++outcome_.n_failed;
    if (outcome_.failures.size() < most_failures)
      outcome_.failures.push_back(fmt::format("case {}: {}: {}", record.index, record.error_kind, record.error));
  }
  void add(const CaseRecord& record) {
    ++outcome_.n_done;
    ++outcome_.n_ran;
    if (record.failed()) fail(record);
    tell();
  }
  void start() {
    start_ = Clock::now();
    tell();
  }
  void tell() const {
    if (!options_.progress) return;
    SweepProgress p{outcome_.n_done, outcome_.n_failed, outcome_.n_total, {}};
    if (outcome_.n_ran > 0)
      p.left_s = since_s(start_) * static_cast<double>(outcome_.n_total - outcome_.n_done) /
                 static_cast<double>(outcome_.n_ran);
    options_.progress(p);
  }

 private:
  SweepOutcome& outcome_;
  const SweepRunOptions& options_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

std::vector<std::size_t> unfinished(const CaseList& cases, const Shard& shard,
                                    const std::map<std::size_t, CaseStore::Finished>& finished, bool retry_failed) {
  std::vector<std::size_t> todo;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases.same_as[i] != i || !shard.has(i)) continue;
    const auto at = finished.find(i);
    if (at == finished.end() || (retry_failed && at->second.failed)) todo.push_back(i);
  }
  return todo;
}

SweepOutcome run_sweep(const CaseRunner& runner, const std::string& folder, const SweepRunOptions& options) {
  CaseStore store(folder, runner.plan_text(), runner.cases().size());
  store.lock(options.shard);
  SweepOutcome outcome;
  Tally tally(outcome, options);
  auto state = store.read([&](const CaseRecord& record) {
    if (record.failed() && options.shard.has(record.index) && !options.retry_failed) tally.fail(record);
  });
  store.take_up(state);
  outcome.damaged = state.damaged;
  store.set_aside(state);
  const auto todo = unfinished(runner.cases(), options.shard, state.finished, options.retry_failed);
  outcome.n_total = unfinished(runner.cases(), options.shard, {}).size();
  outcome.n_done = outcome.n_total - todo.size();
  state = {};
  tally.start();
  const auto work = [&](std::size_t i) { store.put(runner.run(i, store)); };
  const auto done = [&](std::size_t i) { tally.add(store.note(i)); };
  const auto died = [&](std::size_t i, const std::string& why) {
    store.put({i, store.plan(), "crash", why, {}, ""});
    done(i);
  };
  outcome.stopped = !run_pool(todo, work, done, died, {options.n_worker, options.stop});
  return outcome;
}

SweepTable merge_sweep(const CaseRunner& runner, const std::string& folder) {
  const CaseStore store(folder, runner.plan_text(), runner.cases().size());
  TableBuilder rows(runner.cases());
  const auto state = store.read([&](const CaseRecord& record) { rows.add(record); });
  if (!state.damaged.empty())
    throw InputError(
        fmt::format("{} finished files are not as written (run the sweep again, their cases are repeated): {}",
                    state.damaged.size(), state.damaged.front()));
  const auto missing = unfinished(runner.cases(), {}, state.finished);
  if (!missing.empty())
    throw InputError(fmt::format("{} of {} cases are not finished, the first is case {}", missing.size(),
                                 runner.cases().size(), missing.front()));
  auto table = rows.finish();
  io::write_durably_in_pieces(folder + "/table.csv", [&](const io::Append& append) { write_csv(table, append); });
  write_hdf5(folder + "/table.h5", table);
  const std::string path = folder + "/analysis.csv";
  if (!refused_analysis(runner.spec(), table).empty()) {
    std::filesystem::remove(path);  // of another reading of the folder
    return table;
  }
  const std::string analysis = analyse(runner.spec(), table);
  if (!analysis.empty()) write_text(path, analysis);
  return table;
}

}  // namespace TIDEWATT_NAMESPACE::study
