#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// Words for the values of an enum, in their order; specialised beside the enum.
template <class E>
inline constexpr std::array<std::string_view, 0> words_of{};

/// The word of a value.
template <class E>
constexpr std::string_view word_of(E value) {
  return words_of<E>[static_cast<std::size_t>(value)];
}

/// The value of a word; nothing if the enum has no such word.
template <class E>
constexpr std::optional<E> value_of(std::string_view word) {
  const auto& words = words_of<E>;
  const auto at = std::find(words.begin(), words.end(), word);
  if (at == words.end()) return std::nullopt;
  return static_cast<E>(at - words.begin());
}

/// Reads one of an enum's words into its value. An unknown word is reported and changes nothing.
template <class E>
void choose(FieldVisitor& v, std::string_view key, E& value, std::string_view doc, Need need = Need::required) {
  static_assert(words_of<E>.size() > 0, "the enum has no words");
  std::string word(word_of(value));
  v.choice(key, word, words_of<E>, doc, need);
  value = value_of<E>(word).value_or(value);
}

}  // namespace TIDEWATT_NAMESPACE
