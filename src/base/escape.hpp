#pragma once
#include <string>
#include <string_view>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// `text` escaped for HTML, XML or SVG, inside elements and quoted attributes: & < > " ' as entities, control
/// characters other than tab and line end left out.
std::string html_text(std::string_view text);

/// `text` as one cell of a CSV file (RFC 4180). Text that a spreadsheet would run as a formula (it begins with = + - @, tab or
/// carriage return) gets an apostrophe before it; numbers stay numbers.
std::string csv_cell(std::string_view text);

}  // namespace TIDEWATT_NAMESPACE
