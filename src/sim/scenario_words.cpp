#include "scenario_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::sim {

using catalog::AssumedInput;

namespace {

/// What is wrong with the key of assumed words: they must act wherever they are set, and other keys must not hang on them.
std::string wrong_key(const std::string& key, const std::vector<std::string>& known) {
  if (known.empty()) return fmt::format("'{}' takes no word of a list in this scenario", key);
  const std::string last = key.substr(key.rfind('.') + 1);
  if (last == "kind" || last == "type") return fmt::format("'{}' is no assumption: other keys hang on it", key);
  if (last == "switch_profile") return fmt::format("'{}' acts on other keys only while the scenario is read", key);
  return "";
}

}  // namespace

std::string place_words(AssumedInput& a, const std::vector<std::string>& known) {
  if (auto wrong = wrong_key(a.key, known); !wrong.empty()) return wrong;
  for (const auto& word : a.words) {
    if (std::count(a.words.begin(), a.words.end(), word) > 1) return fmt::format("'{}' is listed twice", word);
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    const std::string close = nearest(word, known);
    return fmt::format("'{}' is not one of the words of {}: {}{}", word, a.key, fmt::join(known, ", "),
                       close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close));
  }
  if (a.words.size() < 2) return "at least two words are needed";
  std::vector<std::string> listed;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (std::find(a.words.begin(), a.words.end(), known[i]) != a.words.end())
      listed.push_back(known[i]), a.values.push_back(static_cast<double>(i));
  a.words = std::move(listed);
  if (!std::binary_search(a.values.begin(), a.values.end(), a.value))
    return fmt::format("the scenario has {} = {}, which is none of {}", a.key, known[static_cast<std::size_t>(a.value)],
                       fmt::join(a.words, ", "));
  return "";
}

void drop_impossible(AssumedInput& a, Scenario& s) {
  for (std::size_t i = a.values.size(); i-- > 0;) {
    if (a.values[i] == a.value) continue;
    std::string why;
    try {
      why = refusal_with(s, a.key, a.values[i]);
    } catch (const RefusedError& e) {
      why = e.what();
    }
    if (why.empty()) continue;
    s.notes.push_back(fmt::format("{} = {} is not drawn: {}", a.key, a.words[i], why));
    a.values.erase(a.values.begin() + static_cast<std::ptrdiff_t>(i));
    a.words.erase(a.words.begin() + static_cast<std::ptrdiff_t>(i));
  }
  a.low = a.values.front(), a.high = a.values.back();
}

std::string refusal_with(const Scenario& s, const std::string& key, double x) {
  try {
    check(with_values(s, {{key, x}}));
  } catch (const InputError& e) {
    return e.findings().empty() ? e.what() : e.findings().front().message;
  }
  return "";
}

}  // namespace TIDEWATT_NAMESPACE::sim
