// Section of a filing on ride-through: verdicts, the curve with the site's points, recovery.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "filing_parts.hpp"
#include "grid/phase_sag.hpp"
#include "line_plot.hpp"
#include "ride_plot.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

/// Power in the deepest sag that must be ridden, with the recovery asked.
std::string recovery(const Filing& f, const grid::BandAnswer& band) {
  const auto& rule = *f.book.ride;
  constexpr double step_s = 1e-3, before_s = 1.0;
  const double level = band.band.low, stay_s = std::min(band.band.stay_s, 5.0);
  const double after_s = std::max(10.0, std::isnan(rule.recovery_s) ? 0.0 : 4.0 * rule.recovery_s) + 20.0;
  std::vector<double> v(static_cast<std::size_t>((before_s + stay_s + after_s) / step_s), 1.0);
  std::fill(v.begin() + static_cast<std::ptrdiff_t>(before_s / step_s),
            v.begin() + static_cast<std::ptrdiff_t>((before_s + stay_s) / step_s), level);
  const auto a = grid::play(f.units, v, {}, step_s);
  LinePlot p{fmt::format("Power through a sag to {:g} pu for {:g} s", level, stay_s),
             "time (s)",
             "of the power before",
             {},
             {}};
  PlotLine power{"site", {}, {}}, voltage{"voltage (pu)", {}, {}, "#8A8A8A"};
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double s = static_cast<double>(i) * step_s;
    power.x.push_back(s), power.y.push_back(a.power_W[i] / a.power_W[0]);
    voltage.x.push_back(s), voltage.y.push_back(v[i]);
  }
  p.lines = {voltage, power};
  if (!std::isnan(rule.recovery_s)) {
    const double due_s = before_s + stay_s + rule.recovery_s;
    p.lines.push_back(
        {fmt::format("{:.0f} % asked from {:g} s after the sag on", 100.0 * rule.recovery_frac, rule.recovery_s),
         {due_s, due_s, static_cast<double>(v.size()) * step_s},
         {0.0, rule.recovery_frac, rule.recovery_frac},
         "#D55E00",
         true});
  }
  return p.svg();
}

}  // namespace

void ride_section(Filing& f, Page& page) {
  page.heading("3 Ride-through");
  page.text(fmt::format("{} ({}). {}. Status: {}, {}{}.", f.book.title, f.book.jurisdiction, f.book.document,
                        f.book.status.empty() ? "not stated" : f.book.status, f.book.date,
                        f.book.binding() ? "" : "; not binding"));
  if (!f.book.note.empty()) page.text("Reserves of the rule file: " + f.book.note);
  if (!f.why_not.empty())
    page.text(
        fmt::format("The rules do not apply: {}.{}", f.why_not, f.o.as_if ? " Judged all the same, as asked." : ""));
  if (f.why_not.empty())
    page.text(fmt::format("The rules apply: {}.", f.book.why(f.design_W, f.s.source.nominal_V, 1.0)));
  if (!f.book.ride) {
    page.text("The rule file has no ride-through part.");
    return;
  }
  if (!f.judged()) return;
  f.ride = grid::judge_ride(f.book, f.units, f.s.frequency.nominal_Hz, grid::transformer_of(f.o.transformer));
  const auto& v = *f.ride;
  page.text("Verdict: " + v.text() + ".");
  std::vector<std::vector<std::string>> rows;
  for (const auto& i : v.items) {
    rows.push_back({i.name, std::string(grid::name(i.answer)), i.why});
    if (i.answer == grid::RideAnswer::not_judged) f.open.push_back("ride-through, " + i.name + ": " + i.why);
  }
  page.table({"verdict on", "answer", "why, and which setting to change"}, rows);
  page.text(
      "Blue: the rule asks the load to stay. Yellow: a figure of the rule that could not be read. Points: sags that "
      "were played.");
  page.figure(ride_plot(v, "Ride-through curve and the site's answers"));
  rows.clear();
  const auto stated = std::any_of(f.units.begin(), f.units.end(), [](const auto& u) { return !u.frequency.empty(); });
  for (const auto& [bands, unit] : {std::pair{&v.voltage, "pu"}, {&v.frequency, "Hz"}})
    for (const auto& b : *bands) {
      const auto& p = b.points[b.worst];
      if (bands == &v.frequency && !stated) {
        rows.push_back({b.band.range(unit), std::string(grid::name(b.band.duty)),
                        b.band.stay_s > 0.0 ? number(b.band.stay_s) : "", "not judged",
                        "no settings for frequency are stated"});
        continue;
      }
      rows.push_back({b.band.range(unit), std::string(grid::name(b.band.duty)),
                      b.band.duty == grid::BandDuty::timed || b.band.duty == grid::BandDuty::may_reduce
                          ? number(b.band.stay_s)
                          : "",
                      std::string(grid::name(b.answer)),
                      p.left_W > 0.0 ? fmt::format("{:.3g} MW leave at {:.3g} {} for {:g} s ({})", p.left_W * 1e-6,
                                                   p.level, unit, p.duration_s, p.setting)
                                     : "nothing leaves"});
      if (b.answer == grid::RideAnswer::not_judged)
        f.open.push_back(fmt::format("ride-through, band {}: the rule's figure was not read", b.band.range(unit)));
    }
  for (const auto& b : v.unbalanced) {
    const auto& p = b.points[b.worst];
    rows.push_back({fmt::format("{}, {} of 3 phases behind {}", b.band.range("pu"), b.n_phase, f.o.transformer),
                    std::string(grid::name(b.band.duty)), b.band.stay_s > 0.0 ? number(b.band.stay_s) : "",
                    std::string(grid::name(b.answer)),
                    p.left_W > 0.0 ? fmt::format("{:.3g} MW leave at {:.3g} pu for {:g} s ({})", p.left_W * 1e-6,
                                                 p.level, p.duration_s, p.setting)
                                   : "nothing leaves"});
  }
  page.table({"band", "duty", "s", "answer", "site"}, rows);
  const auto deepest = std::find_if(v.voltage.begin(), v.voltage.end(), [](const auto& b) {
    return b.band.must_stay() && b.band.duty != grid::BandDuty::continuous && b.band.high <= 1.0;
  });
  if (deepest != v.voltage.end()) page.figure(recovery(f, *deepest));
}

}  // namespace TIDEWATT_NAMESPACE::study
