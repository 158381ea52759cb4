#pragma once
#include <string>
#include <string_view>

#include "tidewatt/grid/compliance.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// SI unit of a metric's figures and limits.
std::string_view si_unit(Metric metric);

/// The report as lines of text: verdict, figure with spread, limit, margin and time of the worst value of each rule.
std::string compliance_text(const ComplianceReport& report);
/// As one JSON object; numbers in SI beside their unit, null where not measured.
std::string compliance_json(const ComplianceReport& report);
/// As one HTML page without outside parts: a table and, per rule, a bar of the figure against its limit (SVG).
std::string compliance_html(const ComplianceReport& report);

}  // namespace TIDEWATT_NAMESPACE::grid
