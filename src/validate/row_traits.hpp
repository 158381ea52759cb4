#pragma once
#include <set>
#include <string>

#include "ledger.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// What is known of a row before it is computed, and says which runs it is like. It comes from the files that declare the rows
/// (evidence*.toml, racks_rows.toml, bands.toml).
struct RowTraits {
  std::string area;      ///< of evidence.toml
  std::string device;    ///< as device_of(); empty: its main parameter is none of a device
  std::string quantity;  ///< "throughput" for times and rates of training and inference, else the row's unit
  std::string
      state;  ///< training: "steps" or "whole runs"; node power: "at work", "serving", "at rest" or "whole runs"; else
              ///< empty
  std::string format;  ///< of the plan's linear layers: bf16, fp8 (mxfp8 takes its efficiency) or nvfp4; empty: no plan
  std::string shape;   ///< "dense", "experts" or, where only adapters are trained, "adapters"; empty: no plan
};
/// Those of a line's row; empty words where no file declares it.
RowTraits row_traits(const LedgerLine& line);

/// The same of a run. A set holds one value for each of its halls or jobs that differ; an empty set: not known.
struct RunTraits {
  std::set<std::string> devices, formats, shapes;
};
/// @param scenario text of a scenario with what it inherits and its overrides, as Scenario::text
RunTraits run_traits(const std::string& scenario);

}  // namespace TIDEWATT_NAMESPACE::validate
