#include "node_log.hpp"

#include <cmath>
#include <fstream>
#include <sstream>

#include "tidewatt/base/error.hpp"

namespace tidewatt::validate {
namespace {

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  std::stringstream s(line);
  for (std::string cell; std::getline(s, cell, ',');) out.push_back(cell);
  return out;
}

std::ifstream open(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw InputError("cannot read " + path.string());
  return file;
}

void read_events(const std::filesystem::path& path, double iterations_per_token, JobLog& log, double& start_ms) {
  auto file = open(path);
  std::string line;
  double block_ms = 0.0, eval_ms = 0.0, tokens = 0.0;
  while (std::getline(file, line)) {
    const auto c = cells(line);
    if (c.size() < 3 || c[2].find("_st") == std::string::npos) continue;  // only …_start and …_stop
    const double ms = std::stod(c[0]);
    if (c[2] == "run_start") start_ms = ms;
    if (c[2] == "run_stop") log.run_s = (ms - start_ms) * 1e-3;
    if (c[2] == "block_start") {
      block_ms = ms;
      const auto at = line.find("epoch_count=");
      tokens = at == std::string::npos || iterations_per_token == 0.0 ? 0.0 : std::stod(line.substr(at + 12));
    }
    if (c[2] == "eval_start") eval_ms = ms;
    const auto interval = [&](double from_ms, study::NodeWork work, std::int64_t n) {
      log.work.push_back({(from_ms - start_ms) * 1e-3, (ms - start_ms) * 1e-3, work, n});
    };
    if (c[2] == "block_stop") interval(block_ms, study::NodeWork::train, std::llround(tokens * iterations_per_token));
    if (c[2] == "eval_stop") interval(eval_ms, study::NodeWork::evaluate, 0);
  }
}

}  // namespace

JobLog read_job_log(const std::filesystem::path& stem, const std::string& sensor, double iterations_per_token) {
  JobLog log;
  double start_ms = 0.0;
  read_events(stem.string() + "_events.csv", iterations_per_token, log, start_ms);
  auto file = open(stem.string() + "_" + sensor + ".csv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const auto c = cells(line);
    double sum = 0.0;
    int n = 0;  // a meter that missed a reading leaves its cell empty
    for (std::size_t i = 1; i < c.size(); ++i)
      if (!c[i].empty()) sum += std::stod(c[i]), ++n;
    if (n == 0) continue;
    log.time_s.push_back((std::stod(c[0]) - start_ms) * 1e-3);
    log.node_W.push_back(sum / n);
  }
  return log;
}

}  // namespace tidewatt::validate
