#include "fit_clock_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "fit_telemetry.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double settle_s = 5.0, block_s = 5.0, gap_s = 60.0;

struct Row {
  std::string gpu, load, stretch;
  double time_s, power_W, clock_Hz, die_K, limit_W;
  bool locked;
};

std::ptrdiff_t exact(const TextTable& t, const char* name) {
  const auto at = std::find(t.header.begin(), t.header.end(), name);
  return at == t.header.end() ? -1 : at - t.header.begin();
}

/// The load of a recorder's experiment; nothing for one whose load changes faster than its readings.
std::optional<std::string> load_of(const std::string& word) {
  if (word == "idle_no_context") return "idle";
  if (word == "idle_context" || word == "cool") return "context";
  if (word.starts_with("wave")) return std::nullopt;
  if (word == "soak" || word.starts_with("clock_at_") || word.starts_with("cap_at_")) return "work";
  return word.empty() ? "work" : word;
}

std::vector<Row> rows_of(const TextTable& t, bool& has_time) {
  const auto need = [&](std::initializer_list<const char*> words) {
    const auto c = t.column(words);
    if (c < 0) throw InputError(fmt::format("{}: no column '{}'", t.file, *words.begin()));
    return static_cast<std::size_t>(c);
  };
  const auto power = need({"power_W", "power.draw", "DCGM_FI_DEV_POWER_USAGE"});
  const auto clock = need({"clock_MHz", "clocks.sm", "clocks.current.sm", "DCGM_FI_DEV_SM_CLOCK"});
  const auto die = need({"temperature_degC", "temperature.gpu", "DCGM_FI_DEV_GPU_TEMP"});
  const auto limit = t.column({"limit_W", "enforced.power.limit", "power.limit"});
  const auto time = t.column({"time", "Time"}), gpu = t.column({"gpu", "index"}), part = exact(t, "part");
  const auto load = std::max(exact(t, "load"), exact(t, "experiment"));
  std::vector<Row> out;
  for (const auto& cells : t.rows) {
    const auto number = [&](std::ptrdiff_t c) {
      return c < 0 ? std::numeric_limits<double>::quiet_NaN() : cell_number(cells[static_cast<std::size_t>(c)]);
    };
    const auto word = [&](std::ptrdiff_t c) { return c < 0 ? std::string() : cells[static_cast<std::size_t>(c)]; };
    const auto kind = load_of(word(load));
    if (!kind) continue;
    Row r{word(gpu),
          *kind,
          word(load) + '/' + word(part),
          time < 0 ? static_cast<double>(out.size()) : t.time_s(cells, static_cast<std::size_t>(time)),
          cell_number(cells[power]),
          1e6 * cell_number(cells[clock]),
          cell_number(cells[die]) + 273.15,
          number(limit),
          word(load).starts_with("clock_at_")};
    if (std::isfinite(r.power_W) && std::isfinite(r.clock_Hz) && std::isfinite(r.die_K)) out.push_back(std::move(r));
  }
  has_time = time >= 0;
  if (load < 0 && !out.empty()) {
    std::vector<double> W;
    W.reserve(out.size());
    for (const auto& r : out) W.push_back(r.power_W);
    std::sort(W.begin(), W.end());
    std::erase_if(out, [floor_W = 0.5 * W[W.size() * 9 / 10]](const Row& r) { return r.power_W < floor_W; });
  }
  return out;
}

/// Whether readings follow one another so closely that they are averaged.
bool is_record(const std::vector<Row>& rows) {
  std::vector<double> step;
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i].gpu == rows[i - 1].gpu) step.push_back(rows[i].time_s - rows[i - 1].time_s);
  if (step.size() < 10) return false;
  std::nth_element(step.begin(), step.begin() + static_cast<std::ptrdiff_t>(step.size() / 2), step.end());
  return step[step.size() / 2] < block_s;
}

void add_point(ClockTable& t, const std::string& load, const ClockPoint& point) {
  auto at = std::find(t.loads.begin(), t.loads.end(), load);
  if (at == t.loads.end()) at = t.loads.insert(t.loads.end(), load);
  t.points.push_back(point);
  t.points.back().load = static_cast<std::size_t>(at - t.loads.begin());
}

/// Means over blocks of one GPU's stretches.
void average(const std::vector<Row>& rows, ClockTable& out) {
  for (std::size_t i = 0; i < rows.size();) {
    const Row& first = rows[i];
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end].stretch == first.stretch && rows[end].time_s - rows[end - 1].time_s < gap_s &&
           !(rows[end].limit_W != first.limit_W && std::isfinite(first.limit_W)))
      ++end;
    for (std::size_t k = i; k < end;) {
      ClockPoint sum{0, 0, 0, 0, first.limit_W, 0, first.locked};
      const double from_s = std::max(rows[k].time_s, first.time_s + settle_s);
      double n = 0;
      for (; k < end && rows[k].time_s < from_s + block_s; ++k)
        if (rows[k].time_s >= from_s)
          sum.time_s += rows[k].time_s, sum.power_W += rows[k].power_W, sum.clock_Hz += rows[k].clock_Hz,
              sum.die_K += rows[k].die_K, ++n;
      if (n == 0) continue;
      sum.time_s /= n, sum.power_W /= n, sum.clock_Hz /= n, sum.die_K /= n;
      add_point(out, first.load, sum);
    }
    i = end;
  }
}

}  // namespace

std::vector<ClockTable> read_clock_tables(const std::filesystem::path& path) {
  bool has_time = false;
  auto rows = rows_of(read_table(path), has_time);
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.gpu < b.gpu; });
  std::vector<ClockTable> out;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i;
    while (end < rows.size() && rows[end].gpu == rows[i].gpu) ++end;
    std::vector<Row> own(rows.begin() + static_cast<std::ptrdiff_t>(i),
                         rows.begin() + static_cast<std::ptrdiff_t>(end));
    ClockTable t{own.front().gpu, {}, {}};
    std::stable_sort(own.begin(), own.end(), [](const Row& a, const Row& b) { return a.time_s < b.time_s; });
    if (has_time && is_record(own))
      average(own, t);
    else
      for (const auto& r : own)
        add_point(t, r.load, {r.time_s, r.power_W, r.clock_Hz, r.die_K, r.limit_W, 0, r.locked});
    out.push_back(std::move(t));
    i = end;
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
