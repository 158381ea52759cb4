#pragma once
#include <span>
#include <string_view>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::embedded {

/// A data file compiled into the library.
struct EmbeddedFile {
  std::string_view path;  ///< below its folder, e.g. "gpu/h100_sxm_700W.toml"
  std::string_view text;
};

std::span<const EmbeddedFile> catalog_files();
/// RAW and DYR files of catalog/grid_case.
std::span<const EmbeddedFile> grid_case_files();
/// The files of `scenarios/` but sweeps, by path.
std::span<const EmbeddedFile> scenario_files();
/// Lists of published runs that `validate` computes, and evidence.toml.
std::span<const EmbeddedFile> validation_files();
/// What assumed inputs have done in shipped scenarios: one file.
std::span<const EmbeddedFile> effect_files();
/// RAW and DYR files of scenarios/networks.
std::span<const EmbeddedFile> network_files();
/// docs/ledger, in the order of its lines.
std::span<const EmbeddedFile> ledger_files();

}  // namespace TIDEWATT_NAMESPACE::embedded
