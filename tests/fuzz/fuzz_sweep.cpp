// Any text as a sweep file: read and listed, or refused with InputError.
#include <cstdint>
#include <string_view>

#include "study/case_list.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    auto spec =
        tidewatt::study::read_sweep(tidewatt::parse_toml({reinterpret_cast<const char*>(data), size}, "f"), ".");
    if (spec.n_case < 1000) tidewatt::study::list_cases(spec);
  } catch (const tidewatt::InputError&) {
  }
  return 0;
}
