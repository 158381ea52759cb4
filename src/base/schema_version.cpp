#include "schema_version.hpp"

#include <fmt/format.h>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE {

void refuse_newer(const Node& root, std::int64_t known) {
  const Node* schema = root.find("schema");
  const auto* version = schema != nullptr ? std::get_if<std::int64_t>(&schema->value) : nullptr;
  if (version == nullptr || *version <= known) return;
  throw InputError(Finding{
      schema->place, "schema",
      fmt::format("{}: written by a newer tidewatt; version {} reads formats up to {}: update tidewatt, or write the "
                  "file anew",
                  *version, TIDEWATT_VERSION, known)});
}

}  // namespace TIDEWATT_NAMESPACE
