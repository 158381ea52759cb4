// Any text as `--set` on a small tree: applied, or refused with InputError.
#include <cstdint>
#include <string_view>

#include "tidewatt/base/node.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tidewatt::Node tree = tidewatt::parse_toml("a = 1\nb = 'x'\n[t]\nc = [1]\n[[hall]]\nname = 'a'\n", "f");
  tidewatt::Node root = tree;
  try {
    tidewatt::apply_set(root, {reinterpret_cast<const char*>(data), size});
  } catch (const tidewatt::InputError&) {
  }
  return 0;
}
