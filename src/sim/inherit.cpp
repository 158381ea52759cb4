#include "inherit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/path_below.hpp"
#include "base/schema_version.hpp"
#include "base/text.hpp"
#include "shipped_scenarios.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr std::size_t base_limit = 16;
constexpr std::uint64_t file_limit_B = 16u << 20;

/// Takes `base` out of a scenario; nothing where it has none.
std::optional<Node> take_base(Node& root) {
  const Node* found = root.find("base");
  if (found == nullptr) return {};
  Node base = *found;
  std::erase_if(std::get<Node::Table>(root.value), [](const auto& item) { return item.first == "base"; });
  return base;
}

/// A file's own path, links followed; as written where it cannot be.
std::filesystem::path real_path(const std::string& path) {
  std::error_code ec;
  const auto real = std::filesystem::weakly_canonical(path, ec);
  return ec ? std::filesystem::path(path) : real;
}

/// A file's text; where there is no such file, that of the shipped scenario of this name.
template <class Refuse>
std::string base_text(const std::string& name, const std::string& path, Refuse&& refuse) {
  std::error_code ec;
  const bool there = std::filesystem::exists(path, ec);
  if (!there)
    if (auto text = shipped_scenario(name)) return std::move(*text);
  try {
    return toml_file_text(path, file_limit_B);
  } catch (const InputError& e) {
    const std::string close = there ? "" : nearest(name, shipped_scenarios());
    throw refuse(fmt::format("\"{}\": {}{}", shorten(name, 60), e.findings().front().message,
                             there ? ""
                                   : ", and no shipped scenario has this name" +
                                         (close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close))));
  }
}

}  // namespace

Inherited inherit(Node given, const std::string& folder) {
  Inherited out;
  std::vector<Node> chain;
  std::vector<std::filesystem::path> seen{real_path(given.place.file)};
  refuse_newer(given, scenario_format);
  chain.push_back(std::move(given));
  while (const auto base = take_base(chain.back())) {
    const auto refuse = [&](const std::string& why) { return InputError(Finding{base->place, "base", why}); };
    const std::string name = base->is_text() ? std::get<std::string>(base->value) : "";
    const auto path = path_below(folder, name);
    if (!path) throw refuse(fmt::format("{} must be a file below the scenario's folder", base->text()));
    const auto real = real_path(*path);
    if (std::find(seen.begin(), seen.end(), real) != seen.end())
      throw refuse(fmt::format("{} closes a circle of scenarios that inherit from each other", base->text()));
    if (out.bases.size() == base_limit)
      throw refuse(fmt::format("more than {} scenarios inherit from one another", base_limit));
    seen.push_back(real);
    out.bases.emplace_back(name, base_text(name, *path, refuse));
    chain.push_back(parse_toml(out.bases.back().second, *path));
    refuse_newer(chain.back(), scenario_format);
  }
  const Place own = chain.front().place;
  out.root = std::move(chain.back());
  for (auto over = chain.rbegin() + 1; over != chain.rend(); ++over) out.root = merge(std::move(out.root), *over);
  out.root.place = own;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::sim
