#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

/// A folder of its own with the tiny scenario and a sweep file, gone afterwards.
class StudyCase {
 public:
  explicit StudyCase(const std::string& sweep_text = "") {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("tidewatt_study_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
    std::filesystem::copy_file(std::filesystem::path(TIDEWATT_SOURCE_DIR) / "tests/scenarios/tiny.toml",
                               folder_ / "tiny.toml");
    if (!sweep_text.empty())
      write("sweep.toml",
            "schema = 1\nscenario = \"tiny.toml\"\nset = [\"run.duration_h=0.01\", "
            "\"record.window.sample.duration_s=1\"]\n" +
                sweep_text);
  }
  ~StudyCase() {
    std::error_code ec;
    std::filesystem::remove_all(folder_, ec);
  }
  StudyCase(const StudyCase&) = delete;
  StudyCase& operator=(const StudyCase&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string sweep() const { return path("sweep.toml"); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

 private:
  std::filesystem::path folder_;
};
