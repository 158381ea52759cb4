#include "scenario_tree.hpp"

#include <filesystem>

namespace tidewatt::study {

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

Node whole_tree(const std::string& path) {
  Node root = parse_toml_file(path);
  for (int depth = 0; root.find("base"); ++depth) {
    const Node base = *root.find("base");
    if (depth > 8 || !base.is_text()) throw InputError(Finding{base.place, "base", "scenarios inherit from each other in a circle"});
    std::erase_if(std::get<Node::Table>(root.value), [](const auto& item) { return item.first == "base"; });
    root = merge(parse_toml_file(folder_of(path) + "/" + std::get<std::string>(base.value)), root);
  }
  return root;
}

}  // namespace tidewatt::study
