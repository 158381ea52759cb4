#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "durable_file.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// One file of an export, made piece by piece. `fill` gives the same bytes every time it is called.
struct ExportFile {
  std::string name;  ///< without folder
  std::function<void(const Append&)> fill;
  std::uint64_t bytes() const;  ///< its size, by making it once without keeping it
  std::string text() const;     ///< all of it
};

/// Collects text and passes it on in large pieces.
class TextPieces {
 public:
  /// @param to takes the pieces; must outlive this
  explicit TextPieces(const Append& to) : to_(to) {}
  TextPieces(const TextPieces&) = delete;
  TextPieces& operator=(const TextPieces&) = delete;
  /// To be added to. Call `row` after each line.
  std::string& text() { return text_; }
  /// Passes on the collected text once there is enough of it.
  void row() {
    if (text_.size() > (std::size_t{1} << 16U)) flush();
  }
  void flush();  ///< passes on the rest; call once, last

 private:
  const Append& to_;
  std::string text_;
};

/// Writes all files into a folder, which is made if it is absent. Files appear one by one, each complete; if
/// one cannot be written, those already written by this call are taken away again.
/// @param bytes their sizes together  @throws OutputError also if the folder's disk has less room than that
void write_export(const std::string& folder, const std::vector<ExportFile>& files, std::uint64_t bytes);

}  // namespace TIDEWATT_NAMESPACE::io
