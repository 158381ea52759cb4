#include "figure_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/figure_list.hpp"
#include "summary_figures.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr double least_share = 5e-4;

/// How the numbers of a figure are shown.
struct Form {
  double scale = 1.0;
  std::string_view unit;
  int digits = 3;
};

/// Numbers without a unit that are whole are counts.
std::string number(double x, const Form& form) {
  const double scaled = x * form.scale;
  const bool count = form.unit.empty() && scaled == std::floor(scaled) && std::abs(scaled) < 1e9;
  std::string out = shown(scaled, count ? every_digit : form.digits);
  if (out.starts_with('-')) out.replace(0, 1, "−");
  if (form.unit.empty() || !std::isfinite(x)) return out;
  return out + (form.unit == "°" ? "" : " ") + std::string(form.unit);
}

/// An entry of a list: `ramp_down_max_MW_per_s` is "ramp down max 21.7 MW/s".
std::string entry(std::string key, double x, Form form) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> units = {{{"_MW_per_s", "MW/s"},
                                                                                   {"_MWh", "MWh"},
                                                                                   {"_MW", "MW"},
                                                                                   {"_mHz", "mHz"},
                                                                                   {"_Hz", "Hz"},
                                                                                   {"_percent", "%"},
                                                                                   {"_degC", "°C"},
                                                                                   {"_s", "s"}}};
  const auto* own = std::ranges::find_if(units, [&](const auto& u) { return key.ends_with(u.first); });
  if (own != units.end()) key.resize(key.size() - own->first.size()), form = {1.0, own->second, form.digits};
  if (key == "n" || key.starts_with("n_")) key = key == "n" ? "number" : "number " + key.substr(2);
  std::replace(key.begin(), key.end(), '_', ' ');
  return key + " " + number(x, form);
}

std::string entries(const FigureList& list, Form form) {
  const bool shares = form.unit == sim::share_unit;
  if (shares) form.scale = 100.0, form.unit = "%";
  std::vector<std::string> out;
  for (const auto& [key, x] : list)
    if (shares ? x >= least_share : x != 0.0) out.push_back(entry(key, x, form));
  return out.empty() ? "0" : fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

std::string figure_text(std::string_view key, const sim::Value& value, int digits) {
  const auto* figure = sim::find_figure(key);
  Form form;
  if (figure != nullptr) form = {figure->traits.scale, sim::shown_unit(*figure), figure->traits.digits};
  if (digits > 0) form.digits = digits;
  if (const auto* x = std::get_if<double>(&value)) return number(*x, form);
  if (const auto* n = std::get_if<std::int64_t>(&value)) return number(static_cast<double>(*n), form);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* list = std::get_if<FigureList>(&value)) return entries(*list, form);
  const auto* whole = std::get_if<std::vector<std::int64_t>>(&value);
  if (whole == nullptr || whole->empty()) return "–";
  return fmt::format("{}{}{}", fmt::join(*whole, ", "), form.unit.empty() ? "" : " ", form.unit);
}

}  // namespace TIDEWATT_NAMESPACE::io
