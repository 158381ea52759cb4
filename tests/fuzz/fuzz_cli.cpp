// Any command line, one word per line: taken apart into the commands' arguments, or refused with the parser's own error.
// No command is run.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "commands.hpp"

namespace {

/// All commands and their options, built once: 300 options with their texts take longer than a thousand command lines.
/// `parse` forgets what it took before.
struct Commands {
  CLI::App app{"fuzz"};
  int exit_code = 0;
  Commands() {
    add_commands(app, exit_code);
    app.parse_complete_callback([] { throw CLI::Success(); });  // comes before any command's own callback
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n')
      words.emplace_back();
    else
      words.back() += static_cast<char>(data[i]);
  }
  static Commands commands;
  std::reverse(words.begin(), words.end());
  try {
    commands.app.parse(std::move(words));
  } catch (const CLI::ParseError&) {
  }
  return 0;
}
