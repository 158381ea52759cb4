#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "study/verify_any.hpp"
#include "tidewatt/base/error.hpp"

namespace {

using namespace tidewatt;

void verify_all(const std::vector<std::string>& files, int& exit_code) {
  for (const auto& file : files) {
    try {
      fmt::print("{}: whole ({})\n", file, study::verify_any(file));
    } catch (const InputError& e) {
      for (const auto& finding : e.findings()) fmt::print(stderr, "tidewatt: {}\n", finding.text());
      exit_code = 2;
    }
  }
}

}  // namespace

void add_verify_command(CLI::App& app, int& exit_code) {
  auto files = std::make_shared<std::vector<std::string>>();
  auto* c = app.add_subcommand(
      "verify", "check that results, checkpoints and case files of sweeps have the bits that tidewatt wrote");
  c->add_option("file", *files, "files; exit code 2 if one of them is damaged")->required();
  c->callback([files, &exit_code] { verify_all(*files, exit_code); });
}
