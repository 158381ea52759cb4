#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// What a new scenario is about. An empty name, or no number of GPUs: chosen to fit the rest.
struct NewScenario {
  std::string gpu, server, plant, network, feeder;  ///< catalog names
  /// Catalog name: brings GPU, server and network, and the servers of a cabinet. Empty: servers, two to a rack.
  std::string rack;
  std::string climate = "portland_or", model = "llama3_8b", grid = "ercot_like_60GVA";  ///< catalog names
  /// count, 1 to 1e8, whole servers, or whole scale-up domains of `rack`; nothing: the smallest of 128, 256, 512, … GPUs, or of 1, 2,
  /// 4, … domains, that fits the model
  std::optional<std::int64_t> n_gpu;
  std::optional<std::int64_t> n_rack;  ///< count of whole racks, 1 or more, instead of `n_gpu`
  std::optional<double>
      supply_degC;          ///< liquid (air, where no loop) that the plant is set to supply, °C; none: the entry's
  double duration_h = 1.0;  ///< simulated time, h
};

/// A new scenario and the choices made.
struct NewScenarioFile {
  std::string text;                  ///< TOML
  std::vector<std::string> choices;  ///< one sentence each, [n]
};

/// A scenario that runs as it is: server, plant, network, plan and recomputation fit the GPU and the model, and the text has
/// been read and checked. The six keys that a user changes come first; the rest follows with meaning, unit and range of every
/// key, from the field lists that also read it.
/// @throws InputError for unknown names, for hardware that does not fit together, and for GPUs too few for the model
NewScenarioFile write_scenario(const NewScenario& options = {});

/// The text of `write_scenario`. @throws InputError as there
std::string new_scenario(const NewScenario& options = {});

}  // namespace TIDEWATT_NAMESPACE::study
