#include "compliance_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/escape.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

struct Shown {
  double scale = 1.0;
  const char* unit = "";
  const char* si = "1";
};

Shown shown(Metric m) {
  switch (m) {
    case Metric::ramp_up:
    case Metric::ramp_down:
      return {60e-6, "MW/min", "W/s"};
    case Metric::range:
    case Metric::step:
    case Metric::band_rms:
    case Metric::load_lost:
      return {1e-6, "MW", "W"};
    case Metric::range_share:
    case Metric::band_share:
    case Metric::line_share:
      return {100.0, "%", "1"};
    case Metric::P_st:
    case Metric::P_lt:
      return {1.0, "", "1"};
    case Metric::voltage_low:
    case Metric::voltage_high:
    case Metric::voltage_change:
      return {1.0, "pu", "pu"};
    case Metric::frequency_low:
    case Metric::frequency_high:
      return {1.0, "Hz", "Hz"};
  }
  return {};
}

std::string moment(Tick worst) { return worst < 0 ? "-" : fmt::format("{:.3f} s", seconds(worst)); }

std::string where(const Rule& r) {
  if (r.window_s > 0.0) return fmt::format(" ({:g} s)", r.window_s);
  if (r.high_Hz > 0.0) return fmt::format(" ({:g}-{:g} Hz)", r.low_Hz, r.high_Hz);
  return "";
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + '"';
}
std::string json_number(double x) { return std::isfinite(x) ? fmt::format("{}", x) : "null"; }

// The figure as a bar with its spread, the limit as a line.
std::string bar(const RuleOutcome& o) {
  if (!std::isfinite(o.figure.value)) return "";
  const double top = 1.15 * std::max({std::abs(o.figure.value) + o.figure.spread, std::abs(o.rule.limit), 1e-300});
  const auto x = [&](double v) { return 240.0 * std::clamp(v / top, 0.0, 1.0); };
  const char* color = o.verdict == Compliance::pass ? "#3a7d44" : o.verdict == Compliance::fail ? "#b3261e" : "#b58900";
  const double lo = x(o.figure.value - o.figure.spread), hi = x(o.figure.value + o.figure.spread), at = x(o.rule.limit);
  return fmt::format(
      "<svg width=\"240\" height=\"22\" role=\"img\"><rect x=\"0\" y=\"6\" width=\"{:.1f}\" height=\"10\" fill=\"{}\"/>"
      "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"11\" y2=\"11\" stroke=\"#222\"/>"
      "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"1\" y2=\"21\" stroke=\"#222\" stroke-width=\"2\"/></svg>",
      x(o.figure.value), color, lo, hi, at, at);
}

}  // namespace

std::string_view si_unit(Metric metric) { return shown(metric).si; }

std::string compliance_text(const ComplianceReport& report) {
  std::string out = fmt::format("{} ({}): {}\n", report.title, report.date, name(report.verdict()));
  for (const auto& o : report.outcomes) {
    const Shown s = shown(o.rule.metric);
    fmt::format_to(std::back_inserter(out), "  {:<12} {}{}\n", name(o.verdict), o.rule.title, where(o.rule));
    if (o.verdict == Compliance::not_measured) continue;
    fmt::format_to(
        std::back_inserter(out), "               {:.4g} ± {:.2g} {}, limit {} {:.4g}, margin {:+.1f} %, worst at {}\n",
        o.figure.value * s.scale, o.figure.spread * s.scale, s.unit,
        o.rule.at_least() ? ">=" : "<=", o.rule.limit * s.scale, 100.0 * o.margin_frac, moment(o.figure.worst));
  }
  return out;
}

std::string compliance_json(const ComplianceReport& report) {
  std::string out =
      fmt::format("{{\"rules\":{},\"title\":{},\"date\":{},\"verdict\":{},\"outcomes\":[", json_text(report.rule_set),
                  json_text(report.title), json_text(report.date), json_text(name(report.verdict())));
  for (std::size_t i = 0; i < report.outcomes.size(); ++i) {
    const auto& o = report.outcomes[i];
    const bool measured = o.verdict != Compliance::not_measured;
    fmt::format_to(
        std::back_inserter(out),
        "{}{{\"rule\":{},\"title\":{},\"figure\":{},\"window_s\":{},\"low_Hz\":{},\"high_Hz\":{},\"unit\":{},"
        "\"value\":{},\"spread\":{},\"limit\":{},\"at_least\":{},\"verdict\":{},\"margin\":{},\"margin_frac\":{},"
        "\"worst_s\":{}}}",
        i ? "," : "", json_text(o.rule.name), json_text(o.rule.title), json_text(name(o.rule.metric)),
        json_number(o.rule.window_s), json_number(o.rule.low_Hz), json_number(o.rule.high_Hz),
        json_text(shown(o.rule.metric).si), json_number(o.figure.value), json_number(o.figure.spread),
        json_number(o.rule.limit), o.rule.at_least(), json_text(name(o.verdict)),
        measured ? json_number(o.margin) : "null", measured ? json_number(o.margin_frac) : "null",
        o.figure.worst < 0 ? "null" : json_number(seconds(o.figure.worst)));
  }
  return out + "]}";
}

std::string compliance_html(const ComplianceReport& report) {
  std::string out = fmt::format(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title><style>"
      "body{{font:15px sans-serif;margin:2em;max-width:70em}}td,th{{padding:.3em "
      ".8em;text-align:left;border-bottom:1px solid #ddd}}"
      ".pass{{color:#3a7d44}}.fail{{color:#b3261e}}.undecided,.not{{color:#b58900}}</style></head><body><h1>{0}</h1>"
      "<p>{1}. Verdict: <b "
      "class=\"{2}\">{2}</b></p><table><tr><th>rule</th><th>verdict</th><th>figure</th><th>limit</th>"
      "<th>margin</th><th>worst moment</th><th></th></tr>",
      html_text(report.title), html_text(report.date), name(report.verdict()));
  for (const auto& o : report.outcomes) {
    const Shown s = shown(o.rule.metric);
    const bool measured = o.verdict != Compliance::not_measured;
    fmt::format_to(
        std::back_inserter(out),
        "<tr><td>{}{}</td><td class=\"{}\">{}</td><td>{}</td><td>{} {:.4g} "
        "{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        html_text(o.rule.title), html_text(where(o.rule)), name(o.verdict), name(o.verdict),
        measured ? fmt::format("{:.4g} ± {:.2g} {}", o.figure.value * s.scale, o.figure.spread * s.scale, s.unit) : "-",
        o.rule.at_least() ? "&ge;" : "&le;", o.rule.limit * s.scale, s.unit,
        measured ? fmt::format("{:+.1f} %", 100.0 * o.margin_frac) : "-", moment(o.figure.worst), bar(o));
  }
  return out + "</table></body></html>\n";
}

}  // namespace TIDEWATT_NAMESPACE::grid
