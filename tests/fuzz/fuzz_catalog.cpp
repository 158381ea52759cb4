// Any text as a file of a user's catalog folder, as a set of grid rules and as a power system of machines: read, or refused with
// InputError.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "grid/grid_case.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/grid/compliance.hpp"

namespace {

/// A folder of one file, gone with the program.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tidewatt_fuzz_catalog_" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidewatt;
  static const Folder folder;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::ofstream(folder.path / "entry.toml", std::ios::binary) << text;
  std::vector<Finding> findings;
  try {
    const Node node = parse_toml(text, "f");
    grid::read_rules(node, "f", "site.rules", findings);
    grid::read_grid_case(node, "grid.case", findings);
    const catalog::Catalog own(folder.path.string());
    std::vector<catalog::AssumedInput> assumed;
    const Node* name = node.find("name");
    for (const char* kind : {"gpu", "rules", "grid_case"}) own.resolve(*name, kind, "f", findings, assumed);
  } catch (const InputError&) {
  }
  return 0;
}
