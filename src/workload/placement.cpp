#include "tidewatt/workload/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace TIDEWATT_NAMESPACE::workload {
namespace {

constexpr std::array<std::string_view, 3> styles = {"contiguous", "striped", "list"};
constexpr std::int64_t nobody = -1;

/// Racks and their jobs.
class Floor {
 public:
  Floor(const FleetShape& fleet, const std::vector<PlacementRequest>& jobs, std::vector<Finding>& findings)
      : fleet_(fleet), jobs_(jobs), findings_(findings), owner_(static_cast<std::size_t>(fleet.n_rack()), nobody) {}

  std::vector<std::int64_t> take(std::size_t job) {
    job_ = job;
    const auto& request = jobs_[job];
    const std::size_t before = findings_.size();
    if (request.n_node < 1) report("", fmt::format("{} nodes", request.n_node));
    const auto offered = request.how.style == "list" ? listed() : in_rows();
    if (findings_.size() != before) return {};
    std::vector<std::int64_t> nodes;
    for (const std::int64_t rack : offered) {
      if (static_cast<std::int64_t>(nodes.size()) >= request.n_node) break;
      take_rack(rack, nodes);
    }
    if (findings_.size() == before && static_cast<std::int64_t>(nodes.size()) < request.n_node)
      report("", fmt::format("wants {} nodes; the racks it may use hold {}", request.n_node, nodes.size()));
    return nodes;
  }

 private:
  void report(const char* key, std::string message) {
    findings_.push_back({{}, "job." + jobs_[job_].job + ".placement" + key, std::move(message)});
  }
  bool is_free(std::int64_t rack) const { return owner_[static_cast<std::size_t>(rack)] == nobody; }
  std::int64_t size_of(std::int64_t rack) const {
    return std::min(fleet_.nodes_per_rack, fleet_.n_node - rack * fleet_.nodes_per_rack);
  }

  void take_rack(std::int64_t rack, std::vector<std::int64_t>& nodes) {
    if (!is_free(rack)) {
      const auto owner = static_cast<std::size_t>(owner_[static_cast<std::size_t>(rack)]);
      return report("", fmt::format("rack {} already belongs to job {}", rack, jobs_[owner].job));
    }
    owner_[static_cast<std::size_t>(rack)] = static_cast<std::int64_t>(job_);
    const std::int64_t wanted = jobs_[job_].n_node - static_cast<std::int64_t>(nodes.size());
    const std::int64_t usable = size_of(rack) - jobs_[job_].how.spare_nodes_per_rack;
    for (std::int64_t i = 0; i < std::min(wanted, usable); ++i) nodes.push_back(rack * fleet_.nodes_per_rack + i);
  }

  /// Whole numbers from 0 to n - 1, each once.
  std::vector<std::int64_t> numbers(const std::vector<double>& given, std::int64_t n, const char* key,
                                    const char* what) {
    std::vector<std::int64_t> out;
    for (const double x : given) {
      if (x != std::floor(x) || x < 0.0 || x >= static_cast<double>(n)) {
        report(key, fmt::format("{} {} is not one of 0 to {}", what, x, n - 1));
        continue;
      }
      const auto i = static_cast<std::int64_t>(x);
      if (std::find(out.begin(), out.end(), i) != out.end()) report(key, fmt::format("{} {} is named twice", what, i));
      out.push_back(i);
    }
    return out;
  }

  std::vector<std::int64_t> listed() {
    if (jobs_[job_].how.racks.empty()) report(".racks", "style list without racks");
    return numbers(jobs_[job_].how.racks, fleet_.n_rack(), ".racks", "rack");
  }

  /// Racks of the allowed rows, rack after rack or one of each row in turn. An explicit first rack is a requirement: later racks
  /// that are taken are a finding. Otherwise taken racks are skipped.
  std::vector<std::int64_t> in_rows() {
    const auto& how = jobs_[job_].how;
    auto rows = numbers(how.rows, fleet_.n_row(), ".rows", "row");
    if (how.rows.empty())
      for (std::int64_t r = 0; r < fleet_.n_row(); ++r) rows.push_back(r);
    const bool demanded = how.style == "contiguous" && how.first_rack >= 0;
    if (demanded && how.first_rack >= fleet_.n_rack())
      report(".first_rack", fmt::format("rack {} is not one of 0 to {}", how.first_rack, fleet_.n_rack() - 1));
    std::vector<std::int64_t> out;
    const auto offer = [&](std::int64_t row, std::int64_t place) {
      const std::int64_t rack = row * fleet_.racks_per_row + place;
      if (rack >= fleet_.n_rack() || (demanded ? rack < how.first_rack : !is_free(rack))) return;
      out.push_back(rack);
    };
    if (how.style == "striped") {
      for (std::int64_t place = 0; place < fleet_.racks_per_row; ++place)
        for (const std::int64_t row : rows) offer(row, place);
    } else {
      for (const std::int64_t row : rows)
        for (std::int64_t place = 0; place < fleet_.racks_per_row; ++place) offer(row, place);
    }
    return out;
  }

  const FleetShape& fleet_;
  const std::vector<PlacementRequest>& jobs_;
  std::vector<Finding>& findings_;
  std::vector<std::int64_t> owner_;
  std::size_t job_ = 0;
};

}  // namespace

void PlacementParams::fields(FieldVisitor& v) {
  v.choice("style", style, styles, "how racks are chosen", Need::optional);
  v.integer("first_rack", first_rack, {-1, 1e9}, "contiguous: first rack, -1 = the first free one", Need::optional);
  v.numbers("rows", rows, {0, 1e9}, "only these rows, none = all", Need::optional);
  v.numbers("racks", racks, {0, 1e9}, "list: these racks in this order", Need::optional);
  v.integer("spare_nodes_per_rack", spare_nodes_per_rack, {0, 63},
            "servers of each rack that the job leaves free as spares: 2 trays of 4 leave 64 of 72 GPUs",
            Need::optional);
}

Placement place(const FleetShape& fleet, const std::vector<PlacementRequest>& jobs, std::vector<Finding>& findings) {
  Placement out;
  if (fleet.n_node < 0 || fleet.nodes_per_rack < 1 || fleet.racks_per_row < 1) {
    findings.push_back({{},
                        "hall",
                        fmt::format("{} nodes in racks of {}, rows of {} racks", fleet.n_node, fleet.nodes_per_rack,
                                    fleet.racks_per_row)});
    return out;
  }
  Floor floor(fleet, jobs, findings);
  // Explicit placements first, so that other jobs avoid them in any order of the list.
  out.nodes.resize(jobs.size());
  for (const bool demanding : {true, false})
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const auto& how = jobs[j].how;
      if ((how.style == "list" || (how.style == "contiguous" && how.first_rack >= 0)) == demanding)
        out.nodes[j] = floor.take(j);
    }
  out.job_of_node.assign(static_cast<std::size_t>(fleet.n_node), nobody);
  for (std::size_t j = 0; j < jobs.size(); ++j)
    for (const std::int64_t n : out.nodes[j])
      out.job_of_node[static_cast<std::size_t>(n)] = static_cast<std::int64_t>(j);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::workload
