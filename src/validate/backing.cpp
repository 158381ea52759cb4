#include "backing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "declared_key.hpp"
#include "sim/figure_list.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

bool is_in(std::string_view word, const std::vector<std::string_view>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string error_text(const BackingRow& r) {
  return r.unit.empty() ? fmt::format("{:+.0f} %", 100.0 * r.first_error)
                        : fmt::format("{:+.2g} {}", r.first_error, r.unit);
}

/// "41 rows, median error 9 %, largest: E1/pythia-1b +48 %, …"
std::string rows_text(std::vector<BackingRow> rows) {
  constexpr std::size_t n_named = 3;
  std::sort(rows.begin(), rows.end(),
            [](const BackingRow& a, const BackingRow& b) { return std::abs(a.first_error) > std::abs(b.first_error); });
  std::string out = fmt::format("{} row{}", rows.size(), rows.size() == 1 ? "" : "s");
  const bool fractions = std::all_of(rows.begin(), rows.end(), [](const BackingRow& r) { return r.unit.empty(); });
  if (fractions && rows.size() > n_named) {
    const double upper = std::abs(rows[(rows.size() - 1) / 2].first_error),
                 lower = std::abs(rows[rows.size() / 2].first_error);
    out += fmt::format(", median error {:.0f} %, largest", 50.0 * (upper + lower));
  }
  for (std::size_t i = 0; i < std::min(n_named, rows.size()); ++i)
    out += fmt::format("{} {} {}", i == 0 ? ":" : ",", rows[i].row, error_text(rows[i]));
  return out;
}

BackingRow backing_row(const LedgerLine& line, const std::string& device) {
  return {line.row, line.source, device, line.error, line.absolute ? line.unit : ""};
}

}  // namespace

const std::vector<BackedHeadline>& backed_headlines() {
  static const std::vector<std::string_view> swing = {".power.", ".server.", ".network.", ".life."};
  static const std::vector<BackedHeadline> all = {
      {"tokens_per_s_mean",
       {"training time"},
       "throughput",
       "steps",
       {".compute.", ".network.", ".governor.", ".spread.", ".power.", ".plan."}},
      {"throughput_swing_percent",
       {"days"},
       "%",
       "",
       {".power.", ".spread.", ".package.", ".governor.", ".plant.", ".air."},
       {"E7/clock-slope"}},
      {"pcc_mean_MW",
       {"node power"},
       "W",
       "at work",
       {".power.", ".server.", ".plant.", ".feeder.", ".governor.", ".plan."}},
      {"pcc_step_1s_max_MW", {"power swing"}, "W", "", swing},
      {"pcc_ramp_up_max_MW_per_s", {"power swing"}, "W", "", swing},
      {"pcc_ramp_down_max_MW_per_s", {"power swing"}, "W", "", swing},
      {"die_max_degC", {"temperature"}, "degC", "", {".power.", ".spread.", ".package.", ".air.", ".plant."}},
      {"pue", {"plant"}, "", "", {".plant.", ".air."}}};
  return all;
}

bool backs(const BackedHeadline& headline, std::string_view area, std::string_view row) {
  return is_in(area, headline.areas) || is_in(row, headline.rows);
}

std::vector<Backing> backing(const std::vector<LedgerLine>& lines, const std::string& scenario,
                             const std::vector<std::string>& assumed) {
  std::vector<Backing> out;
  for (const BackedHeadline& h : backed_headlines()) {
    Backing& b = out.emplace_back(Backing{h.key, sim::find_figure(h.key)->words, {}, {}, 0, {}});
    for (const auto& line : lines) {
      if (is_in(line.row, h.rows) && line.kind == "blind" && !is_blind(line) && first_line(lines, line.row) == &line)
        b.fitted.push_back(backing_row(line, device_of(*declared_key(declared_keys(), line.row))));
      if (!is_blind(line)) continue;  // before the search below: most lines are not
      const DeclaredKey* declared = declared_key(declared_keys(), line.row);
      if (declared == nullptr || !backs(h, declared->area, line.row)) continue;
      if (first_line(lines, line.row) != &line) continue;
      const std::string device = device_of(*declared);
      if (!device.empty() && scenario.find('"' + device + '_') == std::string::npos)
        ++b.n_other_device;
      else
        b.rows.push_back(backing_row(line, device));
    }
    for (const auto& key : assumed)
      if (std::any_of(h.inputs.begin(), h.inputs.end(),
                      [&](std::string_view part) { return key.find(part) != std::string::npos; }))
        b.assumed.push_back(key);
  }
  return out;
}

std::string backing_text(const std::vector<Backing>& all) {
  std::string out = "Blind validation rows on these devices, with their first errors:\n";
  std::vector<std::string> none;
  for (const Backing& b : all) {
    if (b.rows.empty())
      none.push_back(b.fitted.empty() ? b.label
                                      : fmt::format("{} (an entry is fitted since to {} {})", b.label,
                                                    b.fitted.front().row, error_text(b.fitted.front())));
    else
      out += fmt::format("  {:<26} {}\n", b.label, rows_text(b.rows));
  }
  if (!none.empty()) out += fmt::format("  no row backs this: {}\n", fmt::join(none, ", "));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
