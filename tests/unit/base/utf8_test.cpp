#include "base/utf8.hpp"

#include "catch.hpp"

using tidewatt::is_utf8;

TEST_CASE("UTF-8 is told from what is none") {
  for (const char* text : {"", "plain", "é μ", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    CHECK(is_utf8(text));
  // A lone continuation, a cut sequence, overlong forms of "/", a surrogate, above U+10FFFF, a byte that never occurs.
  for (const char* text : {"\x80", "a\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"})
    CHECK_FALSE(is_utf8(text));
}
