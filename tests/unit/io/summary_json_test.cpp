#include "tidewatt/io/summary_json.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "catch.hpp"

using namespace tidewatt;
using nlohmann::ordered_json;

TEST_CASE("the summary is one JSON object in the order of its figures") {
  const std::string text = io::summary_json({{"b", 1.5},
                                             {"a", std::int64_t{16384}},
                                             {"none", std::monostate{}},
                                             {"nan", std::nan("")},
                                             {"inf", std::numeric_limits<double>::infinity()},
                                             {"text", std::string("say \"é\"\n")},
                                             {"share", std::vector<std::pair<std::string, double>>{{"p", 0.25}}}});
  CHECK(text == R"({"b": 1.5, "a": 16384, "none": null, "nan": null, "inf": null, "text": "say \"é\"\n", )"
                R"("share": {"p": 0.25}})");
  CHECK(ordered_json::parse(text)["text"] == "say \"é\"\n");
  CHECK(io::summary_json({}) == "{}");
}

TEST_CASE("doubles are the shortest text that reads back to the same bits, and stay doubles") {
  CHECK(io::value_json(0.1) == "0.1");
  CHECK(io::value_json(7.0) == "7.0");
  CHECK(io::value_json(-0.0) == "-0.0");
  CHECK(io::value_json(5e-324) == "5e-324");
  for (const double x : {0.1 + 0.2, 1e300 / 7, -2.0 / 3, 1e22, 123456789012345678.0, 5e-324}) {
    const auto back = ordered_json::parse(io::value_json(x));
    REQUIRE(back.is_number_float());
    CHECK(std::bit_cast<std::uint64_t>(back.get<double>()) == std::bit_cast<std::uint64_t>(x));
  }
}

TEST_CASE("whole numbers keep all their digits") {
  CHECK(io::value_json(std::numeric_limits<std::int64_t>::max()) == "9223372036854775807");
}

TEST_CASE("text that is not UTF-8 still gives valid JSON") {
  CHECK(ordered_json::accept(io::value_json(std::string("bad \xff byte"))));
}
