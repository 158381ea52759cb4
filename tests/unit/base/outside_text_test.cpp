#include "base/outside_text.hpp"

#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;

TEST_CASE("fields lose blanks and filling at their ends, and nothing within") {
  CHECK(bare(std::string_view("\x1a VA \x02 1\0\0\r\n", 12)) == "VA \x02 1");
  CHECK(bare(std::string_view("\0\x1a \n", 4)).empty());
}

TEST_CASE("text of other programs has no mark at its begin and no filling at its end; UTF-16 is named") {
  const auto path = (std::filesystem::temp_directory_path() / "tidewatt_outside_text.txt").string();
  const auto text_of = [&](std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return read_text(path, 1u << 20);
  };
  CHECK(text_of(std::string_view("\xEF\xBB\xBF"
                                 "a\r\nb\r\n\x1a\0\0",
                                 12)) == "a\r\nb");
  CHECK(text_of(std::string_view("\0\0\x1a", 3)).empty());
  CHECK(text_of("").empty());
  CHECK_THROWS_WITH(text_of(std::string_view("\xFF\xFE"
                                             "a\0",
                                             4)),
                    Catch::Contains("UTF-16"));
  CHECK_THROWS_WITH(read_text(path, 2), Catch::Contains("limit of 2 bytes"));
  std::filesystem::remove(path);
  CHECK_THROWS_AS(read_text(path, 2), InputError);
}
