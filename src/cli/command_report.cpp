#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "io/verified_file.hpp"
#include "python_module.hpp"

namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string result, other, out;
  std::vector<std::string> only;
  bool pictures = false;
  double contract_MW = 0.0;
};

int draw(const Arguments& a) {
  tidewatt::io::verify_file(a.result);
  if (!a.other.empty()) tidewatt::io::verify_file(a.other);
  const std::string out = a.out.empty() ? fs::path(a.result).replace_extension("").string() + "_report" : a.out;
  std::vector<std::string> arguments = {"--out", out, a.result};
  if (!a.other.empty()) arguments.push_back(a.other);
  if (a.pictures) arguments.emplace_back("--pictures");
  if (a.contract_MW > 0.0) arguments.insert(arguments.end(), {"--contract-MW", fmt::format("{}", a.contract_MW)});
  for (const std::string& part : a.only) arguments.insert(arguments.end(), {"--only", part});
  return run_python_module("report", arguments);
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("report", "write a page with the pictures of a result; PNG and SVG on request");
  c->add_option("result", a->result, "result file (HDF5)")->required();
  auto* other = c->add_option("other", a->other, "a second result: one page that compares both");
  c->add_option("--out", a->out, "folder of the page; default: beside the result")->type_name("FOLDER");
  c->add_flag("--pictures", a->pictures, "also write each picture as PNG and SVG");
  c->add_option("--only", a->only, "only this part, e.g. day or spectrum (repeatable)")
      ->type_name("PART")
      ->allow_extra_args(false);
  c->add_option("--contract-MW", a->contract_MW,
                "limit of a contract on the mean power of the hottest hour; adds its verdict to those of the rules")
      ->check(CLI::PositiveNumber)
      ->type_name("MW")
      ->excludes(other);
  c->callback([a, &exit_code] { exit_code = draw(*a); });
}
