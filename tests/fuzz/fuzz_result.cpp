// A result with changed bytes, behind the right seal: read, or refused with ChildError. The input is a list of changes, 4 bytes each: where
// (24 bits) and what; so that most inputs reach the structure behind the file's first bytes.
#include <cstdint>
#include <string>

#include "io/guarded_child.hpp"
#include "io/result_contents.hpp"
#include "io/verified_file.hpp"
#include "tidewatt/io/hdf5_sink.hpp"

namespace {

std::string whole_image() {
  tidewatt::sim::Result r;
  r.arrays = {{"/day/time", {"time"}, {3}, std::vector<double>{0, 60, 120}, "s", "start"},
              {"/day/it_W", {"time"}, {3}, std::vector<double>{1e6, 2e6, 1e6}, "W", "power"},
              {"/day/state", {"time"}, {3}, std::vector<std::int64_t>{1, 2, 3}, "1", "state"},
              {"/events/text", {"event"}, {2}, std::vector<std::string>{"start", "end"}, "", "what"},
              {"/jobs/state_s", {"job", "state"}, {1, 400}, std::vector<double>(400, 1.0), "s", "times"}};
  r.summary = {{"schema_version", std::int64_t{1}}, {"simulated_s", 180.0}};
  r.provenance = {{"start_time", "2023-07-20 00:00:00"}, {"scenario", "schema = 1\n[run]\n"}};
  const auto image = tidewatt::io::hdf5_image(r);
  return {image.begin(), image.end() - static_cast<std::ptrdiff_t>(tidewatt::io::seal("").size())};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string whole = whole_image();
  std::string image = whole;
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    const std::size_t at = data[i] + 256U * data[i + 1] + 65536U * data[i + 2];
    image[at % image.size()] = static_cast<char>(data[i + 3]);
  }
  try {
    auto contents = tidewatt::io::read_contents(image);
    for (auto& array : contents.arrays) tidewatt::io::read_values(image, array);
  } catch (const tidewatt::io::ChildError&) {
  }
  return 0;
}
