#include <fmt/format.h>

#include <string>
#include <vector>

#include "catch.hpp"
#include "cooling/epw.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::cooling;

namespace {

using Fields = std::vector<std::string>;

std::string header(const std::string& location = "LOCATION,Test,TS,XXX,made,000001,40.0,-75.0,-5.0,100.0",
                   const std::string& period = "DATA PERIODS,1,1,Data,Sunday,7/1,7/3") {
  return location +
         "\nDESIGN CONDITIONS,0\nTYPICAL/EXTREME PERIODS,0\nGROUND TEMPERATURES,0\n"
         "HOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0\nCOMMENTS 1,a\nCOMMENTS 2\n" +
         period + "\n";
}

std::vector<Fields> rows() {
  std::vector<Fields> out;
  for (int day = 1; day <= 3; ++day)
    for (int hour = 1; hour <= 24; ++hour) {
      Fields f{"1990",
               "7",
               std::to_string(day),
               std::to_string(hour),
               "60",
               "?9?9",
               fmt::format("{}.5", 15 + hour / 3),
               "10.0",
               "50",
               "100000"};
      f.resize(35, "0");
      out.push_back(f);
    }
  return out;
}

std::string text_of(const std::vector<Fields>& lines, const std::string& head = header()) {
  std::string text = head;
  for (const Fields& f : lines) {
    for (std::size_t i = 0; i < f.size(); ++i) text += (i ? "," : "") + f[i];
    text += '\n';
  }
  return text;
}

bool accepted(const std::string& text) {
  try {
    parse_epw(text, "c.epw");
    return true;
  } catch (const InputError& e) {
    CHECK_FALSE(e.findings().empty());
    return false;
  }
}

}  // namespace

TEST_CASE("defective EPW files: none accepted") {
  int n = 0, passed = 0;
  const auto defective = [&](const std::string& text, const std::string& what) {
    INFO(what);
    ++n;
    const bool ok = accepted(text);
    passed += ok ? 1 : 0;
    CHECK_FALSE(ok);
  };
  // Every kind of wrong text in every column that the model reads, at the start, inside and at the end.
  for (const std::size_t row : {0u, 31u, 71u}) {
    for (const std::size_t column : {1u, 2u, 3u, 6u, 7u, 8u, 9u})
      for (const char* bad : {"", "x", "nan", "inf", "1e999", "--5", "1 2"}) {
        auto lines = rows();
        lines[row][column] = bad;
        defective(text_of(lines), fmt::format("row {} column {} '{}'", row, column, bad));
      }
    for (const auto& [column, bad] :
         {std::pair{6u, "70.1"}, std::pair{6u, "-70.1"}, std::pair{7u, "45.0"}, std::pair{8u, "111"},
          std::pair{8u, "-1"}, std::pair{9u, "30000"}, std::pair{9u, "1013.25"}, std::pair{1u, "13"},
          std::pair{2u, "32"}, std::pair{3u, "25"}, std::pair{3u, "0"}, std::pair{6u, "999"}}) {
      auto lines = rows();
      lines[row][column] = bad;
      defective(text_of(lines), fmt::format("row {} column {} '{}'", row, column, bad));
    }
  }
  for (const std::size_t row : {1u, 30u, 70u}) {
    auto lines = rows();
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(row));
    defective(text_of(lines), "an hour missing");
    lines = rows();
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(row), lines[row]);
    defective(text_of(lines), "an hour twice");
    lines = rows();
    std::swap(lines[row], lines[row - 1]);
    defective(text_of(lines), "two hours swapped");
    lines = rows();
    lines[row].pop_back();
    defective(text_of(lines), "34 fields");
    lines = rows();
    lines[row].push_back("0");
    defective(text_of(lines), "36 fields");
  }
  auto long_gap = rows();
  for (std::size_t i = 20; i < 27; ++i) long_gap[i][6] = "99.9";
  defective(text_of(long_gap), "seven hours missing");
  auto end_gap = rows();
  end_gap.back()[9] = "999999";
  defective(text_of(end_gap), "missing at the end");
  const std::string good = text_of(rows());
  for (std::size_t i = 1; i <= 8; ++i) defective(good.substr(0, good.size() * i / 9), "truncated");
  for (const char* location :
       {"LOCATION,a,b,c,d,e,91,0,0,0", "LOCATION,a,b,c,d,e,0,181,0,0", "LOCATION,a,b,c,d,e,0,0,15,0",
        "LOCATION,a,b,c,d,e,0,0,0,9999", "LOCATION,a,b,c", "LOCATION,a,b,c,d,e,x,0,0,0"})
    defective(text_of(rows(), header(location)), location);
  for (const char* period : {"DATA PERIODS,2,1,Data,Sunday,7/1,7/3", "DATA PERIODS,1,7,Data,Sunday,7/1,7/3",
                             "DATA PERIODS,1,1,Data,Sunday,7/1,7/4", "DATA PERIODS,1,1,Data,Sunday,7/2,7/3",
                             "DATA PERIODS,1,1,Data,Sunday,7-1,7/3", "DATA PERIODS,1,1"})
    defective(text_of(rows(), header("LOCATION,a,b,c,d,e,40,-75,-5,100", period)), period);
  fmt::print("scorecard 16: {} defective EPW files, {} accepted\n", n, passed);
  CHECK(n >= 150);
}

TEST_CASE("good EPW files: none refused") {
  int n = 0, refused = 0;
  const auto good = [&](const std::string& text) {
    ++n;
    const bool ok = accepted(text);
    refused += ok ? 0 : 1;
    CHECK(ok);
  };
  for (const auto& [column, missing] :
       {std::pair{6u, "99.9"}, std::pair{7u, "99.9"}, std::pair{8u, "999"}, std::pair{9u, "999999"}})
    for (const std::size_t row : {5u, 12u, 33u, 40u, 66u}) {
      auto lines = rows();
      lines[row][column] = missing;
      good(text_of(lines));
    }
  for (std::size_t column = 10; column < 35; ++column) {
    auto lines = rows();
    lines[20][column] = column % 2 ? "9999" : "";
    good(text_of(lines));
  }
  for (const char* zone : {"-12", "-3.5", "0", "5.75", "14"})
    good(text_of(rows(), header(fmt::format("LOCATION,a,b,c,d,e,40,-75,{},100", zone))));
  std::string crlf;
  for (const char c : text_of(rows())) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  good(crlf);
  good("\xEF\xBB\xBF" + text_of(rows()));
  fmt::print("scorecard 16: {} good EPW files, {} refused\n", n, refused);
  CHECK(n >= 50);
}
