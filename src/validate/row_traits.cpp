#include "row_traits.hpp"

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/toml_recovery.hpp"
#include "catalog_in_use.hpp"
#include "declared_key.hpp"
#include "error_scale.hpp"
#include "evidence_runs.hpp"
#include "racks_runs.hpp"
#include "training_runs.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

struct PlanTraits {
  std::string format, shape;
};

/// racks_rows.toml: mxfp8 takes the efficiency of fp8.
std::string format_of(const std::string& precision) { return precision == "mxfp8" ? "fp8" : precision; }
/// Adapters have no gradients of the base weights to compute and exchange: other work than a training of all weights.
std::string shape_of(std::int64_t experts, std::int64_t adapter_rank) {
  if (adapter_rank > 0) return "adapters";
  return experts > 0 ? "experts" : "dense";
}

/// Of every published training run, by its row.
std::map<std::string, PlanTraits> declared_plans() {
  std::map<std::string, PlanTraits> out;
  for (const RackRun& run : rack_runs())
    out[run.id] = {format_of(run.plan.precision), shape_of(model_entry(run.model).experts, run.plan.adapter_rank)};
  for (const EvidenceRun& run : evidence_runs())
    out[run.row.id] = {format_of(run.plan.precision), shape_of(run.shape.experts, run.plan.adapter_rank)};
  return out;
}

std::string state_of(const std::string& area, std::string_view row) {
  if (area != "training time" && area != "node power") return "";
  if (of_whole_run(row)) return "whole runs";
  if (area == "training time") return "steps";
  if (row.starts_with("E3/")) return "serving";  // watts of GPUs that answer requests
  return is_at_rest(row) ? "at rest" : "at work";
}

/// The scenario merged over what it inherits, with its overrides.
Node scenario_tree(const std::string& text) {
  constexpr std::string_view base = "# ---- base = ", set = "# --set ";
  std::vector<std::string> parts(1), sets;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with(base))
      parts.emplace_back();
    else if (line.starts_with(set))
      sets.push_back(line.substr(set.size()));
    else
      parts.back() += line + "\n";
  }
  Node root = recover_toml(parts.back(), "scenario").root;
  for (std::size_t i = parts.size() - 1; i-- > 0;)
    root = merge(std::move(root), recover_toml(parts[i], "scenario").root);
  for (const std::string& assignment : sets) apply_set(root, assignment);
  return root;
}

/// Tables of a list, for example of all halls.
std::vector<Node> tables(const Node& root, std::string_view list) {
  const Node* found = root.find(list);
  return found != nullptr && found->is_array() ? std::get<Node::Array>(found->value) : std::vector<Node>{};
}

/// A catalog entry's name: `gpu = "NAME"` or `gpu = {catalog = "NAME"}`; empty: none.
std::string entry_name(const Node* spec) {
  if (spec != nullptr && spec->is_table()) spec = spec->find("catalog");
  return spec != nullptr && spec->is_text() ? std::get<std::string>(spec->value) : "";
}

/// A whole number; none where the node is absent or another value.
std::optional<std::int64_t> whole_number(const Node* node) {
  if (node == nullptr || !std::holds_alternative<std::int64_t>(node->value)) return {};
  return std::get<std::int64_t>(node->value);
}

/// Of a job's model; none where it is not of this catalog.
std::optional<std::int64_t> experts_of(const Node* model) {
  if (const auto own = whole_number(model != nullptr ? model->find("experts") : nullptr)) return own;
  const std::string name = entry_name(model);
  if (!catalog_in_use().has("model", name)) return {};
  return model_entry(name).experts;
}

}  // namespace

RowTraits row_traits(const LedgerLine& line) {
  static const std::map<std::string, PlanTraits> plans = declared_plans();
  RowTraits out;
  if (const DeclaredKey* declared = declared_key(declared_keys(), line.row); declared != nullptr)
    out.area = declared->area, out.device = device_of(*declared);
  const bool of_tokens = out.area == "training time" || out.area == "inference";
  out.quantity = of_tokens && (line.unit == "s" || line.unit == "tokens/s") ? "throughput" : line.unit;
  out.state = state_of(out.area, line.row);
  if (const auto plan = plans.find(line.row); plan != plans.end())
    out.format = plan->second.format, out.shape = plan->second.shape;
  return out;
}

RunTraits run_traits(const std::string& scenario) {
  const Node root = scenario_tree(scenario);
  RunTraits out;
  for (const Node& hall : tables(root, "hall")) {
    const std::string gpu = entry_name(hall.find("gpu"));
    if (!gpu.empty()) out.devices.insert(gpu.substr(0, gpu.find('_')));
  }
  bool all_known = true;
  for (const Node& job : tables(root, "job")) {
    const Node* plan = job.find("plan");
    const Node* precision = plan != nullptr ? plan->find("precision") : nullptr;
    out.formats.insert(format_of(precision != nullptr && precision->is_text() ? std::get<std::string>(precision->value)
                                                                              : workload::ParallelPlan{}.precision));
    const auto experts = experts_of(job.find("model"));
    const auto adapter_rank = whole_number(plan != nullptr ? plan->find("adapter_rank") : nullptr);
    if (experts)
      out.shapes.insert(shape_of(*experts, adapter_rank.value_or(0)));
    else
      all_known = false;
  }
  if (!all_known) out.shapes.clear();
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
