#include <filesystem>

#include "catch.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/workload/compute.hpp"
#include "tidewatt/workload/model.hpp"
#include "tidewatt/workload/network.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

/// Reads every file of a catalog folder into `Params`; every value key must have a source.
template <class Params>
std::size_t read_folder(const std::string& folder) {
  std::size_t n = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TIDEWATT_SOURCE_DIR) + "/catalog/" + folder)) {
    INFO(entry.path().string());
    const Node node = parse_toml_file(entry.path().string());
    std::vector<Finding> findings;
    TableReader reader(node, "", findings);
    std::int64_t schema = 0;
    std::string kind, name;
    reader.integer("schema", schema, {1, 1}, "schema");
    reader.text("kind", kind, "kind");
    reader.text("name", name, "name");
    const Node* sources = reader.child("sources", Need::required);
    reader.child("assumed");
    Params params;
    params.fields(reader);
    reader.finish();
    for (const auto& f : findings) FAIL_CHECK(f.text());
    CHECK(kind == folder);
    CHECK(name == entry.path().stem().string());
    REQUIRE(sources != nullptr);
    for (const auto& field : list_fields(params)) {
      INFO(field.key);
      const bool given = node.find(field.key) != nullptr;
      CHECK((given || !field.required));
      CHECK(given == (sources->find(field.key) != nullptr));
    }
    ++n;
  }
  return n;
}

}  // namespace

TEST_CASE("model, compute and network files read without findings and name their sources", "[workload][catalog]") {
  CHECK(read_folder<ModelShape>("model") >= 21);
  CHECK(read_folder<ComputeParams>("compute") >= 5);
  CHECK(read_folder<NetworkParams>("network") >= 8);
}
