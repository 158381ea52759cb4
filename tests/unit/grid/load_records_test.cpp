#include "grid/load_records.hpp"

#include <cmath>
#include <numbers>
#include <sstream>
#include <vector>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {
std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string w; in >> w;) out.push_back(w);
  return out;
}
}  // namespace

TEST_CASE(
    "a composite record: header of the model, 2 whole numbers and 133 values, the electronic part at its places") {
  const auto w = words(cmpldw_record(12, "1", {50.0, 1.0, 0.85, 0.75, 0.8}));
  // bus 'USRLOD' '1 ' is four words: its quotes hold a blank.
  REQUIRE(w.size() == 4 + 1 + 9 + 2 + 133 - 2 + 1);
  CHECK(w[4] == "'CMLDBLU2'");
  const auto con = [&](std::size_t i) { return std::stod(w[14 + i]); };
  CHECK(std::vector<std::string>(w.begin() + 5, w.begin() + 14) ==
        std::vector<std::string>{"12", "1", "2", "133", "27", "146", "48", "0", "0"});
  CHECK(con(0) == 50.0);
  for (std::size_t m = 18; m < 22; ++m) CHECK(con(m) == 0.0);  // motors
  CHECK(con(22) == 1.0);                                       // Fel
  CHECK(con(24) == 0.85);                                      // Vd1
  CHECK(con(25) == 0.75);                                      // Vd2
  CHECK(con(132) == 0.8);                                      // Frcel
  CHECK(w.back() == "/");
  const auto first = words(cmpldw_record(12, "1", {50.0, 1.0, 0.85, 0.75, 0.8}, CompositeRevision::one));
  CHECK(first[4] == "'CMLDBLU1'");
  CHECK(first.size() == 4 + 1 + 7 + 132 + 1);
}

TEST_CASE("a repeating record: 4 whole numbers and 8 values") {
  CHECK(linjbl_record(3, "OS", {1.0, 0.4, 0.55, 100, 70.5}) ==
        "3 'USRLOD' 'OS' 'LINJBL' 12 1 4 8 0 5 0 0 0 0 0 1 0.4 0 0.55 0 100 70.5 0 /\n");
}

TEST_CASE("a square wave comes back as itself; a sine as the square wave with its fundamental") {
  const double step_s = 1e-3, Hz = 0.55;
  std::vector<double> square(120'000), sine(120'000);
  for (std::size_t i = 0; i < square.size(); ++i) {
    const double phase = std::fmod(static_cast<double>(i) * step_s * Hz, 1.0);
    square[i] = phase < 0.4 ? 117e6 : 38e6;
    sine[i] = 80e6 + 10e6 * std::sin(2.0 * std::numbers::pi * phase);
  }
  const auto a = repeating_load(square, step_s, 1.0);
  CHECK(a.Hz == Approx(Hz).epsilon(1e-3));
  CHECK(a.duty == Approx(0.4).margin(0.005));
  CHECK(a.peak_to_peak_MW == Approx(79.0).epsilon(0.01));
  CHECK(std::abs(static_cast<double>(a.n_period) - 66.0) <= 1.0);
  const auto b = repeating_load(sine, step_s, 1.0);
  CHECK(b.peak_to_peak_MW == Approx(10.0 * std::numbers::pi / 2.0).epsilon(0.01));
  CHECK_THROWS_AS(repeating_load(std::vector<double>(120'000, 80e6), step_s, 1.0), InputError);
  CHECK_THROWS_AS(repeating_load(std::vector<double>(10, 80e6), step_s, 1.0), InputError);
}
