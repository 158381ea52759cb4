#include "record_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <numbers>
#include <numeric>

namespace TIDEWATT_NAMESPACE::grid {
namespace {

/// A largest value and the sample at which its window begins.
struct Largest {
  double value = not_stated;
  std::size_t at = 0;
  void see(double x, std::size_t i) {
    if (!(x <= value)) value = x, at = i;
  }
};

struct Part {
  std::size_t first = 0, count = 0;
};

std::vector<Part> parts_of(const SiteRecord& r) {
  std::vector<Part> out;
  std::size_t begin = 0;
  const auto sample = [&](double s) {
    const double n = std::ceil((s - r.first_s) / r.step_s - 1e-9);
    return static_cast<std::size_t>(std::clamp(n, 0.0, static_cast<double>(r.pcc_W.size())));
  };
  for (const auto& [from, until] : r.left_out_s) {
    if (sample(from) > begin) out.push_back({begin, sample(from) - begin});
    begin = std::max(begin, sample(until));
  }
  if (begin < r.pcc_W.size()) out.push_back({begin, r.pcc_W.size() - begin});
  return out;
}

/// One second-order section y = b·x − a·y, transposed.
struct Section {
  double b0 = 0, b1 = 0, b2 = 0, a1 = 0, a2 = 0, s1 = 0, s2 = 0;
  double step(double x) {
    const double y = b0 * x + s1;
    s1 = b1 * x - a1 * y + s2;
    s2 = b2 * x - a2 * y;
    return y;
  }
};

/// Butterworth section of quality q, prewarped at its corner.
Section section(double corner_Hz, double step_s, double q, bool high) {
  const double k = std::tan(std::numbers::pi * corner_Hz * step_s), norm = 1.0 / (1.0 + k / q + k * k);
  Section s;
  s.b0 = high ? norm : k * k * norm;
  s.b1 = high ? -2.0 * norm : 2.0 * s.b0;
  s.b2 = s.b0;
  s.a1 = 2.0 * (k * k - 1.0) * norm;
  s.a2 = (1.0 - k / q + k * k) * norm;
  return s;
}

std::vector<Section> sections(double low_Hz, double high_Hz, double step_s, std::int64_t order) {
  // Poles of a Butterworth filter lie on a circle: 1/(2 cos of their angles) are the sections' qualities.
  const std::vector<double> q = order == 4 ? std::vector<double>{0.5411961001461970, 1.3065629648763766}
                                           : std::vector<double>{std::numbers::sqrt2 / 2.0};
  std::vector<Section> out;
  for (const double each : q) {
    out.push_back(section(low_Hz, step_s, each, true));
    out.push_back(section(high_Hz, step_s, each, false));
  }
  return out;
}

Largest peak_to_peak(std::span<const double> x, std::size_t window) {
  Largest out;
  std::deque<std::size_t> high, low;  // samples that can still be the window's largest or smallest
  for (std::size_t i = 0; i < x.size(); ++i) {
    while (!high.empty() && x[high.back()] <= x[i]) high.pop_back();
    while (!low.empty() && x[low.back()] >= x[i]) low.pop_back();
    high.push_back(i), low.push_back(i);
    while (high.front() + window < i) high.pop_front();
    while (low.front() + window < i) low.pop_front();
    out.see(x[high.front()] - x[low.front()], i >= window ? i - window : 0);
  }
  return out;
}

Largest slope(std::span<const double> x, std::size_t window, double step_s, double sign) {
  Largest out;
  // A record of exactly one window is looked at from its first to its last sample.
  if (window == x.size() && window > 1) --window;
  for (std::size_t i = window; i < x.size(); ++i)
    out.see(sign * (x[i] - x[i - window]) / (static_cast<double>(window) * step_s), i - window);
  if (out.value < 0.0) out.value = 0.0;
  return out;
}

Largest percentile(std::span<const double> x, std::size_t window, double step_s, double percent) {
  std::vector<double> means, ramps;
  for (std::size_t i = 0; i + window <= x.size(); i += window)
    means.push_back(std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(i),
                                    x.begin() + static_cast<std::ptrdiff_t>(i + window), 0.0) /
                    static_cast<double>(window));
  for (std::size_t i = 1; i < means.size(); ++i)
    ramps.push_back(std::abs(means[i] - means[i - 1]) / (static_cast<double>(window) * step_s));
  if (ramps.empty()) return {};
  std::sort(ramps.begin(), ramps.end());
  const auto rank = static_cast<std::size_t>(std::ceil(percent / 100.0 * static_cast<double>(ramps.size())));
  return {ramps[std::max<std::size_t>(rank, 1) - 1], 0};
}

/// Settling time of the band-pass; nothing before is used.
double settle_s(const RecordRule& r) { return r.low_Hz > 0.0 ? 2.0 / r.low_Hz : 0.0; }

/// A band-pass of a record: once, or back again over its own output, which shifts no phase.
struct Filter {
  std::int64_t order = 2;
  bool both_ways = false;
};

/// Filters that a rule may mean.
std::vector<Filter> filters_of(const RecordRule& r) {
  if (r.figure != RecordFigure::peak_to_peak || r.low_Hz <= 0.0 || r.filter_stated) return {{r.filter_order, false}};
  return {{r.filter_order, false}, {r.filter_order == 2 ? 4 : 2, false}, {2, true}};
}

Largest figure_of(const RecordRule& r, const Filter& filter, std::span<const double> x, double step_s) {
  const auto window = static_cast<std::size_t>(std::max<std::int64_t>(1, std::llround(r.window_s / step_s)));
  switch (r.figure) {
    case RecordFigure::peak_to_peak:
      if (r.low_Hz > 0.0) {
        auto y = band_pass(x, step_s, r.low_Hz, r.high_Hz, filter.order);
        const auto settled = static_cast<std::size_t>(std::llround(settle_s(r) / step_s));
        if (filter.both_ways) {
          std::reverse(y.begin(), y.end());
          y = band_pass(y, step_s, r.low_Hz, r.high_Hz, filter.order);
          std::reverse(y.begin(), y.end());
          if (y.size() <= 2 * settled + window) return {};  // its other end has to settle, too
          y.resize(y.size() - settled);
        }
        Largest found = peak_to_peak(std::span(y).subspan(settled), window);
        found.at += settled;
        return found;
      }
      return peak_to_peak(x, window);
    case RecordFigure::slope_up:
      return slope(x, window, step_s, 1.0);
    case RecordFigure::slope_down:
      return slope(x, window, step_s, -1.0);
    case RecordFigure::ramp_percentile:
      return percentile(x, window, step_s, r.percentile);
    case RecordFigure::elsewhere:
      break;
  }
  return {};
}

/// The shortest part on which a rule can be judged.
double shortest_s(const RecordRule& r) {
  const double windows = r.figure == RecordFigure::ramp_percentile ? 2.0 * r.window_s : r.window_s;
  return std::max(windows, r.low_Hz > 0.0 ? 3.0 / r.low_Hz : 0.0);
}

/// Of all parts that are long enough; `at` counts from the record's first sample.
Largest largest_of(const RecordRule& rule, const Filter& filter, std::span<const Part> parts,
                   const SiteRecord& record) {
  Largest out;
  for (const Part& p : parts) {
    if (static_cast<double>(p.count) * record.step_s < shortest_s(rule) - 0.5 * record.step_s) continue;
    const Largest found = figure_of(rule, filter, record.pcc_W.subspan(p.first, p.count), record.step_s);
    if (!std::isnan(found.value)) out.see(found.value, p.first + found.at);
  }
  return out;
}

}  // namespace

std::string_view name(RecordVerdict v) {
  constexpr std::array<std::string_view, 4> words = {"pass", "fail", "undecided", "not measured"};
  return words[static_cast<std::size_t>(v)];
}

std::vector<double> band_pass(std::span<const double> W, double step_s, double low_Hz, double high_Hz,
                              std::int64_t order) {
  auto filter = sections(low_Hz, std::min(high_Hz, 0.45 / step_s), step_s, order);
  const auto through = [&](double x) {
    for (Section& s : filter) x = s.step(x);
    return x;
  };
  std::vector<double> out;
  if (W.empty()) return out;
  // Two periods of the low corner run backwards first: a filter begun at rest would swing for that long.
  const auto before = std::min(W.size() - 1, static_cast<std::size_t>(2.0 / (low_Hz * step_s)));
  const double offset = W[before];
  for (std::size_t i = before; i > 0; --i) through(W[i] - offset);
  out.reserve(W.size());
  for (const double x : W) out.push_back(through(x - offset));
  return out;
}

std::vector<RecordOutcome> check_record(const RuleBook& book, const SiteRecord& record) {
  std::vector<RecordOutcome> out;
  const auto parts = parts_of(record);
  for (const RecordRule& rule : book.rules) {
    RecordOutcome o;
    o.rule = rule;
    if (rule.figure == RecordFigure::elsewhere) {
      o.note = fmt::format("'{}' is measured by tidewatt run with site.rules = \"{}\"", rule.figure_word, book.name);
      out.push_back(std::move(o));
      continue;
    }
    o.limit = std::fmin(rule.limit, rule.limit_share * record.peak_W);
    double longest_s = 0.0;
    for (const Part& p : parts) longest_s = std::max(longest_s, static_cast<double>(p.count) * record.step_s);
    for (const Filter& filter : filters_of(rule)) {
      const Largest found = largest_of(rule, filter, parts, record);
      if (std::isnan(found.value)) continue;
      o.low = std::fmin(o.low, found.value), o.high = std::fmax(o.high, found.value);
      if (!std::isnan(o.value)) continue;  // the first is the one named
      o.value = found.value;
      o.at_s = record.first_s + static_cast<double>(found.at) * record.step_s;
    }
    const auto holds = [&](double x) { return x <= o.limit * (1.0 + 1e-12); };
    if (std::isnan(o.value)) {
      o.note =
          fmt::format("not judged: record shorter than the window: needs {:g} s without a gap, the record has {:g} s",
                      shortest_s(rule), longest_s);
    } else if (holds(o.low) != holds(o.high)) {
      o.verdict = RecordVerdict::undecided;
      o.note = "the text states no filter, and the verdict hangs on it";
    } else {
      o.verdict = holds(o.value) ? RecordVerdict::pass : RecordVerdict::fail;
    }
    out.push_back(std::move(o));
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
