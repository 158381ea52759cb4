#include "tidewatt/workload/placement.hpp"

#include <algorithm>
#include <numeric>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

constexpr FleetShape fleet{96, 4, 6};  // 24 racks in 4 rows

PlacementParams style(const char* name, std::int64_t first = -1) {
  PlacementParams p;
  p.style = name, p.first_rack = first;
  return p;
}

std::string findings_of(const std::vector<PlacementRequest>& jobs, const FleetShape& shape = fleet) {
  std::vector<Finding> findings;
  place(shape, jobs, findings);
  std::string all;
  for (const auto& f : findings) all += f.text() + "\n";
  return all;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("contiguous jobs stand side by side and share no node", "[workload][placement]") {
  std::vector<Finding> findings;
  const Placement p = place(fleet, {{"a", 40, style("contiguous")}, {"b", 30, style("contiguous")}}, findings);
  REQUIRE(findings.empty());
  for (std::size_t i = 0; i < 40; ++i) CHECK(p.nodes[0][i] == static_cast<std::int64_t>(i));
  CHECK(p.nodes[1].front() == 40);
  CHECK(p.nodes[1].back() == 69);
  CHECK(std::count(p.job_of_node.begin(), p.job_of_node.end(), 0) == 40);
  CHECK(std::count(p.job_of_node.begin(), p.job_of_node.end(), 1) == 30);
  CHECK(std::count(p.job_of_node.begin(), p.job_of_node.end(), -1) == 26);
}

TEST_CASE("a striped job loads every row alike", "[workload][placement]") {
  std::vector<Finding> findings;
  PlacementParams two_rows = style("striped");
  two_rows.rows = {1, 3};
  const Placement p = place(fleet, {{"a", 32, style("striped")}, {"b", 16, two_rows}}, findings);
  REQUIRE(findings.empty());
  std::vector<int> per_row(4, 0), of_b(4, 0);
  for (const std::int64_t n : p.nodes[0]) ++per_row[static_cast<std::size_t>(n / 24)];
  for (const std::int64_t n : p.nodes[1]) ++of_b[static_cast<std::size_t>(n / 24)];
  CHECK(per_row == std::vector<int>{8, 8, 8, 8});
  CHECK(of_b == std::vector<int>{0, 8, 0, 8});
  CHECK(p.nodes[0][4] == 24);  // the second rack of the job is the first of the second row
}

TEST_CASE("listed racks come in their order; others go around them", "[workload][placement]") {
  std::vector<Finding> findings;
  PlacementParams list = style("list");
  list.racks = {3, 0};
  const Placement p = place(fleet, {{"a", 8, style("contiguous")}, {"b", 8, list}}, findings);
  REQUIRE(findings.empty());
  CHECK(p.nodes[1] == std::vector<std::int64_t>{12, 13, 14, 15, 0, 1, 2, 3});
  CHECK(p.nodes[0] == std::vector<std::int64_t>{4, 5, 6, 7, 8, 9, 10, 11});
  // A job of part of a rack owns the rack.
  const Placement q = place(fleet, {{"a", 5, style("contiguous")}, {"b", 4, style("contiguous")}}, findings);
  REQUIRE(findings.empty());
  CHECK(q.nodes[1].front() == 8);
}

TEST_CASE("overlap, capacity and slips are findings with numbers", "[workload][placement]") {
  CHECK(holds(findings_of({{"a", 40, style("contiguous", 0)}, {"b", 8, style("contiguous", 9)}}),
              "job.b.placement: rack 9 already belongs to job a"));
  CHECK(holds(findings_of({{"a", 97, style("contiguous")}}), "wants 97 nodes; the racks it may use hold 96"));
  CHECK(holds(findings_of({{"a", 90, style("striped")}, {"b", 8, style("striped")}}),
              "wants 8 nodes; the racks it may use hold 4"));
  CHECK(holds(findings_of({{"a", 8, style("contiguous", 23)}}), "hold 4"));
  CHECK(holds(findings_of({{"a", 8, style("contiguous", 24)}}), "rack 24 is not one of 0 to 23"));
  PlacementParams twice = style("list"), outside = style("list"), row = style("striped");
  twice.racks = {2, 2}, outside.racks = {1, 24, 0.5}, row.rows = {4};
  CHECK(holds(findings_of({{"a", 8, twice}}), "named twice"));
  CHECK(holds(findings_of({{"a", 8, outside}}), "rack 0.5 is not"));
  CHECK(holds(findings_of({{"a", 8, outside}}), "rack 24 is not"));
  CHECK(holds(findings_of({{"a", 8, row}}), "row 4 is not one of 0 to 3"));
  CHECK(holds(findings_of({{"a", 8, style("list")}}), "without racks"));
  CHECK(holds(findings_of({{"a", 0, style("striped")}}), "0 nodes"));
  CHECK(holds(findings_of({{"a", 1, {}}}, {8, 0, 1}), "racks of 0"));
  CHECK(findings_of({{"a", 96, style("striped")}}).empty());
}

TEST_CASE("a last rack that is not full holds what it has", "[workload][placement]") {
  const FleetShape odd{10, 4, 2};  // racks of 4, 4 and 2
  std::vector<Finding> findings;
  const Placement p = place(odd, {{"a", 10, style("striped")}}, findings);
  REQUIRE(findings.empty());
  CHECK(p.nodes[0] == std::vector<std::int64_t>{0, 1, 2, 3, 8, 9, 4, 5, 6, 7});
  CHECK(holds(findings_of({{"a", 11, style("striped")}}, odd), "hold 10"));
}

TEST_CASE("64 of 72: the last trays of every rack stay free, and the ranks go on in the next rack",
          "[workload][placement][racks]") {
  std::vector<Finding> findings;
  const FleetShape racks{288, 18, 16};
  auto how = style("contiguous");
  how.spare_nodes_per_rack = 2;
  const Placement p = place(racks, {{"a", 256, how}}, findings);
  REQUIRE(findings.empty());
  CHECK(p.nodes[0][15] == 15);
  CHECK(p.nodes[0][16] == 18);
  for (std::size_t i = 0; i < 256; ++i) CHECK(p.nodes[0][i] % 18 < 16);
  CHECK(std::count(p.job_of_node.begin(), p.job_of_node.end(), -1) == 32);
  CHECK(holds(findings_of({{"a", 257, how}}, racks), "wants 257 nodes; the racks it may use hold 256"));
}
