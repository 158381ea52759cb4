#pragma once
#include <string>
#include <vector>

/// Runs `python3 -m MODULE ARGUMENTS` without a shell and hands its exit code on; 74 if it ended by a signal. It does not outlive this
/// process. The Python is that of
/// $TIDEWATT_PYTHON, else /usr/bin/python3 with the package beside the installed program or in the source tree of a build, else the one
/// of the virtual environment that pip put this program into.
/// @param module a module of the package `tidewatt`, e.g. "report"
/// @throws OutputError if the package is not installed or Python does not start
int run_python_module(const std::string& module, const std::vector<std::string>& arguments);

/// As run_python_module, but this process becomes Python: signals reach it alone, and it may clean up after Ctrl-C in its own time.
/// @throws OutputError as run_python_module; does not return otherwise
[[noreturn]] void become_python_module(const std::string& module, const std::vector<std::string>& arguments);
