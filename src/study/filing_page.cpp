#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/escape.hpp"
#include "filing_parts.hpp"

namespace TIDEWATT_NAMESPACE::study {

void Page::heading(const std::string& text, int level) {
  html_ += fmt::format("<h{0}>{1}</h{0}>\n", level, html_text(text));
}
void Page::text(const std::string& words) { html_ += "<p>" + html_text(words) + "</p>\n"; }
void Page::preformatted(const std::string& text) { html_ += "<pre>" + html_text(text) + "</pre>\n"; }

void Page::list(const std::vector<std::string>& items) {
  html_ += "<ul>\n";
  for (const auto& i : items) html_ += "<li>" + html_text(i) + "</li>\n";
  html_ += "</ul>\n";
}

void Page::table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  html_ += "<table><thead><tr>";
  for (const auto& h : head) html_ += "<th>" + html_text(h) + "</th>";
  html_ += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    html_ += "<tr>";
    for (const auto& cell : row) {
      const bool verdict =
          cell == "pass" || cell == "fail" || cell == "not judged" || cell == "not measured" || cell == "open";
      html_ += verdict
                   ? fmt::format("<td class='{}'>{}</td>", cell == "pass" || cell == "fail" ? cell : "unknown", cell)
                   : "<td>" + html_text(cell) + "</td>";
    }
    html_ += "</tr>\n";
  }
  html_ += "</tbody></table>\n";
}

std::string document(const std::string& title, const std::string& body) {
  return "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>" + html_text(title) +
         "</title><style>\n"
         "body{font:14px/1.45 sans-serif;max-width:54em;margin:2em auto;padding:0 "
         "1em;color:#222}h1{font-size:1.7em}h2{margin-top:2em;border-bottom:1px solid #bbb}"
         "table{border-collapse:collapse;width:100%;margin:.6em 0}th,td{border:1px solid #ccc;padding:.25em "
         ".5em;text-align:left;vertical-align:top;overflow-wrap:break-word}th{background:#f2f2f2}"
         "td.pass{background:#e2f3e2}td.fail{background:#fbe0dc}td.unknown{background:#f5efd8}figure{margin:1em "
         "0}svg{max-width:100%;height:auto}pre{font-size:11px;white-space:pre-wrap;overflow-wrap:anywhere;background:#"
         "f7f7f7;padding:.6em}"
         "@page{size:A4;margin:16mm}@media "
         "print{body{font-size:10.5px;max-width:none;margin:0;padding:0}h2{break-after:avoid}h3{break-after:avoid}"
         "figure,tr{break-inside:avoid}thead{display:table-header-group}}\n"
         "</style></head><body>\n" +
         body + "</body></html>\n";
}

std::string spaced(std::string_view key) {
  std::string out;
  for (const char c : key) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter && !out.empty() && out.back() >= '0' && out.back() <= '9') out += ' ';
    out += c == '_' && !out.empty() && out.back() == 'V' ? ' ' : c;
  }
  return out;
}

std::string number(double x, int digits) {
  if (!std::isfinite(x)) return "open";
  // Large figures without a power of ten: 26360, not 2.636e+04.
  const double place = std::pow(10.0, std::floor(std::log10(std::max(std::abs(x), 1.0))) + 1 - digits);
  if (place >= 1.0 && std::abs(x) < 1e9) return fmt::format("{:.0f}", place * std::round(x / place));
  return fmt::format("{:.{}g}", x, digits);
}

bool long_enough(const FiledResult& r, const std::string& window) {
  return 2.0 * std::strtod(window.c_str(), nullptr) <= r.rated.length_s();
}

std::string FiledResult::whole_words() const { return fmt::format("whole run, 0 to {:g} s, start-up included", end_s); }

std::string FiledResult::rated_words() const {
  return fmt::format("rated part, {:g} to {:g} s", rated.from_s, rated.until_s);
}

std::string FiledResult::window_words() const {
  if (!window) return "recorded window";
  const double end = window->first_s + static_cast<double>(window->pcc_W.size()) * window->step_s;
  return fmt::format("window {}, {:g} to {:g} s", window->window, window->first_s, end);
}

const catalog::AssumedInput* assumed(const Filing& f, const std::string& key) {
  for (const auto& a : f.assumed)
    if (a.key == key) return &a;
  return nullptr;
}

double figure_of(const FiledResult& r, const char* key) {
  const auto it = r.summary.find(key);
  return it != r.summary.end() && it->is_number() ? it->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace TIDEWATT_NAMESPACE::study
