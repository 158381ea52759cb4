#include "scenario_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include "base/embedded.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view input_mark = "# ---- input ", base_mark = "# ---- base = ", set_mark = "# --set ",
                           digest_mark = " sha256=";
constexpr std::uint64_t most_file_bytes = 1ull << 28U;

std::string input_line(const std::string& what, const std::string& digest) {
  return fmt::format("\n{}{}{}{}", input_mark, what, digest_mark, digest);
}

std::string file_line(const std::string& what, const std::string& path) {
  return input_line(what, sha256_hex(read_file(path, most_file_bytes)));
}

std::string overlay_lines(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& item : fs::recursive_directory_iterator(folder))
    if (item.is_regular_file() && item.path().extension() == ".toml") paths.push_back(item.path().string());
  std::ranges::sort(paths);
  std::string out;
  for (const auto& path : paths)
    out += file_line("catalog " + fs::path(path).lexically_relative(folder).string(), path);
  return out;
}

const std::string& built_in_digest() {
  static const std::string digest = [] {
    Sha256 hash;
    for (const auto& file : embedded::catalog_files()) {
      hash.bytes(file.path);
      hash.bytes("\n");
      hash.bytes(file.text);
    }
    return hash.hex();
  }();
  return digest;
}

/// A part of a scenario's text by its name; `shown` is its name for the reader.
struct Part {
  std::string text, shown;
};

/// An input by its kind, for there is one weather; a recording by its neighbour, a catalog file by its path.
std::pair<std::string, Part> input_part(std::string_view line) {
  line.remove_prefix(input_mark.size());
  const auto at = line.rfind(digest_mark);
  const std::string what(line.substr(0, at)),
      digest(at == std::string_view::npos ? std::string_view() : line.substr(at));
  const std::string kind = what.substr(0, what.find(' ')), name = what.substr(std::min(what.size(), kind.size() + 1));
  if (kind == "weather") return {"weather", {digest, name}};
  if (kind == "recording")
    return {"recording of " + name.substr(0, name.find('=')), {digest, name.substr(name.find('=') + 1)}};
  return {name == "built-in" ? "built-in catalog" : "catalog file " + name, {digest, ""}};
}

std::map<std::string, Part> parts_of(const std::string& text) {
  std::map<std::string, Part> out;
  std::string at = "scenario file";
  for (const auto& line : split(text, '\n')) {
    if (line.starts_with(input_mark)) {
      out.insert(input_part(line));
    } else if (line.starts_with(set_mark)) {
      const std::string item = line.substr(set_mark.size());
      out["override of " + item.substr(0, item.find('='))].text +=
          item.substr(std::min(item.size(), item.find('='))) + " ";
    } else if (line == "# --reference") {
      out["the reference's steps"];
    } else if (line.starts_with("# --weather ") || line.starts_with("# --recording ")) {
      continue;  // their contents decide
    } else if (line.starts_with(base_mark)) {
      at = "base file " + line.substr(base_mark.size());
      out[at];
    } else {
      out[at].text += line + "\n";
    }
  }
  return out;
}

/// The first line of `now` that `before` does not have at that place.
std::string first_change(const std::string& before, const std::string& now) {
  const auto a = split(before, '\n'), b = split(now, '\n');
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  const auto line = [&](const std::vector<std::string>& lines) {
    return i < lines.size() ? fmt::format("'{}'", shorten(trim(lines[i]), 80)) : "no more lines";
  };
  return fmt::format("line {} was {}, is {}", i + 1, line(a), line(b));
}

std::string change(const std::string& name, const Part& before, const Part& now) {
  if (name == "scenario file" || name.starts_with("base file "))
    return "changed: " + first_change(before.text, now.text);
  if (name.starts_with("override of ")) return fmt::format("was {}is {}", before.text, now.text);
  if (before.shown != now.shown) return fmt::format("another file: was {}, is {}", before.shown, now.shown);
  return now.shown.empty() ? "its contents changed" : fmt::format("the contents of {} changed", now.shown);
}

}  // namespace

std::string input_lines(const Scenario& scenario, const LoadOptions& options) {
  std::string out;
  const auto name = [](const std::string& path) { return fs::path(path).filename().string(); };
  for (const auto& path : {scenario.weather.epw, scenario.weather.csv})
    if (!path.empty()) out += file_line("weather " + name(path), path);
  for (const auto& n : scenario.neighbours) {
    if (n.kind != NeighbourKind::replay) continue;
    std::string path = (fs::path(scenario.folder) / n.replay.file).string();
    for (const auto& item : options.recording)
      if (item.starts_with(n.name + "=")) path = item.substr(n.name.size() + 1);
    out += file_line("recording " + n.name + "=" + name(path), path);
  }
  if (!options.catalog_overlay.empty()) out += overlay_lines(options.catalog_overlay);
  return out + input_line("catalog built-in", built_in_digest());
}

std::string inputs_of(const std::string& text) {
  std::string out;
  for (const auto& line : split(text, '\n'))
    if (line.starts_with(input_mark)) out += (out.empty() ? "" : "\n") + line.substr(input_mark.size());
  return out;
}

std::vector<Finding> input_changes(const std::string& before, const std::string& now) {
  const auto a = parts_of(before), b = parts_of(now);
  std::vector<Finding> out;
  const auto found = [&](const std::string& name, const std::string& what) { out.push_back({{}, name, what}); };
  for (const auto& [name, part] : a) {
    const auto other = b.find(name);
    if (other == b.end())
      found(name, "is not there any more");
    else if (other->second.text != part.text)
      found(name, change(name, part, other->second));
  }
  for (const auto& [name, part] : b)
    if (!a.contains(name)) found(name, "is new");
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::sim
