#pragma once
#include <string>
#include <vector>

#include "row.hpp"
#include "study/replay_log.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// A user's log held to the model: rows as those of the page, and how it was measured.
struct OwnLog {
  std::vector<Row> rows;    ///< log/temperature-GPU, log/clock-GPU, log/power-GPU, log/memory-GPU, log/node
  std::string drive;        ///< what of the log drives the model: power, activity or clock
  double window_s = 0.0;    ///< over which each power reading is a mean, as stated
  double sampling_s = 0.0;  ///< median time between readings of a GPU's temperature
  double span_s = 0.0;
  std::vector<std::string> findings;  ///< what the log lacks or leaves to an assumption
};

/// The mean of the model against that of the log, with the tolerances of the page's rows of that quantity: 5 K (T1), 7 % of a node's
/// watts (P2), 10 % of a GPU's (P1), 4 % of a clock (b300_cap). The note has the root mean square and what a constant would have.
OwnLog own_log(const study::ReplayOptions& options);
/// For people, a line per row.
std::string own_log_text(const OwnLog& log);
/// One object: `rows` as rows_json, `drive`, `window_s`, `sampling_s`, `span_s`, `findings`.
std::string own_log_json(const OwnLog& log);

}  // namespace TIDEWATT_NAMESPACE::validate
