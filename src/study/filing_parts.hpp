#pragma once
// Private to study: what the sections of a filing share.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "filing.hpp"
#include "grid/perc1_site.hpp"
#include "grid/record_check.hpp"
#include "grid/ride_verdict.hpp"
#include "io/read_waveform.hpp"
#include "io/result_origin.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A result as the filing looks at it.
struct FiledResult {
  std::string path, name;
  io::ResultOrigin origin;
  nlohmann::ordered_json summary;
  std::optional<io::Waveform> window;  ///< absent: none was recorded
  std::vector<grid::RecordOutcome> outcomes;
  double end_s = 0.0;                ///< length of the run
  RatedPart rated{};                 ///< of the run
  std::string whole_words() const;   ///< "whole run, 0 to 1800 s, start-up included"
  std::string rated_words() const;   ///< "300 to 1800 s"
  std::string window_words() const;  ///< "window sample, 900 to 960 s"
};

/// What the sections are made from.
struct Filing {
  const sim::Scenario& s;
  const grid::RuleBook& book;
  const FilingOptions& o;
  double design_W = 0.0;
  std::vector<catalog::AssumedInput> assumed{};  ///< of the scenario, and of settings from beside it
  SiteLoad load{};                               ///< at the means of the first result, else at design power
  std::vector<grid::LoadGroup> units{};          ///< for ride-through, at design power
  std::vector<FiledResult> results{};
  std::string scenario_sha256{};
  std::string why_not{};  ///< why the rules do not apply; empty: they do
  std::optional<grid::RideVerdict> ride{};
  std::vector<std::string> open{}, warnings{};
  bool judged() const { return why_not.empty() || o.as_if; }
};

/// HTML piece by piece; texts are escaped.
class Page {
 public:
  void heading(const std::string& text, int level = 2);
  void text(const std::string& words);
  void list(const std::vector<std::string>& items);
  void table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);
  void figure(const std::string& svg) { html_ += "<figure>" + svg + "</figure>\n"; }
  void preformatted(const std::string& text);
  const std::string& html() const { return html_; }

 private:
  std::string html_;
};

/// A whole document with a print style. @param body HTML
std::string document(const std::string& title, const std::string& body);

std::string number(double x, int digits = 4);
/// A key of the summary as people read it: "60s" as "60 s", "120V_60Hz" as "120 V 60 Hz".
std::string spaced(std::string_view key);
/// An assumed input of the scenario; null if its key is stated. @param key full path
const catalog::AssumedInput* assumed(const Filing& f, const std::string& key);
/// Whether the rated part is twice as long as a window of ramps, named as in the summary ("300s").
bool long_enough(const FiledResult& r, const std::string& window);
/// A summary's figure; NaN where it has none.
double figure_of(const FiledResult& r, const char* key);

void site_section(Filing& f, Page& page);                                          ///< site, one-line diagram, methods
void ride_section(Filing& f, Page& page);                                          ///< ride-through and recovery
void record_section(Filing& f, Page& page);                                        ///< ramps, swings, spectrum, flicker
void model_section(Filing& f, Page& page, std::vector<io::ExportFile>& files);     ///< records and their tests
void playback_section(Filing& f, Page& page, std::vector<io::ExportFile>& files);  ///< playback files
void assumed_section(const Filing& f, Page& page);
/// Every field with its method and its input.
std::vector<DataSheetRow> data_sheet(const Filing& f);

}  // namespace TIDEWATT_NAMESPACE::study
