#include "validate/ledger.hpp"

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;

namespace {

std::string line(const char* row, double error, const std::string& previous, const char* more = "") {
  return fmt::format(
      R"({{"row": "{}", "kind": "blind", "source": "paper", "unit": "s", "got": 2.1, "error": {}, )"
      R"("tolerance": 0.1, "tolerance_unit": "fraction", "date": "2026-01-01", "commit": "c0ffee", "previous": "{}"{}}})",
      row, error, previous, more);
}

}  // namespace

TEST_CASE("a row's first line counts, or its last that starts anew") {
  const std::string a = line("R1", 0.05, std::string(64, '0')), b = line("R2", 0.02, sha256_hex(a)),
                    c = line("R1", 0.01, sha256_hex(b)), d = line("R2", 0.03, sha256_hex(c), R"(, "anew": "why")");
  const std::string one = a + "\n" + b + "\n", two = c + "\n" + d + "\n";
  const embedded::EmbeddedFile files[] = {{"ledger_001.jsonl", one}, {"ledger_002.jsonl", two}};
  const auto lines = validate::read_ledger(files);
  REQUIRE(lines.size() == 4);
  CHECK(validate::first_line(lines, "R1")->error == 0.05);
  CHECK(validate::first_line(lines, "R2")->error == 0.03);
  CHECK(validate::first_line(lines, "R3") == nullptr);
}

TEST_CASE("a revised line leaves the first one, and bands rest on it") {
  const std::string a = line("R1", 0.25, std::string(64, '0')), b = line("R2", 0.02, sha256_hex(a)),
                    c = line("R1", 0.05, sha256_hex(b), R"(, "revised": "scripts/fits/products")"),
                    d = line("R2", 0.01, sha256_hex(c));
  const std::string text = a + "\n" + b + "\n" + c + "\n" + d + "\n";
  const embedded::EmbeddedFile files[] = {{"ledger_001.jsonl", text}};
  const auto lines = validate::read_ledger(files);
  CHECK(validate::first_line(lines, "R1")->error == 0.25);
  CHECK(validate::band_line(lines, "R1")->error == 0.05);
  CHECK(validate::band_line(lines, "R2")->error == 0.02);  // written again, for no reason that counts
  CHECK(validate::band_line(lines, "R3") == nullptr);
}

TEST_CASE("an edited line is refused") {
  const std::string a = line("R1", 0.05, std::string(64, '0')), b = line("R2", 0.02, sha256_hex(a));
  const std::string edited = line("R1", 0.01, std::string(64, '0')) + "\n" + b + "\n", torn = b.substr(0, 50);
  const embedded::EmbeddedFile files[] = {{"x", edited}}, half[] = {{"x", torn}};
  CHECK_THROWS_AS(validate::read_ledger(files), InputError);
  CHECK_THROWS_AS(validate::read_ledger(half), InputError);
}

TEST_CASE("the ledger of this build is whole") { CHECK_NOTHROW(validate::ledger()); }
