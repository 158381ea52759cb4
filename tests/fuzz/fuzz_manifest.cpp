// Any bytes as a finished case's file: what is not as written is refused with InputError.
#include <cstdint>
#include <string_view>

#include "base/sha256.hpp"
#include "study/case_record.hpp"
#include "tidewatt/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    tidewatt::study::decode(text, "f");
  } catch (const tidewatt::InputError&) {
  }
  try {  // behind the right checksum, so that the reader behind it is reached
    const std::string body(text);
    tidewatt::study::decode("tidewatt case 1 " + tidewatt::sha256_hex(body) + "\n" + body, "f");
  } catch (const tidewatt::InputError&) {
  }
  return 0;
}
