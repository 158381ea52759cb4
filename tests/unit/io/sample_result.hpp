#pragma once
#include <cmath>
#include <limits>

#include "tidewatt/sim/result.hpp"

/// A small result with every kind of array: each value type, scales of numbers and of text, a dimension without
/// values, two dimensions, an empty array, a single value, and arrays long enough to be deflated and chunked.
inline tidewatt::sim::Result sample_result(std::size_t n = 200000) {
  using tidewatt::NamedArray;
  using Doubles = std::vector<double>;
  using Whole = std::vector<std::int64_t>;
  using Texts = std::vector<std::string>;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto ramp = [](std::size_t m, double step) {
    Doubles out(m);
    for (std::size_t i = 0; i < m; ++i) out[i] = static_cast<double>(i) * step;
    return out;
  };
  tidewatt::sim::Result r;
  Doubles die = ramp(1440, 0.01);
  die[3] = nan, die[4] = -0.0, die[5] = inf, die[6] = -inf, die[7] = 5e-324, die[8] = 0.1 + 0.2;
  Whole state(1440, 3);
  state[0] = std::numeric_limits<std::int64_t>::min(), state[1] = std::numeric_limits<std::int64_t>::max();
  r.arrays = {
      {"/day/time", {"time"}, {1440}, ramp(1440, 60.0), "s", "start of the macro step"},
      {"/day/die_max_K", {"time"}, {1440}, die, "K", "hottest die"},
      {"/day/job_state", {"time"}, {1440}, state, "1", "3 iterates"},
      {"/waveform_start/time", {"time"}, {n}, ramp(n, 1e-3), "s", "start of the bin"},
      {"/waveform_start/pcc_W", {"time"}, {n}, ramp(n, 7.0), "W", "power at the point of common coupling"},
      {"/energy/level", {"level"}, {2}, Texts{"node", "site: é μ"}, "", "level of the tree"},
      {"/energy/in_J", {"level"}, {2}, Doubles{1.0, 2.0}, "J", "energy in"},
      {"/iteration/load_W", {"edge"}, {3}, Doubles{1e7, 2e7, 1e7}, "W", "load from the edge on"},
      {"/stage/work_frac", {"time", "stage"}, {2, 3}, ramp(6, 0.1), "1", "work of each stage"},
      {"/stage/time", {"time"}, {2}, Doubles{0.0, 60.0}, "s", "start"},
      {"/events/time", {"event"}, {0}, Doubles{}, "s", "when"},
      {"/events/text", {"event"}, {0}, Texts{}, "", "what"},
      {"/trust/note", {"input"}, {3}, Texts{"", "a", "line\nbreak"}, "", "note"},
      {"/one_s", {}, {}, Doubles{6.5}, "s", "a single value"},
  };
  r.summary = {{"schema_version", std::int64_t{1}},
               {"simulated_s", 86400.0},
               {"freq_deviation_max_mHz", std::monostate{}},
               {"limiter_share", std::vector<std::pair<std::string, double>>{{"power", 0.9}, {"none", 0.1}}},
               {"result_file", std::string("day.h5")}};
  r.provenance = {{"start_time", "2023-07-20 00:00:00"},
                  {"seed", "0"},
                  {"scenario", std::string("schema = 1\n") + std::string(100000, '#') + "\n"}};
  return r;
}
