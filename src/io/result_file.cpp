#include "result_file.hpp"

#include <algorithm>

#include "durable_file.hpp"
#include "guarded_child.hpp"
#include "verified_file.hpp"

namespace TIDEWATT_NAMESPACE::io {

ResultFile::ResultFile(const std::string& path) : path_(path), image_(read_sealed(path)) {
  try {
    contents_ = read_contents(image_);
  } catch (const ChildError& e) {
    throw CorruptFileError(path, e.what());
  }
  if (contents_.summary_json.empty() || contents_.payload_sha256.empty())
    throw InputError(Finding{{path, 0, 0}, "", "not a result of tidewatt: no summary"});
  is_read_.assign(contents_.arrays.size(), contents_.has_values);
}

const NamedArray* ResultFile::read(const std::string& path) {
  const auto at = std::ranges::find(contents_.arrays, path, &NamedArray::path) - contents_.arrays.begin();
  if (at == std::ssize(contents_.arrays)) return nullptr;
  const auto i = static_cast<std::size_t>(at);
  if (!is_read_[i]) {
    try {
      read_values(image_, contents_.arrays[i]);
    } catch (const ChildError& e) {
      throw CorruptFileError(path_, e.what());
    }
    is_read_[i] = true;
  }
  return &contents_.arrays[i];
}

void ResultFile::copy_to(const std::string& path) const {
  const std::string line = seal(image_);
  write_durably_in_pieces(path, [&](const Append& append) {
    append(image_);
    append(line);
  });
}

}  // namespace TIDEWATT_NAMESPACE::io
