#include "summary_figures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

namespace TIDEWATT_NAMESPACE::io {

const sim::Value* Figures::find(const char* key) const {
  for (const auto& [k, v] : result_.summary)
    if (k == key) return &v;
  return nullptr;
}

double Figures::operator[](const char* key) const {
  const auto* v = find(key);
  if (v == nullptr) return std::numeric_limits<double>::quiet_NaN();
  if (const auto* d = std::get_if<double>(v)) return *d;
  if (const auto* i = std::get_if<std::int64_t>(v)) return static_cast<double>(*i);
  return std::numeric_limits<double>::quiet_NaN();
}

bool Figures::has(const char* key) const {
  const auto* v = find(key);
  if (v == nullptr) return false;
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(v)) return !list->empty();
  return !std::holds_alternative<std::monostate>(*v);
}

std::string Figures::text(const char* key) const {
  const auto* v = find(key);
  const auto* s = v != nullptr ? std::get_if<std::string>(v) : nullptr;
  return s != nullptr ? *s : "";
}

FigureList Figures::list(const char* key) const {
  const auto* v = find(key);
  const auto* l = v != nullptr ? std::get_if<FigureList>(v) : nullptr;
  return l != nullptr ? *l : FigureList{};
}

std::span<const std::int64_t> Figures::whole(const char* key) const {
  const auto* v = find(key);
  const auto* list = v != nullptr ? std::get_if<std::vector<std::int64_t>>(v) : nullptr;
  return list != nullptr ? std::span<const std::int64_t>(*list) : std::span<const std::int64_t>();
}

double Figures::of(const char* key, const char* name) const {
  for (const auto& [k, x] : list(key))
    if (k == name) return x;
  return std::numeric_limits<double>::quiet_NaN();
}

const std::vector<double>& Figures::array(const std::string& path) const {
  static const std::vector<double> none;
  for (const auto& a : result_.arrays)
    if (a.path == path)
      if (const auto* v = std::get_if<std::vector<double>>(&a.values)) return *v;
  return none;
}

const std::vector<std::string>& Figures::texts(const std::string& path) const {
  static const std::vector<std::string> none;
  for (const auto& a : result_.arrays)
    if (a.path == path)
      if (const auto* v = std::get_if<std::vector<std::string>>(&a.values)) return *v;
  return none;
}

std::string Figures::provenance(const char* key) const {
  for (const auto& [k, text] : result_.provenance)
    if (k == key) return text;
  return {};
}

std::vector<JobText> Figures::jobs() const {
  std::vector<JobText> out;
  for (const auto& figures : result_.jobs) {
    const auto number = [&](std::string_view key) {
      for (const auto& [k, v] : figures) {
        if (k != key) continue;
        if (const auto* d = std::get_if<double>(&v)) return *d;
        if (const auto* i = std::get_if<std::int64_t>(&v)) return static_cast<double>(*i);
      }
      return std::numeric_limits<double>::quiet_NaN();
    };
    const auto* name = figures.empty() ? nullptr : std::get_if<std::string>(&figures.front().second);
    out.push_back({name != nullptr ? *name : "", number("n_gpu"), number("tokens_per_s_mean"), number("iteration_s")});
  }
  return out;
}

double Figures::longest_iteration_s() const {
  double out = (*this)["iteration_s"];
  for (const auto& job : jobs())
    if (!(out >= job.iteration_s) && std::isfinite(job.iteration_s)) out = job.iteration_s;
  return out;
}

std::string shown(double x, int digits) {
  if (!std::isfinite(x)) return "–";
  if (x == 0.0) return "0";
  const double size = std::abs(x);
  if (size < 1e-5 || size >= 1e9) return fmt::format("{:.{}e}", x, digits - 1);
  const auto places =
      digits >= every_digit ? 0 : std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(size))));
  std::string text = fmt::format("{:.{}f}", x, places);
  // Thousands apart, from the point or the end backwards.
  const auto first = text.front() == '-' ? 1u : 0u;
  for (auto at = std::min(text.find('.'), text.size()); at > first + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace TIDEWATT_NAMESPACE::io
