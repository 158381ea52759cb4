#include "tidewatt/io/summary_json.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>

namespace TIDEWATT_NAMESPACE::io {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// to_chars rather than the JSON library's writer: that one is not always the shortest.
std::string number(double x) {
  if (!std::isfinite(x)) return "null";
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
  std::string text(buffer.data(), end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <class Pairs, class Write>
std::string object(const Pairs& pairs, Write write) {
  std::string out = "{";
  std::string_view separator;
  for (const auto& [key, value] : pairs) {
    out.append(separator).append(quoted(key)).append(": ").append(write(value));
    separator = ", ";
  }
  return out + "}";
}

}  // namespace

std::string value_json(const sim::Value& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>)
          return "null";
        else if constexpr (std::is_same_v<T, double>)
          return number(v);
        else if constexpr (std::is_same_v<T, std::int64_t>)
          return std::to_string(v);
        else if constexpr (std::is_same_v<T, std::string>)
          return quoted(v);
        else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>)
          return fmt::format("[{}]", fmt::join(v, ", "));
        else
          return object(v, number);
      },
      value);
}

std::string summary_json(const std::vector<std::pair<std::string, sim::Value>>& summary) {
  return object(summary, value_json);
}

namespace {

/// Which day of which file the air is from.
std::string weather_from(const sim::Result& result) {
  std::vector<std::pair<std::string, sim::Value>> from;
  for (const char* key : {"file", "day", "kind"})
    for (const auto& [name, text] : result.provenance)
      if (name == fmt::format("weather_{}", key)) from.emplace_back(key, text);
  return from.empty() ? "" : ", \"weather_from\": " + summary_json(from);
}

}  // namespace

std::string result_json(const sim::Result& result) {
  std::string out = summary_json(result.summary), list;
  for (const auto& job : result.jobs) list.append(list.empty() ? "" : ", ").append(summary_json(job));
  out.insert(out.size() - 1,
             (result.summary.empty() ? "" : ", ") + ("\"jobs\": [" + list + "]") + weather_from(result));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::io
