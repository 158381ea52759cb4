#include "grid_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/embedded.hpp"
#include "base/outside_text.hpp"
#include "psse_raw.hpp"
#include "psse_text.hpp"
#include "tidewatt/base/reader.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

/// Text of a file that an entry names: below the entry's folder, else one of the catalog's.
std::string text_beside(const std::string& entry, const std::string& name) {
  if (std::filesystem::path(name).filename() != name)
    throw InputError(fmt::format("'{}' is not the name of a file beside {}", name, entry));
  const auto beside = std::filesystem::path(entry).parent_path() / name;
  std::error_code none;
  if (std::filesystem::is_regular_file(beside, none)) return read_text(beside.string(), psse_file_limit_B);
  for (const auto& f : embedded::grid_case_files())
    if (f.path == name) return std::string(f.text);
  throw InputError(fmt::format("no file '{}' beside {}, and the catalog has none of this name", name, entry));
}

}  // namespace

void CaseParams::fields(FieldVisitor& v) {
  v.text("raw", raw, "RAW file of the network, beside this entry", Need::required);
  v.text("dyr", dyr, "DYR file of its machines and controls, beside this entry", Need::required);
  v.number("active_power_frac", active_power_frac, {0, 1}, "share of constant active power");
  v.number("active_current_frac", active_current_frac, {0, 1}, "share of constant active current");
  v.number("reactive_power_frac", reactive_power_frac, {0, 1}, "share of constant reactive power");
  v.number("reactive_current_frac", reactive_current_frac, {0, 1}, "share of constant reactive current");
}

GridSystem GridCase::system(std::int64_t site_bus) const {
  return GridSystem(network, records, site_bus, motion, shaft);
}

bool GridCase::governed() const {
  return std::any_of(records.begin(), records.end(),
                     [](const DyrRecord& r) { return r.model == "TGOV1" || r.model == "GAST" || r.model == "HYGOV"; });
}

GridCase read_grid_case(const Node& node, const std::string& path, std::vector<Finding>& findings) {
  GridCase out;
  if (const Node* machines = node.find("machine")) {
    const std::string stem = std::filesystem::path(machines->place.file).stem().string();
    findings.push_back(
        {machines->place, path.empty() ? "machine" : path + ".machine",
         fmt::format(
             "a power system is read from RAW and DYR files now: put the network into {0}.raw and the machines into "
             "{0}.dyr beside this entry, and name them as raw and dyr (docs/grid.md)",
             stem)});
    return out;
  }
  const std::size_t before = findings.size();
  CaseParams given;
  TableReader reader(node, path, findings);
  given.fields(reader);
  reader.finish();
  if (findings.size() > before) return out;
  try {
    const std::string& entry = node.find("raw")->place.file;
    out.network = parse_raw(text_beside(entry, given.raw), given.raw);
    out.records = parse_dyr(text_beside(entry, given.dyr), given.dyr);
    make_units(out.network, out.records, out.shaft);  // for its findings
  } catch (const InputError& e) {
    findings.insert(findings.end(), e.findings().begin(), e.findings().end());
  }
  out.motion.active = {given.active_power_frac, given.active_current_frac};
  out.motion.reactive = {given.reactive_power_frac, given.reactive_current_frac};
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
