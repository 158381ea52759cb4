#pragma once
#include <string>

/// Prints an HTML page as PDF with what is installed: WeasyPrint or Chromium.
/// @returns the program's name, or nothing if none is installed or it failed; then no file remains
std::string print_page(const std::string& html, const std::string& pdf);
