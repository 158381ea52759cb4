#pragma once
#include <cstdint>

#include "tidewatt/base/node.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// Refuses a file of a later format before anything else of it is read: its unknown keys are no mistakes.
/// @param root a parsed file; its key `schema` is the version of its format  @param known the latest version that is read here
/// @throws InputError at `schema` if it is a whole number above `known`; other values are the reader's to refuse
void refuse_newer(const Node& root, std::int64_t known);

}  // namespace TIDEWATT_NAMESPACE
