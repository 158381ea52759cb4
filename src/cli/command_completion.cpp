#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"

namespace {

/// Names of commands below an app, [n].
std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> out;
  for (const auto* c : app.get_subcommands([](const CLI::App*) { return true; })) out.push_back(c->get_name());
  return out;
}

/// Long names of an app's options, [n].
std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> out;
  for (const auto* o : app.get_options())
    for (const auto& name : o->get_lnames()) out.push_back("--" + name);
  return out;
}

/// One line of a shell's `case`: what may follow these words.
void add_cases(std::string& out, const CLI::App& app, const std::string& path) {
  auto words = commands_of(app);
  const auto options = options_of(app);
  words.insert(words.end(), options.begin(), options.end());
  out += fmt::format("    '{}') words='{}' ;;\n", path, fmt::join(words, " "));
  for (const auto* c : app.get_subcommands([](const CLI::App*) { return true; }))
    add_cases(out, *c, path.empty() ? c->get_name() : path + " " + c->get_name());
}

/// Bash's completion; zsh runs it through bashcompinit. Words before the cursor that are commands choose what may follow;
/// file names are still completed.
std::string script(const CLI::App& app, bool zsh) {
  std::string cases;
  add_cases(cases, app, "");
  return fmt::format(R"({}_tidewatt() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} path= word words i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    [[ $word == -* ]] && break
    case " {} " in *" $word "*) path="${{path:+$path }}$word" ;; *) break ;; esac
  done
  case $path in
{}    *) words= ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ $current == -* || -z $path ]] || COMPREPLY+=($(compgen -f -- "$current"))
}}
complete -o filenames -F _tidewatt tidewatt
)",
                     zsh ? "autoload -U +X bashcompinit && bashcompinit\n" : "",
                     fmt::join(
                         [&] {
                           std::vector<std::string> all = commands_of(app);
                           for (const auto* c : app.get_subcommands([](const CLI::App*) { return true; }))
                             for (auto& name : commands_of(*c)) all.push_back(std::move(name));
                           return all;
                         }(),
                         " "),
                     cases);
}

}  // namespace

void add_completion_command(CLI::App& app, int&) {
  auto shell = std::make_shared<std::string>();
  auto* c = app.add_subcommand(
      "completion", "print completion of commands and options for the shell: eval \"$(tidewatt completion bash)\"");
  c->add_option("shell", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  c->callback([&app, shell] { fmt::print("{}", script(app, *shell == "zsh")); });
}
