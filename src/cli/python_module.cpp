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
  for (const char* below : {"../share/tidewatt/python", "../python", "../../python", "../../../python"})
    if (fs::exists(here / below / "tidewatt" / module))
      return {asked ? asked : "/usr/bin/python3", fs::canonical(here / below).string()};
  if (asked) return {asked, ""};
  if (fs::exists(here / "python3")) return {(here / "python3").string(), ""};
  throw tidewatt::OutputError(
      fmt::format("the Python package tidewatt, which holds `{}`, is not installed beside this program", module));
}

}  // namespace

int run_python_module(const std::string& module, const std::vector<std::string>& arguments) {
  const Python p = python(module);
  const char* set = std::getenv("PYTHONPATH");
  const std::string path = p.path + (set && !p.path.empty() ? std::string(":") + set : ""), name = "tidewatt." + module;
  std::vector<char*> argv;
  const auto add = [&](const std::string& s) { argv.push_back(const_cast<char*>(s.c_str())); };
  const std::string flag = "-m";
  for (const std::string* s : {&p.program, &flag, &name}) add(*s);
  for (const std::string& s : arguments) add(s);
  argv.push_back(nullptr);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // what a killed command would have shown is of use to nobody
    if (::getppid() != parent) ::_exit(74);
    if (!path.empty()) setenv("PYTHONPATH", path.c_str(), 1);
    execv(p.program.c_str(), argv.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0) throw tidewatt::OutputError("Python could not be started");
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw tidewatt::OutputError("Python could not be waited for");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) throw tidewatt::OutputError(p.program + ": could not be started");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 74;
}
