#include "fit_telemetry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

#include "base/calendar.hpp"
#include "base/outside_text.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double mean_holds_s =
    2.0;  ///< after a change of load, a power reading that is a mean still has the load before in it
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

constexpr std::uint64_t most_table_bytes = std::uint64_t{1} << 31U;

/// Cells of a line; a separator in double quotes is a letter. Where the comma does not separate it is a decimal one.
std::vector<std::string> split_line(const std::string& line, char separator) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == separator && !quoted)
      out.emplace_back();
    else
      out.back() += c;
  }
  for (auto& cell : out) {
    cell = std::string(bare(cell));
    const auto comma = cell.find(',');
    if (separator == ',' || comma == std::string::npos || cell.find_first_not_of("+-0123456789") != comma) continue;
    if (cell.find_first_of(".,", comma + 1) == std::string::npos) cell[comma] = '.';
  }
  return out;
}

/// Fills rows in which the counter was not read: between two readings of it as the power readings run, scaled to meet both; before the
/// first and after the last by the power readings alone. A counter that was never read is ignored.
void fill_counter(const ThermalRecord& record, std::vector<double>& energy_J) {
  std::vector<double> of_power_J(energy_J.size(), 0.0);
  for (std::size_t i = 1; i < energy_J.size(); ++i)
    of_power_J[i] = of_power_J[i - 1] + record.power_W[i] * (record.time_s[i] - record.time_s[i - 1]);
  std::vector<std::size_t> read;
  for (std::size_t i = 0; i < energy_J.size(); ++i)
    if (std::isfinite(energy_J[i])) read.push_back(i);
  if (read.empty()) return energy_J.clear();
  const auto shift = [&](std::size_t i, std::size_t from) {
    energy_J[i] = energy_J[from] + of_power_J[i] - of_power_J[from];
  };
  for (std::size_t i = 0; i < read.front(); ++i) shift(i, read.front());
  for (std::size_t i = read.back() + 1; i < energy_J.size(); ++i) shift(i, read.back());
  for (std::size_t k = 1; k < read.size(); ++k) {
    const std::size_t a = read[k - 1], b = read[k];
    const double whole_J = of_power_J[b] - of_power_J[a];
    for (std::size_t i = a + 1; i < b; ++i) {
      const double share = whole_J > 0.0 ? (of_power_J[i] - of_power_J[a]) / whole_J : 0.0;
      energy_J[i] = energy_J[a] + share * (energy_J[b] - energy_J[a]);
    }
  }
}

}  // namespace

std::ptrdiff_t TextTable::column(std::initializer_list<const char*> words) const {
  for (const char* word : words)
    for (std::size_t i = 0; i < header.size(); ++i)
      if (header[i].starts_with(word)) return static_cast<std::ptrdiff_t>(i);
  return -1;
}

double TextTable::time_s(const std::vector<std::string>& row, std::size_t column) const {
  if (header[column] == "time_ms") return cell_number(row[column]) * 1e-3;
  if (header[column] == "time_s") return cell_number(row[column]);
  return cell_time_s(row[column]);
}

TextTable read_table(const std::filesystem::path& path) {
  TextTable t;
  t.file = path.string();
  const auto lines = split(read_text(t.file, most_table_bytes), '\n');
  const std::string& line = lines.front();
  if (bare(line).empty()) throw InputError(fmt::format("{}: is empty", t.file));
  const char separator = line.find('\t') != std::string::npos ? '\t' : line.find(';') != std::string::npos ? ';' : ',';
  t.header = split_line(line, separator);
  for (std::uint32_t at = 2; at <= lines.size(); ++at) {
    auto cells = split_line(lines[at - 1], separator);
    // Shorter lines are footers and torn last lines of a log that was still being written.
    if (cells.size() != t.header.size()) continue;
    t.rows.push_back(std::move(cells));
    t.line.push_back(at);
  }
  if (t.rows.empty()) throw InputError(fmt::format("{}: no line has the header's {} cells", t.file, t.header.size()));
  return t;
}

double cell_number(const std::string& cell) {
  std::string_view text = trim(cell);
  if (text.starts_with('+')) text.remove_prefix(1);
  double x = missing;  // a unit may follow the number
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || !std::isfinite(x) || std::abs(x) > 9.2e18) return missing;
  // Times, dates and numbers with other points are none: "12:30", "17.05.2024", "1,234".
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  const bool goes_on = rest.size() > 1 && std::string_view(":./,-").find(rest[0]) != std::string_view::npos;
  return goes_on && rest[1] >= '0' && rest[1] <= '9' ? missing : x;
}

double cell_time_s(const std::string& cell) {
  int y = 0, mo = 0, d = 0, h = 0, mi = 0, to_seconds = 0;
  char a = 0, b = 0, c = 0;
  if (std::sscanf(cell.c_str(), "%4d%c%2d%c%2d%c%2d:%2d:%n", &y, &a, &mo, &b, &d, &c, &h, &mi, &to_seconds) == 8 &&
      to_seconds > 0 && (a == '/' || a == '-') && a == b) {
    const double s = cell_number(cell.substr(static_cast<std::size_t>(to_seconds)));
    const bool day = calendar::date(y, mo, d).ok();
    if (!day || h < 0 || mi < 0 || mi > 59 || !(s >= 0.0 && s < 61.0) || h * 60 + mi > 1440) return missing;
    return static_cast<double>(calendar::days_since_1970(y, mo, d)) * 86400.0 + h * 3600.0 + mi * 60.0 +
           s;  // 24:00 is the next day's begin
  }
  const double x = cell_number(cell);
  // Epoch times of this century have a unit given by their size: 1e9 s, 1e12 ms, 1e15 µs, 1e18 ns.
  return x > 1e17 ? x * 1e-9 : x > 1e14 ? x * 1e-6 : x > 1e11 ? x * 1e-3 : x;
}

std::vector<GpuTelemetry> read_gpu_telemetry(const std::filesystem::path& path, bool needs_power) {
  const TextTable t = read_table(path);
  const auto time = t.column({"timestamp", "time_s", "time_ms", "time", "Timestamp"});
  const auto gpu = t.column({"index", "gpu", "GPU", "uuid", "pci.bus_id", "name"}),
             uuid = t.column({"uuid", "gpu_uuid"});
  const auto power = t.column({"power.draw.average", "power.draw", "DCGM_FI_DEV_POWER_USAGE", "power_W"});
  const auto die = t.column({"temperature.gpu", "DCGM_FI_DEV_GPU_TEMP", "temperature_degC", "die_degC"});
  const auto clock = t.column({"clocks.sm", "clocks.current.sm", "DCGM_FI_DEV_SM_CLOCK", "clock_MHz"});
  const auto energy = t.column({"energy_J", "total_energy_consumption", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"});
  const auto limit = t.column({"limit_W", "enforced.power.limit", "power.limit", "DCGM_FI_DEV_POWER_MGMT_LIMIT"});
  const auto inlet = t.column({"inlet_degC"});
  const auto activity = t.column({"activity_frac", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"});
  const auto dram = t.column({"dram_activity_frac", "DCGM_FI_PROF_DRAM_ACTIVE"});
  const auto memory_power = t.column({"memory_power_W"});
  const auto memory_die = t.column({"memory_temperature_degC", "temperature.memory", "DCGM_FI_DEV_MEMORY_TEMP"});
  const auto experiment = t.column({"experiment"}), load = t.column({"load_frac"});
  // The driver's own names count in millijoules.
  const double energy_unit_J =
      energy >= 0 && t.header[static_cast<std::size_t>(energy)].starts_with("energy_J") ? 1.0 : 1e-3;
  std::vector<Finding> findings;
  const auto need = [&](std::ptrdiff_t at, const char* what) {
    if (at < 0) findings.push_back({{t.file, 1, 1}, "", fmt::format("no column with {}", what)});
  };
  need(time, "the time (timestamp, time_s, time_ms)");
  if (needs_power) need(power, "board power (power.draw, DCGM_FI_DEV_POWER_USAGE, power_W)");
  need(die, "GPU temperature (temperature.gpu, DCGM_FI_DEV_GPU_TEMP, temperature_degC)");
  if (!findings.empty()) throw InputError(findings);

  std::map<std::string, std::pair<std::string, double>> begun;  // of each GPU: the experiment and when it began
  std::map<std::string, std::string> uuids;                     // of each GPU's name
  std::map<std::string, GpuTelemetry> by_gpu;                   // ordered: the same file gives the same order
  for (const auto& row : t.rows) {
    const auto cell = [&](std::ptrdiff_t at) { return at < 0 ? std::string("0") : row[static_cast<std::size_t>(at)]; };
    const double at_s = t.time_s(row, static_cast<std::size_t>(time));
    const double W = power < 0 ? missing : cell_number(cell(power)), degC = cell_number(cell(die));
    if (!std::isfinite(at_s) || (needs_power && !std::isfinite(W)) || !std::isfinite(degC)) continue;
    auto& g = by_gpu[cell(gpu)];
    g.gpu = printable(cell(gpu));
    if (auto& own = uuids[g.gpu]; own.empty())
      own = cell(uuid);
    else if (!cell(uuid).empty() && own != cell(uuid))
      throw InputError(fmt::format(
          "{}: '{}' is the name of two GPUs ({}, {}): keep one node per file, or let tidewatt import tell them apart",
          t.file, g.gpu, own, cell(uuid)));
    if (!g.record.time_s.empty() && at_s <= g.record.time_s.back()) continue;  // the same publication logged twice
    g.record.time_s.push_back(at_s);
    g.record.power_W.push_back(W);
    g.record.die_K.push_back(degC + 273.15);
    if (clock >= 0) g.clock_Hz.push_back(cell_number(cell(clock)) * 1e6);
    if (experiment >= 0 && load >= 0) {
      const bool products = cell_number(cell(load)) == 1.0 && !cell(experiment).starts_with("work_of_");
      if (auto& b = begun[g.gpu]; b.first != cell(experiment)) b = {cell(experiment), at_s};
      g.whole_load.push_back(products && at_s >= begun[g.gpu].second + mean_holds_s);
    }
    if (limit >= 0) g.limit_W.push_back(cell_number(cell(limit)));
    if (inlet >= 0) g.inlet_K.push_back(cell_number(cell(inlet)) + 273.15);
    if (activity >= 0) g.activity.push_back(cell_number(cell(activity)));
    if (dram >= 0) g.dram_activity.push_back(cell_number(cell(dram)));
    if (memory_power >= 0) g.memory_W.push_back(cell_number(cell(memory_power)));
    if (memory_die >= 0) g.memory_K.push_back(cell_number(cell(memory_die)) + 273.15);
    if (energy >= 0) g.energy_J.push_back(cell_number(cell(energy)) * energy_unit_J);
  }
  std::vector<GpuTelemetry> out;
  for (auto& [name, g] : by_gpu) {
    fill_counter(g.record, g.energy_J);
    // Of a counter only the differences are used, and each must be one of energy taken.
    for (std::size_t i = 1; i < g.energy_J.size(); ++i)
      if (!(g.energy_J[i] >= g.energy_J[i - 1])) g.energy_J.clear();
    if (!g.energy_J.empty() && !(g.energy_J.back() > g.energy_J.front())) g.energy_J.clear();
    out.push_back(std::move(g));
  }
  if (out.empty()) throw InputError(fmt::format("{}: no row has time, power and temperature", t.file));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
