#include "base/escape.hpp"

#include "catch.hpp"

using tidewatt::csv_cell;
using tidewatt::html_text;

TEST_CASE("markup in a text stays text, also inside attributes") {
  CHECK(html_text("a & b") == "a &amp; b");
  CHECK(html_text("\"><img src=q onerror='x()'>") == "&quot;&gt;&lt;img src=q onerror=&#39;x()&#39;&gt;");
  CHECK(html_text(std::string_view("a\0b\x1b[2Jc\n", 9)) == "ab[2Jc\n");
  CHECK(html_text("M\xC3\xBCnchen") == "M\xC3\xBCnchen");
}

TEST_CASE("a CSV cell is quoted where it must be") {
  CHECK(csv_cell("plain text") == "plain text");
  CHECK(csv_cell("") == "");
  CHECK(csv_cell("a,b") == "\"a,b\"");
  CHECK(csv_cell("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(csv_cell("two\r\nlines") == "\"two\r\nlines\"");
}

TEST_CASE("a CSV cell is no formula, and a number stays a number") {
  CHECK(csv_cell("=1+1") == "'=1+1");
  CHECK(csv_cell("=cmd|'/c calc'!A0,1") == "\"'=cmd|'/c calc'!A0,1\"");
  CHECK(csv_cell("+49 89") == "'+49 89");
  CHECK(csv_cell("-x") == "'-x");
  CHECK(csv_cell("@SUM(A1)") == "'@SUM(A1)");
  CHECK(csv_cell("\t=1") == "'\t=1");
  for (const char* number : {"-1", "+2.5", "-1e-9", "-inf", "3"}) CHECK(csv_cell(number) == number);
}
