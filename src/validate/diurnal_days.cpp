// D1 to D3 from the whole fleet's whole day. Its parameters were fixed before the first day was run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diurnal_groups.hpp"
#include "row_term.hpp"
#include "shipped_day.hpp"
#include "study/sampling.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr const char* source = "llama3";

const std::vector<std::string> prescribed = {"hall.a.plant=prescribed_llama3_day"};

std::vector<std::string> with(std::vector<std::string> set, std::initializer_list<const char*> more) {
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

struct Swing {
  double percent;
  std::vector<std::int64_t> hours;  ///< of the day, with the lowest throughput
};

Swing swing(const sim::Scenario& s) {
  const auto r = sim::run(s);
  const auto hours = sim::whole_numbers(r, "throughput_min_hours");
  return {sim::figure(r, "throughput_swing_percent"), {hours.begin(), hours.end()}};
}

/// 5 to 95 % of the swing over all assumed inputs of the day, drawn evenly within their ranges: fewer GPUs, the part of the
/// day that holds the coolest and the warmest hour.
struct Interval {
  double low, median, high;
  std::size_t n;
};
Interval interval() {
  const auto small =
      with(prescribed, {"hall.a.n_gpu=512", "job.main.plan.n_gpu=512", "job.main.plan.global_batch_sequences=64",
                        "run.start=2024-07-20T04:00:00", "run.duration_h=13", "run.macro_step_s=600"});
  auto assumed = shipped_day(small).assumed;
  std::erase_if(assumed, [](const auto& a) { return !a.key.starts_with("hall."); });  // the grid does not move the job
  std::vector<double> percent;
  for (const auto& u : study::latin_hypercube(40, assumed.size(), 405)) {
    auto set = small;
    for (std::size_t k = 0; k < assumed.size(); ++k) {
      const auto& a = assumed[k];
      const bool whole = a.low == std::round(a.low) && a.high == std::round(a.high) &&
                         a.value == std::round(a.value);  // a count, or might be
      const double x = a.low + u[k] * (a.high - a.low);
      set.push_back(fmt::format("{}={}", a.key, whole ? std::round(x) : x));
    }
    percent.push_back(swing(shipped_day(set)).percent);
  }
  std::sort(percent.begin(), percent.end());
  const auto at = [&](double share) {
    return percent[static_cast<std::size_t>(share * static_cast<double>(percent.size() - 1) + 0.5)];
  };
  return {at(0.05), at(0.5), at(0.95), percent.size()};
}

}  // namespace

std::vector<Row> day_rows(const Context&) {
  std::vector<Row> rows;
  const char* what = "Llama 3 405B, 16,384 air-cooled H100, a day";
  const auto text = [&](const char* more) { return std::string(what) + more; };
  const Swing d1 = swing(shipped_day(prescribed)), d1b = swing(shipped_day({}));
  auto constant = prescribed;
  constant.insert(constant.end(),
                  {"hall.a.plant.min_degC=24", fmt::format("hall.a.plant.max_degC={}", term("D2.max_degC", 24.0))});
  const Swing flat = swing(shipped_day(constant));
  const Swing equal = swing(shipped_day(with(prescribed, {"run.spread=false"}))),
              free = swing(shipped_day(with(prescribed, {"run.gating=false"})));
  rows.push_back(within(
      "D1/swing", text(", inlet prescribed, 18 degC at 05 h to 30 degC at 15 h: swing of hourly throughput"), "%", 0.7,
      2.5, d1.percent, 0.0, source, "published 1-2 %; spread and leakage fixed beforehand, not fitted to this row"));
  const bool afternoon =
      !d1.hours.empty() && std::ranges::all_of(d1.hours, [](std::int64_t hour) { return hour >= 12 && hour <= 17; });
  rows.push_back(holds("D1/hour", "same: hours of the lowest throughput begin from 12 to 17 h", afternoon, source,
                       fmt::format("from {} h; published: mid-day", fmt::join(d1.hours, ", "))));
  rows.push_back(within("D1b", text(", hot and clear in Oregon, through weather, mixing, evaporation and halls: swing"),
                        "%", 0.7, 2.5, d1b.percent, 0.0, source,
                        fmt::format("lowest from {} h", fmt::join(d1b.hours, ", "))));
  rows.push_back(within("D2", text(", inlet constant: swing"), "%", 0.0, 0.2, flat.percent, 0.0, source));
  // A difference counts if it exceeds what a step's length does to an hour's throughput (docs/engine.md).
  constexpr double step_error_percent = 0.02;
  rows.push_back(holds("D3/spread", "D1 with equal chips: a smaller swing, by more than a step's error of 0.02 %",
                       equal.percent < d1.percent - step_error_percent, source,
                       fmt::format("{:.2f} % against {:.2f} %", equal.percent, d1.percent)));
  rows.push_back(holds("D3/gating", "D1 without waiting for the slowest rank: a smaller swing, by more than that",
                       free.percent < d1.percent - step_error_percent, source,
                       fmt::format("{:.2f} % against {:.2f} %", free.percent, d1.percent)));
  return rows;
}

std::vector<Row> interval_rows(const Context&) {
  std::vector<Row> rows;
  const Interval i = interval();
  rows.push_back(
      holds("D1/interval", "same, 512 GPUs: the swing's 5-95 % interval over all assumed ranges overlaps 1-2 %",
            i.low <= 2.0 && i.high >= 1.0, source,
            fmt::format("{} draws: median {:.2f} %, 5-95 % {:.2f} to {:.2f} %", i.n, i.median, i.low, i.high)));
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
