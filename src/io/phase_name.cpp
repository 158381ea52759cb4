#include "phase_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr std::array<std::string_view, 29> phases = {"A",  "B",  "C",  "R",    "S",    "T",    "L1",  "L2",  "L3", "1",
                                                     "2",  "3",  "AB", "BC",   "CA",   "RS",   "ST",  "TR",  "12", "23",
                                                     "31", "21", "32", "L1L2", "L2L3", "L3L1", "L12", "L23", "L31"};
constexpr std::array<std::string_view, 5> neutrals = {"N", "0", "O", "NE", "NEUTRAL"};
constexpr std::array<std::string_view, 6> others = {"I", "P", "Q", "S", "F", "HZ"};

template <class List>
bool is_in(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

/// "AN" and "AG" as "A". Empty: no phase.
std::string phase_of(std::string_view word) {
  std::string w = upper(word);
  if (w.size() > 1 && (w.back() == 'N' || w.back() == 'G' || w.back() == 'E')) w.pop_back();
  return is_in(phases, w) ? w : std::string();
}

bool is_digits(std::string_view word) { return word.find_first_not_of("0123456789") == std::string_view::npos; }

/// A run of letters and digits in a name.
struct Word {
  std::size_t at = 0, size = 0;
};

std::vector<Word> words_of(std::string_view name) {
  std::vector<Word> out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (std::isalnum(static_cast<unsigned char>(name[i])) == 0) continue;
    if (out.empty() || out.back().at + out.back().size != i) out.push_back({i, 0});
    ++out.back().size;
  }
  return out;
}

}  // namespace

PhaseName phase_name(std::string_view name, std::string_view field) {
  PhaseName out{std::string(name), phase_of(field), upper(field) == "N", false, false};
  // A field of digits may be the input's number: letters in the name hold against it.
  const auto holds = [given = out.phase](const std::string& found) {
    return given.empty() || found == given || (is_digits(given) && !is_digits(found));
  };
  const auto words = words_of(name);
  const auto take = [&](std::size_t at, std::size_t size) {
    const std::string found = phase_of(name.substr(at, size));
    if (found.empty() || !holds(found)) return false;
    out.phase = found;
    out.bus = std::string(name.substr(0, at)) + "*" + std::string(name.substr(at + size));
    return true;
  };
  // A phase behind U or V is one before a word that only looks like one: the line of "VA_L1" is L1.
  bool done = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = upper(name.substr(words[i].at, words[i].size));
    const std::size_t lead = word.starts_with('3') ? 1 : 0;
    if (word.size() <= lead || (word[lead] != 'U' && word[lead] != 'V')) continue;
    const std::string rest = word.substr(lead + 1);
    out.voltage = out.voltage || rest.empty() || is_in(neutrals, rest) || !phase_of(rest).empty();
    const bool apart = rest.empty() && i + 1 < words.size() && name.substr(words[i + 1].at, words[i + 1].size) == "0";
    if (apart || (is_in(neutrals, rest) && phase_of(rest).empty())) out.neutral = true;
    done = done || (!rest.empty() && take(words[i].at + lead + 1, rest.size()));
  }
  for (const auto& w : words) {
    const std::string word = upper(name.substr(w.at, w.size));
    out.other = out.other || is_in(others, word) || (word[0] == 'I' && !phase_of(word.substr(1)).empty());
    if (word == "NEUTRAL" || word == "RESIDUAL" || word == "ZERO") out.neutral = true;
    done = done || take(w.at, w.size);
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::io
