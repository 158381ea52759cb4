#include "help_format.hpp"

#include <fmt/format.h>

#include <cctype>

#include "base/text.hpp"

namespace {

constexpr std::size_t text_width = 82;  // beside CLI11's column of names, 30 wide

/// Breaks a text into lines between words.
std::string wrapped(const std::string& text) {
  std::string out;
  std::size_t width = 0;
  for (const auto& word : tidewatt::split(text, ' ')) {
    if (width > 0 && width + 1 + word.size() > text_width) {
      out += "\n";
      width = 0;
    }
    out += (width > 0 ? " " : "") + word;
    width += (width > 0 ? 1 : 0) + word.size();
  }
  return out;
}

/// The type without its checks: CLI11 joins them with a colon.
std::string type_of(const CLI::Option& option) {
  const std::string all = option.get_type_name();
  const std::string type = all.substr(0, all.find(':'));
  return type == "FLOAT" || type == "INT" || type == "UINT" ? "NUMBER" : type;
}

std::string names_of(const std::set<CLI::Option*>& options) {
  std::string out;
  for (const auto* o : options) out += (out.empty() ? "" : ", ") + o->get_name();
  return out;
}

}  // namespace

std::string allowed_values(const CLI::Option& option) {
  const std::string all = option.get_type_name();
  const auto colon = all.find(':');
  if (colon == std::string::npos) return {};
  const std::string check = all.substr(colon + 1);
  if (check.starts_with('{')) {
    auto words = tidewatt::split(std::string_view(check).substr(1, check.find('}') - 1), ',');
    return fmt::format("one of: {}", fmt::join(words, ", "));
  }
  if (const auto from = check.find('['); from != std::string::npos) {
    const std::string range = check.substr(from + 1, check.find(']') - from - 1);
    return fmt::format("{} to {}", range.substr(0, range.find(" - ")), range.substr(range.find(" - ") + 3));
  }
  return check.starts_with("POSITIVE") ? "above 0" : "";
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) return {};
  const bool repeats = option->get_expected_max() == CLI::detail::expected_max_vector_size;
  return option->get_positional() ? (repeats ? " ..." : "") : " " + type_of(*option) + (repeats ? " ..." : "");
}

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  std::string text = option->get_description();
  const auto add = [&](const std::string& more) {
    if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
  };
  if (option->get_type_size() != 0) {
    add(allowed_values(*option));
    if (!option->get_default_str().empty()) add("default " + option->get_default_str());
    if (option->get_required() && !option->get_positional()) add("required");
  }
  if (const auto names = names_of(option->get_excludes()); !names.empty()) add("not with " + names);
  return wrapped(text);
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  std::stringstream out;
  CLI::detail::format_help(out, command->get_display_name(true), wrapped(command->get_description()), column_width_);
  return out.str();
}
