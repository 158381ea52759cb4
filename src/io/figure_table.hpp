#pragma once
// Private to this repository: the list of a run's figures, as `tidewatt figures` prints it.
#include <string>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// A line per figure under its topic: key, unit, words, whether it is of jobs too, place among the headlines.
std::string figure_table_text();
/// A list of objects: `key`, `unit` ("share": shares of 1, shown in percent), `words`, `meaning`, `null_when` ("": never), `topic`,
/// `scope` (site, job, both), `headline` (its place; null: none), `interval` (parts of its chance), `digits`, `in_tables`, and
/// `shown_unit` and `scale` for people.
std::string figure_table_json();
/// The tables of docs/figures.md: figures in `jobs`, figures of the site. Figures that one phrase explains share a row.
std::string figure_table_markdown();

}  // namespace TIDEWATT_NAMESPACE::io
