#pragma once
#include <cstdint>
#include <string>

namespace tidewatt::study {

/// What a new scenario is about; the rest of it are values to start from.
struct NewScenario {
  std::string gpu = "h100_sxm_700W", server = "grand_teton_h100", plant = "outside_air_evaporative", climate = "portland_or",
              model = "llama3_8b", network = "llama3_roce", feeder = "hall_480V", grid = "ercot_like_60GVA";  ///< catalog names
  std::int64_t n_gpu = 128;   ///< a multiple of 32, count
  double duration_h = 1.0;    ///< simulated time, h
};

/// A scenario file (TOML) that runs as it stands. Above every key stands what it means, its unit and its range, from the
/// field lists that also read it; keys that need not be given are there as comments with their default.
/// @throws InputError if `n_gpu` is not a positive multiple of 32; catalog names are checked when the file is read
std::string new_scenario(const NewScenario& options = {});

}  // namespace tidewatt::study
