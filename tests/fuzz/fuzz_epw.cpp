// Any bytes as a weather file (EPW): read and one of its days picked, or refused with InputError.
#include <cstdint>
#include <string_view>

#include "cooling/epw.hpp"
#include "tidewatt/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidewatt::cooling;
  try {
    const auto year = parse_epw({reinterpret_cast<const char*>(data), size}, "f");
    epw_weather(year, pick_day(year, DayKind::hot_clear), 0);
  } catch (const tidewatt::InputError&) {
  }
  return 0;
}
