#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "tidewatt/base/error.hpp"
#include "units.hpp"

namespace TIDEWATT_NAMESPACE {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (;;) {
    const auto end = text.find(separator, begin);
    out.emplace_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return out;
    begin = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string shorten(std::string_view text, std::size_t max_chars) {
  return text.size() <= max_chars ? std::string(text) : std::string(text.substr(0, max_chars)) + "…";
}

bool parse_number(std::string_view text, double& out) {
  text = trim(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), out);
  return status == std::errc() && end == text.data() + text.size();
}

namespace {

/// Whether a word of a name describes its quantity: units are removed before, and words for extremes belong to many quantities.
bool telling(std::string_view w) {
  return w.size() >= 3 && w != "max" && w != "min" && w != "mean" && w != "low" && w != "high";
}

/// The known name that shares most characters in whole words with `word` ("power_cap_kW" and "cap_W"), the shortest one of
/// several; empty if there is none.
std::string with_common_words(std::string_view word, std::span<const std::string> known) {
  const auto words = split(stem_of_key(word), '_');
  std::size_t best = 0;
  std::string found;
  for (const auto& k : known) {
    const auto others = split(stem_of_key(k), '_');
    std::size_t common = 0;
    for (const auto& w : words)
      if (telling(w) && std::find(others.begin(), others.end(), w) != others.end()) common += w.size();
    if (common > best || (common > 0 && common == best && k.size() < found.size())) {
      best = common;
      found = k;
    }
  }
  return found;
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> known) {
  if (word.size() > 200) return {};
  std::size_t best = word.size() / 3 + 2;
  std::string found;
  std::vector<std::size_t> row;
  for (const auto& k : known) {
    if (std::max(k.size(), word.size()) - std::min(k.size(), word.size()) >= best)
      continue;  // too long or too short by itself
    row.resize(k.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= k.size(); ++j) {
        const std::size_t up = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (word[i - 1] == k[j - 1] ? 0u : 1u)});
        diagonal = up;
      }
    }
    if (row.back() < best) {
      best = row.back();
      found = k;
    }
  }
  return found.empty() ? with_common_words(word, known) : found;
}

std::string read_file(const std::string& path, std::uint64_t max_bytes) {
  namespace fs = std::filesystem;
  const auto refuse = [&](const std::string& why) { return InputError(Finding{{path, 0, 0}, "", why}); };
  std::error_code ec;
  if (!fs::exists(path, ec)) throw refuse("no such file");
  if (!fs::is_regular_file(path, ec)) throw refuse("not a regular file");
  const auto size = fs::file_size(path, ec);
  if (ec || size > max_bytes) throw refuse(fmt::format("file is larger than the limit of {} bytes", max_bytes));
  std::string text(size, '\0');
  std::ifstream in(path, std::ios::binary);
  if (!in.read(text.data(), static_cast<std::streamsize>(size)) && size > 0) throw refuse("cannot be read");
  return text;
}

std::string toml_file_text(const std::string& path, std::uint64_t max_bytes) {
  constexpr std::string_view hdf5 = "\x89HDF\r\n\x1a\n";
  std::string start(hdf5.size(), '\0');
  if (std::ifstream file(path, std::ios::binary); file.read(start.data(), std::ssize(start)) && start == hdf5)
    throw InputError(Finding{{path, 0, 0},
                             "",
                             "is a result (HDF5), where a TOML file is needed; 'tidewatt report' and 'tidewatt export' "
                             "read results"});
  return read_file(path, max_bytes);
}

}  // namespace TIDEWATT_NAMESPACE
