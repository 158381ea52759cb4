#include "evidence_runs.hpp"

#include <fmt/format.h>

#include "base/embedded.hpp"
#include "base/fields_of.hpp"
#include "base/node_number.hpp"
#include "catalog_in_use.hpp"
#include "tidewatt/base/error.hpp"
#include "training_runs.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

/// One inline table of [hardware]: entries of the catalog and what differs from them in that run.
struct Hardware {
  std::string compute, gpu, server, network;
  double tdp_W = 0.0, hbm_B_per_s = 0.0;
};

Hardware hardware_of(const Node& node) {
  Hardware h;
  std::vector<Finding> findings;
  TableReader reader(node, "hardware", findings);
  reader.text("compute", h.compute, "entry of kind compute");
  reader.text("gpu", h.gpu, "entry of kind gpu");
  reader.text("server", h.server, "entry of kind server");
  reader.text("network", h.network, "entry of kind network");
  reader.number("tdp_W", h.tdp_W, {0, 5000}, "limit in that run", Need::optional);
  reader.number("hbm_TB_per_s", h.hbm_B_per_s, {0, 100}, "memory of that run's boards", Need::optional);
  reader.child("links", Need::optional);
  reader.finish();
  if (!findings.empty()) throw InputError(std::move(findings));
  return h;
}

}  // namespace

Node evidence_file(const std::string& name) {
  for (const auto& file : embedded::validation_files())
    if (file.path == name) return parse_toml(file.text, name);
  throw InputError(fmt::format("no list '{}' of published runs", name));
}

const Node& member(const Node& table, const std::string& key) {
  const Node* found = table.find(key);
  if (found == nullptr) throw InputError(fmt::format("evidence rows: no '{}'", key));
  return *found;
}

std::vector<Node> listed(const Node& root, const std::string& name) {
  const Node* list = root.find(name);
  if (list == nullptr) return {};
  const auto& array = std::get<Node::Array>(list->value);
  return {array.begin(), array.end()};
}

std::string text_of(const Node& table, const std::string& key) {
  return std::get<std::string>(member(table, key).value);
}

double number_of(const Node& table, const std::string& key) { return number_in(member(table, key)).value(); }

EvidenceRow row_of(const Node& table, const std::string& key) {
  return {text_of(table, "id"), text_of(table, "source"), text_of(table, "where"), number_of(table, key),
          number_of(table, "tolerance_frac")};
}

workload::ModelShape shape_named(const Node& root, const std::string& name) {
  const Node& own = member(root, "model");
  if (const Node* shape = own.find(name)) return fields_of<workload::ModelShape>(merge(member(own, "common"), *shape));
  return model_entry(name);
}

EvidenceRun run_from(const Node& root, const Node& row) {
  EvidenceRun run;
  const Node& hardware_node = member(member(root, "hardware"), text_of(row, "hardware"));
  const Hardware h = hardware_of(hardware_node);
  run.model = text_of(row, "model");
  run.device = h.compute, run.gpu = h.gpu, run.server = h.server, run.tdp_W = h.tdp_W;
  run.compute = compute_entry(h.compute);
  run.compute.hbm_capacity_B = 1e18;  // memory does not refuse a published run
  if (h.hbm_B_per_s > 0.0) run.compute.hbm_B_per_s = h.hbm_B_per_s;
  Node links = catalog_in_use().values("network", h.network);
  if (const Node* own = hardware_node.find("links")) links = merge(std::move(links), *own);
  run.network = fields_of<workload::NetworkParams>(links);
  run.shape = shape_named(root, run.model);
  const Node& plans = member(root, "plan");
  run.plan = fields_of<workload::ParallelPlan>(
      merge(merge(member(plans, "common"), member(plans, text_of(row, "base"))), member(row, "plan")),
      text_of(row, "id") + ".plan");
  return run;
}

std::vector<EvidenceRun> evidence_runs() {
  const Node root = evidence_file("evidence_training.toml");
  std::vector<EvidenceRun> runs;
  for (const Node& row : listed(root, "row")) {
    EvidenceRun run = run_from(root, row);
    run.per_second = row.find("tokens_per_s") != nullptr;
    run.row = row_of(row, run.per_second ? "tokens_per_s" : "step_s");
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace TIDEWATT_NAMESPACE::validate
