#include "base/table_writer.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/base/words.hpp"

using namespace tidewatt;

namespace {

enum class Side : std::uint8_t { left, right };

}  // namespace

template <>
inline constexpr std::array tidewatt::words_of<Side>{std::string_view("left"), std::string_view("right")};

namespace {

struct Params {
  double clock_Hz = 1.275e9, inlet_K = 358.15, share_frac = 0.1;
  std::int64_t n_gpu = 8;
  bool spread = true;
  std::string name = "a";
  Side side = Side::right;
  std::vector<double> vf_Hz{3e8, 1.98e9};
  std::vector<std::string> words{"x", "y"};
  void fields(FieldVisitor& v) {
    v.number("clock_MHz", clock_Hz, {0, 5000}, "clock");
    v.number("inlet_degC", inlet_K, {-10, 85}, "inlet");
    v.number("share_frac", share_frac, {0, 1}, "share");
    v.integer("n_gpu", n_gpu, {1, 100}, "GPUs");
    v.flag("spread", spread, "spread");
    v.text("name", name, "name");
    choose(v, "side", side, "side");
    v.numbers("vf_MHz", vf_Hz, {0, 5000}, "clocks");
    v.texts("words", words, "words");
  }
};

}  // namespace

TEST_CASE("what is written reads back with the same bits") {
  Params given, back;
  given.inlet_K = std::nextafter(300.0, 400.0);
  back = Params{0, 0, 0, 0, false, "", Side::left, {}, {}};
  TableWriter writer;
  given.fields(writer);
  std::vector<Finding> findings;
  TableReader reader(writer.out, "", findings);
  back.fields(reader);
  reader.finish();
  CHECK(findings.empty());
  CHECK(back.clock_Hz == given.clock_Hz);
  CHECK(back.inlet_K == given.inlet_K);
  CHECK(back.share_frac == given.share_frac);
  CHECK(back.n_gpu == 8);
  CHECK(back.spread);
  CHECK(back.name == "a");
  CHECK(back.side == Side::right);
  CHECK(back.vf_Hz == given.vf_Hz);
  CHECK(back.words == given.words);
}

TEST_CASE("an edge value is the shortest text of its number") {
  CHECK(edge_value("inlet_degC", 27.3 + 273.15) == 27.3);  // the difference alone is 27.30000000000001
  CHECK(edge_value("inlet_degC", 85.0 + 273.15) == 85.0);
  CHECK(edge_value("power_MW", 14.5e6) == 14.5);
  CHECK(edge_value("count", 3.0) == 3.0);
  CHECK(std::isnan(edge_value("power_MW", std::numeric_limits<double>::quiet_NaN())));
}
