#include "print_page.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A program's path; empty if it is not in PATH.
std::string found(const char* program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path at = fs::path(folder) / program; ::access(at.c_str(), X_OK) == 0) return at.string();
  return {};
}

/// Runs a program without a shell and without its output, for a minute at most. @returns whether it ended well
bool runs(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const auto& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int to : {0, 1, 2}) ::dup2(nothing, to);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  for (const auto until = std::chrono::steady_clock::now() + 60s; std::chrono::steady_clock::now() < until;
       std::this_thread::sleep_for(20ms))
    if (::waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return false;
}

}  // namespace

std::string print_page(const std::string& html, const std::string& pdf) {
  const std::string url = "file://" + fs::absolute(html).string(), half = pdf + ".tmp.pdf";
  std::error_code error;
  const auto keep = [&](const char* program, const std::vector<std::string>& words) -> std::string {
    if (runs(words) && fs::exists(half, error) && fs::file_size(half, error) > 0) {
      fs::rename(half, pdf, error);
      if (!error) return program;
    }
    fs::remove(half, error);
    return {};
  };
  if (const auto program = found("weasyprint"); !program.empty())
    if (auto done = keep("WeasyPrint", {program, html, half}); !done.empty()) return done;
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    const auto program = found(name);
    if (program.empty()) continue;
    const fs::path profile = fs::temp_directory_path() / ("tidewatt_print_" + std::to_string(::getpid()));
    std::vector<std::string> words = {program,
                                      "--headless",
                                      "--disable-gpu",
                                      "--no-pdf-header-footer",
                                      "--user-data-dir=" + profile.string(),
                                      "--print-to-pdf=" + fs::absolute(half).string(),
                                      url};
    if (::geteuid() == 0) words.insert(words.begin() + 1, "--no-sandbox");  // Chromium needs it there
    const auto done = keep("Chromium", words);
    fs::remove_all(profile, error);
    if (!done.empty()) return done;
  }
  return {};
}
