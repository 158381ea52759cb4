#include "iteration_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

char letter(const std::string& name) {
  if (name.starts_with("forward")) return 'F';
  if (name.starts_with("backward")) return 'B';
  if (name == "bubble") return '.';
  if (name == "gradient_sync") return 'S';
  if (name == "optimizer") return 'O';
  if (name == "param_gather") return 'G';
  return '#';
}

/// The kind that fills most of each of `columns` equal spans of the period.
std::string strip(const Timeline& t, const std::vector<Segment>& segments, std::int64_t columns) {
  std::string out;
  std::size_t i = 0;
  Tick begin = 0;  // of segment i
  for (std::int64_t c = 0; c < columns; ++c) {
    const Tick from = t.period / columns * c, to = c + 1 == columns ? t.period : t.period / columns * (c + 1);
    std::array<Tick, 128> filled{};
    Tick at = from;
    while (at < to && i < segments.size()) {
      const Tick end = begin + segments[i].duration, until = std::min(end, to);
      filled[static_cast<std::size_t>(letter(t.kinds[segments[i].kind].name))] += until - at;
      at = until;
      if (until == end) begin = end, ++i;
    }
    const Tick quarter = (to - from) / 4;
    if (filled['F'] > quarter && filled['B'] > quarter)
      out.push_back('+');
    else
      out.push_back(static_cast<char>(std::max_element(filled.begin(), filled.end()) - filled.begin()));
  }
  return out;
}

std::string phase_line(const Timeline& t, const std::vector<Segment>& segments, std::uint32_t kind) {
  Tick total = 0;
  std::int64_t n = 0;
  for (const Segment& s : segments)
    if (s.kind == kind) total += s.duration, ++n;
  if (n == 0) return {};
  // Shares at the reference clock: how the work divides, not how a slower clock stretches it.
  const PhaseKind& k = t.kinds[kind];
  const double whole_s = k.reference_s() > 0.0 ? k.reference_s() : 1.0;
  const double hbm = (k.hbm_frac_matrix * k.matrix_s + k.hbm_frac_memory * k.memory_s) / whole_s;
  return fmt::format(
      "    {:<16} {:>5} x  {:>10.3f} ms  {:>5.1f} %   matrix {:>5.1f} % at activity {:.2f}   HBM {:>5.1f} %   "
      "link {:>5.1f} %\n",
      k.name, n, 1e3 * seconds(total), 100.0 * seconds(total) / seconds(t.period), 100.0 * k.matrix_s / whole_s,
      k.matrix_activity, 100.0 * hbm, 100.0 * k.link_frac * k.link_s / whole_s);
}

}  // namespace

std::string iteration_text(const Timeline& t, std::int64_t n_stage, std::int64_t columns) {
  if (columns < 20 || columns > 400) throw InputError(fmt::format("{} columns, 20 to 400", columns));
  const auto n = static_cast<std::int64_t>(t.classes.size());
  if (n_stage < 1 || n == 0 || n % n_stage != 0)
    throw InputError(fmt::format("{} rank classes are not whole groups of {} stages", n, n_stage));
  std::string out = fmt::format(
      "period {:.4f} s, {} stages, {} replica groups; F forward, B backward, + both in turn, . waiting, S "
      "gradient exchange, O optimizer, G weight gather\n",
      seconds(t.period), n_stage, n / n_stage);
  for (std::int64_t c = 0; c < n; ++c) {
    const auto& segments = t.classes[static_cast<std::size_t>(c)];
    fmt::format_to(std::back_inserter(out), "group {} stage {:>3} |{}|\n", c / n_stage, c % n_stage,
                   strip(t, segments, columns));
    for (std::uint32_t kind = 0; kind < t.kinds.size(); ++kind) out += phase_line(t, segments, kind);
  }
  out +=
      "matrix products, memory-bound kernels and exposed communication alternate inside a phase faster than the board "
      "averages power: a phase has their mean\n";
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::workload
