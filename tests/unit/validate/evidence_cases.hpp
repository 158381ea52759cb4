#pragma once
#include <string>

#include "tidewatt/base/error.hpp"
#include "validate/evidence_runs.hpp"

/// A declared training run by the id of its row.
inline tidewatt::validate::EvidenceRun run_named(const std::string& id) {
  for (auto& run : tidewatt::validate::evidence_runs())
    if (run.row.id == id) return run;
  throw tidewatt::InputError("no run '" + id + "'");
}
