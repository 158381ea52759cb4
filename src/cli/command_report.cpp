#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "io/verified_file.hpp"
#include "python_module.hpp"

namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string result, other, out;
};

int draw(const Arguments& a) {
  tidewatt::io::verify_file(a.result);
  if (!a.other.empty()) tidewatt::io::verify_file(a.other);
  const std::string out = a.out.empty() ? fs::path(a.result).replace_extension("").string() + "_report" : a.out;
  std::vector<std::string> arguments = {"--out", out, a.result};
  if (!a.other.empty()) arguments.push_back(a.other);
  return run_python_module("report", arguments);
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("report", "draw a result: PNG and SVG pictures and one HTML page");
  c->add_option("result", a->result, "result file (HDF5)")->required();
  c->add_option("other", a->other, "a second result: one page that compares both");
  c->add_option("--out", a->out, "folder of the pictures; default: beside the result")->type_name("FOLDER");
  c->callback([a, &exit_code] { exit_code = draw(*a); });
}
