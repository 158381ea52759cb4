#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// Kind of a key that is no catalog entry's but a `term()` in the row's code.
inline constexpr std::string_view term_kind = "term";

/// What evidence.toml declares for the rows below a prefix of their ids.
struct DeclaredKey {
  std::string prefix;
  std::string area;        ///< whose other rows say how wrong the model is there, e.g. "training time"
  std::string kind, name;  ///< the row's main parameter: catalog entry …
  std::string key;         ///< … and key; empty: it has none in the catalog
  double factor = 0.0;     ///< with which the row must turn red
  std::string why_none;    ///< where there is no key: what the row rests on instead
};

/// All lines of a file as evidence.toml. @throws InputError for a line that says neither key and factor nor a reason
std::vector<DeclaredKey> read_declared_keys(std::string_view toml);
/// Those of this build.
const std::vector<DeclaredKey>& declared_keys();
/// Entry of a gpu, compute or server key, without what distinguishes boards; empty: none
std::string device_of(const DeclaredKey& declared);
/// What it would take to mend a row, from mends.toml; empty: not known
std::string mend_of(std::string_view row);
/// The line of the longest prefix, which ends where a part of the id does; null: none
const DeclaredKey* declared_key(const std::vector<DeclaredKey>& keys, std::string_view row);

}  // namespace TIDEWATT_NAMESPACE::validate
