// Any bytes as each of the tables that a user brings: recorded power or activity, measured weather. The first byte chooses
// the format's settings. Read, or refused with InputError.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cooling/weather_csv.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/workload/trace_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const unsigned how = data[0];
  tidewatt::workload::TraceFormat format;
  format.time_column = "t";
  format.time_format = how & 1u ? "iso8601" : how & 2u ? "ns" : "s";
  format.unit = how & 4u ? "pct" : "kW";
  format.sample_holds = how & 8u ? "before" : "after";
  format.gap_s = 10.0;
  format.gap = how & 16u ? "hold" : "refuse";
  try {
    const auto trace = tidewatt::workload::parse_trace(text, "f", format);
    for (std::size_t i = 0; i < trace.n_channel(); ++i)
      if (!std::isfinite(trace.over(i, 0, trace.length()).integral)) std::abort();
  } catch (const tidewatt::InputError&) {
  }
  try {
    tidewatt::cooling::parse_weather_csv(text, "f", 100.0);
  } catch (const tidewatt::InputError&) {
  }
  return 0;
}
