#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "tidewatt/base/error.hpp"

namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string result, other, out;
};

struct Python {
  std::string program, path;  ///< path: what its PYTHONPATH starts with; empty if it needs none
};

/// The Python that draws: with the package beside the installed program or in the source tree of a build, or the one
/// of the virtual environment that pip put this program into.
Python python() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  const char* asked = std::getenv("TIDEWATT_PYTHON");
  for (const char* below : {"../share/tidewatt/python", "../python", "../../python", "../../../python"})
    if (fs::exists(here / below / "tidewatt" / "report"))
      return {asked ? asked : "/usr/bin/python3", fs::canonical(here / below).string()};
  if (asked) return {asked, ""};
  if (fs::exists(here / "python3")) return {(here / "python3").string(), ""};
  throw tidewatt::OutputError("the Python package tidewatt, which draws the report, is not installed beside this program");
}

/// Runs Python without a shell and hands its exit code on.
int draw(const Arguments& a) {
  if (!fs::is_regular_file(a.result)) throw tidewatt::InputError(fmt::format("{}: no such result file", a.result));
  if (!a.other.empty() && !fs::is_regular_file(a.other)) throw tidewatt::InputError(fmt::format("{}: no such result file", a.other));
  const std::string out = a.out.empty() ? fs::path(a.result).replace_extension("").string() + "_report" : a.out;
  const Python p = python();
  const char* set = std::getenv("PYTHONPATH");
  const std::string path = p.path + (set && !p.path.empty() ? std::string(":") + set : "");
  const pid_t child = fork();
  if (child == 0) {
    if (!path.empty()) setenv("PYTHONPATH", path.c_str(), 1);
    const char* program = p.program.c_str();
    // With one result, the list of arguments ends where the other would stand.
    const char* other = a.other.empty() ? nullptr : a.other.c_str();
    execl(program, program, "-m", "tidewatt.report", "--out", out.c_str(), a.result.c_str(), other, static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) throw tidewatt::OutputError("Python could not be started");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 74;
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("report", "draw a result: PNG and SVG pictures and one HTML page");
  c->add_option("result", a->result, "result file (HDF5)")->required();
  c->add_option("other", a->other, "a second result: one page that compares both");
  c->add_option("--out", a->out, "folder of the pictures; default: beside the result");
  c->callback([a, &exit_code] { exit_code = draw(*a); });
}
