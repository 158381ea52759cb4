#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tidewatt/grid/rule_book.hpp"

/// The rules of a catalog name or of a file of the user's own. @throws InputError with everything that is wrong
tidewatt::grid::RuleBook find_rule_book(const std::string& name_or_file, const std::string& overlay);
/// Status in words for a verdict: "proposal of 2026-06-15, not binding".
std::string status_text(const tidewatt::grid::RuleBook& book);

void add_ride_command(CLI::App& app, int& exit_code);  // ride
