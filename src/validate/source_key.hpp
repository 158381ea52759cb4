#pragma once
#include <string>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// One key per paper, log or machine, whatever its rows call it; that of docs/references.bib where it has one. Others stay.
std::string source_key(const std::string& source);

}  // namespace TIDEWATT_NAMESPACE::validate
