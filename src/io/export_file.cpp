#include "export_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io {

std::uint64_t ExportFile::bytes() const {
  std::uint64_t n = 0;
  fill([&](std::span<const char> piece) { n += piece.size(); });
  return n;
}

std::string ExportFile::text() const {
  std::string out;
  fill([&](std::span<const char> piece) { out.append(piece.data(), piece.size()); });
  return out;
}

void TextPieces::flush() {
  if (!text_.empty()) to_(text_);
  text_.clear();
}

void write_export(const std::string& folder, const std::vector<ExportFile>& files, std::uint64_t bytes) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) throw OutputError(folder + ": no folder, and none can be made: " + error.message());
  const auto room = fs::space(folder, error);
  if (!error && room.available < bytes)
    throw OutputError(fmt::format("{}: {} bytes are needed and {} are free", folder, bytes, room.available));
  std::vector<std::string> written;
  try {
    for (const auto& f : files) {
      const std::string path = (fs::path(folder) / f.name).string();
      write_durably_in_pieces(path, f.fill);
      written.push_back(path);
    }
  } catch (...) {
    for (const auto& path : written) fs::remove(path, error);
    throw;
  }
}

}  // namespace TIDEWATT_NAMESPACE::io
