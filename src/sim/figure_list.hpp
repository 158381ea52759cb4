#pragma once
// Private to this repository: the figures of a run. JSON, result file, terminal, report, page, data sheet, documentation and the chance
// of headlines take units, words and digits from this list.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Whose figure it is. `both`: of the site in the summary, and of each job in `jobs`.
enum class Scope : std::uint8_t { site, job, both };

/// Unit of the entries of a list of shares: they are shown in percent, without those below 0.05 %.
constexpr std::string_view share_unit = "share";

/// What most figures do not have.
struct FigureTraits {
  int digits = 3;               ///< significant ones, for people
  Scope scope = Scope::site;    ///< whose figure it is
  int headline = 0;             ///< place among the headlines, whose chance a run gives, from 1 on; 0: none of them
  bool of_instants = false;     ///< of a headline: the part `instant` applies, as events can set the figure
  bool of_model = false;        ///< of a headline: the part `model` applies, as blind rows back the figure
  bool in_tables = true;        ///< of terminal, report and notebook; else only among all figures
  double scale = 1.0;           ///< of a value for people, to `shown_unit`
  const char* shown_unit = "";  ///< for people; empty: `unit`
};

/// A figure of a run.
struct Figure {
  const char* key;             ///< in JSON and in the result file; ends with the unit
  const char* unit;            ///< of the value, or of a list's entries whose names end with none; empty: 1, a word
  const char* words;           ///< short name, for tables
  const char* meaning;         ///< long name, a phrase; empty: that of the figure before says it
  const char* null_when = "";  ///< in which runs there is none; empty: in no run
  FigureTraits traits{};       ///< all else
};

/// Figures under one heading.
struct FigureTopic {
  const char* heading;              ///< of the table
  std::span<const Figure> figures;  ///< in the order in which they are read
};

/// All figures, in the order in which they are read. JSON has its own order.
std::span<const FigureTopic> figure_topics();
/// The figure of a key; null if there is none. An end of a headline's interval (`K_p05`, `K_event_max`) is the figure K.
const Figure* find_figure(std::string_view key);
/// The headlines in the order of their places.
std::vector<const Figure*> headline_figures();
/// "MW": the unit for people.
std::string_view shown_unit(const Figure& figure);
/// The unit as CF conventions and UDUNITS write it: "percent", "degC", "1e12 s-1"; "1" for none. @param unit of a figure
std::string_view file_unit(std::string_view unit);

namespace detail {
/// Parts of the list: of jobs and their GPUs; of the site's power and grid; of plant, devices, costs and the run itself.
std::span<const FigureTopic> job_topics();
std::span<const FigureTopic> power_topics();
std::span<const FigureTopic> site_topics();
}  // namespace detail

}  // namespace TIDEWATT_NAMESPACE::sim
