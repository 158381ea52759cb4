#pragma once
#include <CLI/CLI.hpp>

/// Checks of options' values, so that a wrong one is an error naming the option and the allowed range.

/// A finite number from `lo` to `hi` (CLI::Range lets nan through).
CLI::Validator within(double lo, double hi);

/// A whole number of threads or processes, 0 to 1024; 0: one per core.
CLI::Validator worker_count();

/// The name of a new catalog entry (base/name.hpp).
CLI::Validator entry_name();
