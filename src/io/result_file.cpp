#include "result_file.hpp"

#include <algorithm>

#include "durable_file.hpp"
#include "hdf5_read.hpp"
#include "verified_file.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr std::string_view provenance_group = "/provenance/";

}  // namespace

struct ResultFile::Tree {
  explicit Tree(std::string verified) : image(std::move(verified)), file(hdf5::open_in_memory(image)) {}
  std::string image;  ///< outlives `file`
  hdf5::File file;
};

ResultFile::ResultFile(const std::string& path) : path_(path) {
  const hdf5::Quiet quiet;
  std::string image = read_sealed(path);
  try {
    tree_ = std::make_unique<Tree>(std::move(image));
    const hid_t file = tree_->file;
    const hdf5::Group root(H5Gopen2(file, "/", H5P_DEFAULT), "open the root group");
    summary_json_ = hdf5::read_attribute(root, "summary_json").value_or("");
    summary_text_ = hdf5::read_attribute(root, "summary_text").value_or("");
    payload_sha256_ = hdf5::read_attribute(root, "payload_sha256").value_or("");
    if (summary_json_.empty() || payload_sha256_.empty())
      throw InputError(Finding{{path, 0, 0}, "", "not a result of tidewatt: no summary"});
    if (H5Lexists(file, "provenance", H5P_DEFAULT) > 0) {
      const hdf5::Group group(H5Gopen2(file, "provenance", H5P_DEFAULT), "open the provenance group");
      provenance_ = hdf5::read_attributes(group);
    }
    for (const auto& name : hdf5::dataset_paths(file)) {
      auto array = hdf5::describe_dataset(file, name);
      if (!array) continue;
      if (!name.starts_with(provenance_group)) {
        arrays_.push_back(std::move(*array));
        continue;
      }
      hdf5::read_values(file, *array);
      if (const auto* texts = std::get_if<std::vector<std::string>>(&array->values);
          texts != nullptr && texts->size() == 1)
        provenance_.emplace_back(name.substr(provenance_group.size()), texts->front());
    }
    is_read_.assign(arrays_.size(), false);
  } catch (const OutputError& e) {  // what hdf5_handle throws
    throw CorruptFileError(path, e.what());
  }
}

ResultFile::~ResultFile() = default;
ResultFile::ResultFile(ResultFile&&) noexcept = default;

const NamedArray* ResultFile::read(const std::string& path) {
  const auto at = std::ranges::find(arrays_, path, &NamedArray::path) - arrays_.begin();
  if (at == std::ssize(arrays_)) return nullptr;
  const auto i = static_cast<std::size_t>(at);
  if (!is_read_[i]) {
    const hdf5::Quiet quiet;
    try {
      hdf5::read_values(tree_->file, arrays_[i]);
    } catch (const OutputError& e) {
      throw CorruptFileError(path_, e.what());
    }
    is_read_[i] = true;
  }
  return &arrays_[i];
}

void ResultFile::copy_to(const std::string& path) const {
  const std::string line = seal(tree_->image);
  write_durably_in_pieces(path, [&](const Append& append) {
    append(tree_->image);
    append(line);
  });
}

}  // namespace TIDEWATT_NAMESPACE::io
