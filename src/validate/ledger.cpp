#include "ledger.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "row_kind.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

LedgerLine line_of(const nlohmann::json& j) {
  LedgerLine out;
  j.at("row").get_to(out.row);
  j.at("kind").get_to(out.kind);
  j.at("source").get_to(out.source);
  j.at("unit").get_to(out.unit);
  j.at("got").get_to(out.got);
  j.at("error").get_to(out.error);
  j.at("tolerance").get_to(out.tolerance);
  out.absolute = j.at("tolerance_unit") != "fraction";
  j.at("commit").get_to(out.commit);
  j.at("date").get_to(out.date);
  out.anew = j.contains("anew"), out.revised = j.contains("revised");
  return out;
}

}  // namespace

std::vector<LedgerLine> read_ledger(std::span<const embedded::EmbeddedFile> files) {
  std::vector<LedgerLine> out;
  std::string before(64, '0');
  for (const auto& file : files) {
    std::uint32_t number = 0;
    for (const std::string& text : split(std::string(file.text), '\n')) {
      ++number;
      if (text.empty()) continue;
      const Place place{std::string(file.path), number, 1};
      try {
        const auto j = nlohmann::json::parse(text);
        if (j.at("previous") != before)
          throw InputError(Finding{place, "previous", "not the hash of the line before: the ledger was edited"});
        out.push_back(line_of(j));
      } catch (const nlohmann::json::exception& e) {
        throw InputError(Finding{place, "", fmt::format("not a line of the ledger: {}", e.what())});
      }
      before = sha256_hex(text);
    }
  }
  return out;
}

const std::vector<LedgerLine>& ledger() {
  static const std::vector<LedgerLine> lines = read_ledger(embedded::ledger_files());
  return lines;
}

const LedgerLine* first_line(const std::vector<LedgerLine>& lines, std::string_view row) {
  const LedgerLine* first = nullptr;
  for (const auto& line : lines)
    if (line.row == row && (first == nullptr || line.anew)) first = &line;
  return first;
}

bool is_blind(const LedgerLine& line) { return line.kind == "blind" && kind_of(line.row) == Kind::blind; }

const LedgerLine* band_line(const std::vector<LedgerLine>& lines, std::string_view row) {
  const LedgerLine* latest = nullptr;
  for (const auto& line : lines)
    if (line.row == row && (latest == nullptr || line.anew || line.revised)) latest = &line;
  return latest;
}

}  // namespace TIDEWATT_NAMESPACE::validate
