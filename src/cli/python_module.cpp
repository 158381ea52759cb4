#include "python_module.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "tidewatt/base/error.hpp"

namespace {

namespace fs = std::filesystem;

struct Python {
  std::string program, path;  ///< path: what its PYTHONPATH starts with; empty if it needs none
};

Python python(const std::string& module) {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  const char* asked = std::getenv("TIDEWATT_PYTHON");
  for (const char* below :
       {"../share/tidewatt/python", "../lib/python3/dist-packages", "../python", "../../python", "../../../python"})
    if (fs::exists(here / below / "tidewatt" / module))
      return {asked ? asked : "/usr/bin/python3", fs::canonical(here / below).string()};
  if (asked) return {asked, ""};
  if (fs::exists(here / "python3")) return {(here / "python3").string(), ""};
  throw tidewatt::OutputError(
      fmt::format("the Python package tidewatt, which holds `{}`, is not installed beside this program", module));
}

/// A command line in the form that execv takes; lives as long as its strings.
struct CommandLine {
  Python python;
  std::string path, name;
  std::vector<std::string> arguments;

  CommandLine(const std::string& module, std::vector<std::string> a)
      : python(::python(module)), name("tidewatt." + module), arguments(std::move(a)) {
    const char* set = std::getenv("PYTHONPATH");
    path = python.path + (set && !python.path.empty() ? std::string(":") + set : "");
  }
  /// Returns only where Python does not start.
  void execute() {
    std::string flag = "-m";
    std::vector<char*> argv = {python.program.data(), flag.data(), name.data()};
    for (std::string& s : arguments) argv.push_back(s.data());
    argv.push_back(nullptr);
    if (!path.empty()) setenv("PYTHONPATH", path.c_str(), 1);
    execv(python.program.c_str(), argv.data());
  }
};

}  // namespace

int run_python_module(const std::string& module, const std::vector<std::string>& arguments) {
  CommandLine line(module, arguments);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // output of a killed command is not needed
    if (::getppid() != parent) ::_exit(74);
    line.execute();
    _exit(127);
  }
  int status = 0;
  if (child < 0) throw tidewatt::OutputError("Python could not be started");
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw tidewatt::OutputError("Python could not be waited for");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    throw tidewatt::OutputError(line.python.program + ": could not be started");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 74;
}

void become_python_module(const std::string& module, const std::vector<std::string>& arguments) {
  CommandLine line(module, arguments);
  line.execute();
  throw tidewatt::OutputError(line.python.program + ": could not be started");
}
