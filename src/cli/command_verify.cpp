#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "commands.hpp"
#include "tidewatt/base/text.hpp"
#include "tidewatt/io/verified_file.hpp"
#include "tidewatt/study/case_record.hpp"

namespace {

using namespace tidewatt;

/// A case file of a sweep is the only kind that `io` does not know.
std::string verify(const std::string& path) {
  constexpr std::string_view of_case = "tidewatt case ";
  std::string head(of_case.size(), '\0');
  std::ifstream in(path, std::ios::binary);
  if (!in.read(head.data(), static_cast<std::streamsize>(head.size())) || head != of_case) return io::verify_file(path);
  study::decode(read_file(path, study::most_case_bytes), path);
  return "case of a sweep";
}

void verify_all(const std::vector<std::string>& files, int& exit_code) {
  for (const auto& file : files) {
    try {
      fmt::print("{}: whole ({})\n", file, verify(file));
    } catch (const InputError& e) {
      for (const auto& finding : e.findings()) fmt::print(stderr, "tidewatt: {}\n", finding.text());
      exit_code = 2;
    }
  }
}

}  // namespace

void add_verify_command(CLI::App& app, int& exit_code) {
  auto files = std::make_shared<std::vector<std::string>>();
  auto* c = app.add_subcommand("verify", "check that results, checkpoints and case files of sweeps are bit for bit as they were written");
  c->add_option("file", *files, "files; exit code 2 if one of them is not whole")->required();
  c->callback([files, &exit_code] { verify_all(*files, exit_code); });
}
