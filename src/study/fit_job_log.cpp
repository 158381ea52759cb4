#include "fit_job_log.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "fit_telemetry.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr std::size_t most_findings = 20;

/// Times of a table's rows; a time that is none is a finding at its line.
class Times {
 public:
  explicit Times(const TextTable& table) : table_(table) {}
  double operator()(std::size_t row) {
    const double at_s = table_.time_s(table_.rows[row], 0);
    if (!std::isfinite(at_s)) report(row, fmt::format("'{}' is no time", shorten(table_.rows[row][0], 40)));
    return at_s;
  }
  void report(std::size_t row, std::string message) {
    if (findings_.size() < most_findings)
      findings_.push_back({{table_.file, table_.line[row], 1}, "", std::move(message)});
  }
  /// @throws InputError
  void finish() {
    if (!findings_.empty()) throw InputError(std::move(findings_));
  }

 private:
  const TextTable& table_;
  std::vector<Finding> findings_;
};

void read_events(const std::filesystem::path& path, double iterations_per_token, JobLog& log, double& start_s) {
  const TextTable t = read_table(path);
  if (t.header.size() < 5) throw InputError(fmt::format("{}: events need time_ms, type, key, value, metadata", t.file));
  double block_s = 0.0, eval_s = 0.0, tokens = 0.0;
  Times time_s(t);
  for (std::size_t i = 0; i < t.rows.size(); ++i) {
    const auto& row = t.rows[i];
    const std::string& key = row[2];
    const double at_s = time_s(i);
    if (key == "run_start") start_s = at_s;
    if (key == "run_stop") log.run_s = at_s - start_s;
    if (key == "eval_start") eval_s = at_s;
    if (key == "block_start") {
      block_s = at_s;
      const auto at = row[4].find("epoch_count=");
      tokens = at == std::string::npos ? 0.0 : cell_number(row[4].substr(at + 12));
      if (!(tokens >= 0.0 && tokens * iterations_per_token < 1e15))
        time_s.report(i, "epoch_count is no count"), tokens = 0.0;
    }
    if (key == "block_stop")
      log.work.push_back(
          {block_s - start_s, at_s - start_s, NodeWork::train, std::llround(tokens * iterations_per_token)});
    if (key == "eval_stop") log.work.push_back({eval_s - start_s, at_s - start_s, NodeWork::evaluate, 0});
  }
  time_s.finish();
  if (log.work.empty()) throw InputError(fmt::format("{}: no block_stop and no eval_stop", t.file));
}

void read_power(const std::filesystem::path& path, double start_s, JobLog& log) {
  const TextTable t = read_table(path);
  Times time_s(t);
  for (std::size_t r = 0; r < t.rows.size(); ++r) {
    const auto& row = t.rows[r];
    double sum = 0.0;
    int n = 0;  // a meter that missed a reading leaves its cell empty
    for (std::size_t i = 1; i < row.size(); ++i) {
      const double W = cell_number(row[i]);
      if (std::isfinite(W)) sum += W, ++n;
    }
    if (n == 0) continue;
    log.time_s.push_back(time_s(r) - start_s);
    log.node_W.push_back(sum / n);
  }
  time_s.finish();
  if (log.time_s.empty()) throw InputError(fmt::format("{}: no readings", t.file));
}

}  // namespace

NodePowerLog JobLog::part(double from_s, double to_s) const {
  NodePowerLog out;
  for (std::size_t i = 0; i < time_s.size(); ++i)
    if (time_s[i] >= from_s && time_s[i] < to_s) out.time_s.push_back(time_s[i]), out.node_W.push_back(node_W[i]);
  return out;
}

JobLog read_job_log(const std::filesystem::path& power_csv, const std::filesystem::path& events_csv,
                    double iterations_per_token) {
  JobLog log;
  double start_s = 0.0;
  read_events(events_csv, iterations_per_token, log, start_s);
  read_power(power_csv, start_s, log);
  return log;
}

JobLog read_node_log(const std::filesystem::path& power_csv) {
  JobLog log;
  read_power(power_csv, 0.0, log);
  const double start_s = log.time_s.front();
  for (double& t : log.time_s) t -= start_s;
  log.run_s = log.time_s.back();
  log.work = {{0.0, log.run_s + 1.0, NodeWork::train, 0}};
  return log;
}

}  // namespace TIDEWATT_NAMESPACE::study
