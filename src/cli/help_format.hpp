#pragma once
#include <CLI/CLI.hpp>

/// Help texts: type of the value, then description, allowed values and default, wrapped at 112 characters.
class HelpFormat final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

/// What an option's checks allow, in words: "4 to 1000", "one of: a, b"; empty: anything of its type.
std::string allowed_values(const CLI::Option& option);
