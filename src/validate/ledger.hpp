#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// A row as it came out when it was computed for the first time. Lines are written by scripts/ledger and never edited.
struct LedgerLine {
  std::string row, kind, source, unit;
  double got = 0.0, error = 0.0;  ///< as in Row
  double tolerance = 0.0;         ///< as in Row
  bool absolute = false;          ///< error and tolerance are in `unit`
  std::string commit, date;
  bool anew = false;  ///< starts the row again, for the reason that the line gives
  bool revised =
      false;  ///< its entries were replaced by a fit that knew neither the row nor its source; the first line stays
};

/// Lines of the ledger's files in their order, each the hash of the one before in `previous`.
/// @throws InputError where a line was changed, left out or is not JSON
std::vector<LedgerLine> read_ledger(std::span<const embedded::EmbeddedFile> files);
/// The ledger of this build, read once.
const std::vector<LedgerLine>& ledger();
/// The line that counts as a row's first: its last that starts anew, or its first. Null: never computed
const LedgerLine* first_line(const std::vector<LedgerLine>& lines, std::string_view row);
/// Whether a line's row was blind then and is so today: a row that was reclassified says nothing of bands and backs nothing.
bool is_blind(const LedgerLine& line);
/// The line whose error the bands of other rows rest on: the last that starts anew or is revised, or the first.
const LedgerLine* band_line(const std::vector<LedgerLine>& lines, std::string_view row);

}  // namespace TIDEWATT_NAMESPACE::validate
