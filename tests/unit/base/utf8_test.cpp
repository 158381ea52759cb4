#include "base/utf8.hpp"

#include "catch.hpp"

using tidewatt::is_utf8;
using tidewatt::printable;

TEST_CASE("UTF-8 is told from what is none") {
  for (const char* text : {"", "plain", "é μ", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    CHECK(is_utf8(text));
  // A lone continuation, a cut sequence, overlong forms of "/", a surrogate, above U+10FFFF, a byte that never occurs.
  for (const char* text : {"\x80", "a\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"})
    CHECK_FALSE(is_utf8(text));
}

TEST_CASE("control bytes and bytes that are no text are shown by their numbers") {
  CHECK(printable("VA é μ\t1\n2") == "VA é μ\t1\n2");
  CHECK(printable(std::string_view("a\0\x1a\x1b[2J\x7f", 8)) == "a\\x00\\x1a\\x1b[2J\\x7f");
  CHECK(printable("\xc2\x9b"
                  "2J") == "\\xc2\\x9b2J");                        // a control sequence of one character
  CHECK(printable("\xcf\xf3\xf1\xea") == "\\xcf\\xf3\\xf1\\xea");  // Cyrillic of code page 1251
  CHECK(is_utf8(printable("cut \xe2\x82")));
  CHECK(printable(printable("\x1a")) == "\\x1a");
}
