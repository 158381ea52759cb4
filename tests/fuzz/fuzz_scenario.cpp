// Any text as a scenario: read, or refused with InputError or RefusedError; nothing else.
#include <cstdint>
#include <string_view>

#include "tidewatt/sim/scenario.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    tidewatt::sim::read_scenario(tidewatt::parse_toml({reinterpret_cast<const char*>(data), size}, "f"),
                                 "/nonexistent");
  } catch (const tidewatt::InputError&) {
  } catch (const tidewatt::RefusedError&) {
  }
  return 0;
}
