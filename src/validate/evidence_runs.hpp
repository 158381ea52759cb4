#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/node.hpp"
#include "tidewatt/workload/compute.hpp"
#include "tidewatt/workload/model.hpp"
#include "tidewatt/workload/network.hpp"
#include "tidewatt/workload/plan.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// What every declared row has in common.
struct EvidenceRow {
  std::string id, source;  ///< source: key in docs/references.bib
  std::string where;       ///< place in the source, with its tag
  double expected = 0.0;
  double tolerance_frac = 0.0;
};

/// A published training run of evidence_training.toml with what it takes to compute it from the plan.
struct EvidenceRun {
  EvidenceRow row;
  std::string model;        ///< name, for texts
  std::string device, gpu;  ///< catalog entries of kind compute and gpu
  std::string server;       ///< catalog entry of kind server
  double tdp_W = 0.0;       ///< limit in that run; 0: the GPU entry's
  workload::ModelShape shape;
  workload::ParallelPlan plan;
  workload::ComputeParams compute;
  workload::NetworkParams network;
  bool per_second = false;  ///< published are tokens per second and GPU, else seconds per step
};

/// A file of this folder that is compiled into the library. @throws InputError if it is none
Node evidence_file(const std::string& name);
/// A member of a table. @throws InputError without it
const Node& member(const Node& table, const std::string& key);
/// Tables of a list, in its order; none if the file has no such list.
std::vector<Node> listed(const Node& root, const std::string& name);

/// Shape by name: of the file's own table [model] over its `common`, or of the catalog.
workload::ModelShape shape_named(const Node& root, const std::string& name);
/// Hardware, model, plan of a row. @param root of evidence_training.toml  @param row  keys hardware, model, base, plan
EvidenceRun run_from(const Node& root, const Node& row);
/// All runs of the list, in its order. @throws InputError with everything wrong in a row
std::vector<EvidenceRun> evidence_runs();

/// Text of a key. @throws InputError without it
std::string text_of(const Node& table, const std::string& key);
/// Number of a key. @returns it in the unit that the key names  @throws InputError without it
double number_of(const Node& table, const std::string& key);
/// id, source, where, tolerance, and what `key` holds as the expected value.
EvidenceRow row_of(const Node& table, const std::string& key);

}  // namespace TIDEWATT_NAMESPACE::validate
