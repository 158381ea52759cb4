#include "validate/band.hpp"

#include <cmath>

#include "catch.hpp"

using namespace tidewatt::validate;

namespace {

LedgerLine line(const char* row, const char* source, double error, const char* kind = "blind") {
  LedgerLine l;
  l.row = row, l.source = source, l.error = error, l.kind = kind, l.unit = "s";
  return l;
}

}  // namespace

TEST_CASE("a source says nothing of its own rows, and counts once") {
  const double e = std::expm1(0.1);  // ln(got/expected) = 0.1
  const std::vector<LedgerLine> lines = {line("R1/h100-1", "one", e),    line("R2/b200-1", "two", e),
                                         line("R3/b200-1", "three", e),  line("R4/h100-1", "four", 0.0),
                                         line("R4/h100-2", "four", 0.0), line("R4/h100-3", "four", 0.0)};
  const auto of_new = named_error(lines, "training time", "new", "");
  CHECK(of_new.n_source == 4);
  CHECK(of_new.area == "training time");
  CHECK(of_new.sigma == Approx(0.1 * std::sqrt(0.75)));
  const auto of_four = named_error(lines, "training time", "four", "");
  CHECK(of_four.n_source == 3);
  CHECK(of_four.sigma == Approx(0.1));
}

TEST_CASE("seen rows and other areas help only where blind rows of the area do not suffice") {
  const std::vector<LedgerLine> lines = {line("R1/h100-1", "one", 0.2), line("W1", "two", 0.0, "seen"),
                                         line("W4", "three", 0.0, "seen"), line("G10", "four", 0.5, "seen")};
  const auto with_seen = named_error(lines, "training time", "new", "");
  CHECK(with_seen.n_source == 3);
  CHECK(with_seen.area == "training time");
  const auto elsewhere = named_error(lines, "node power", "new", "");
  CHECK(elsewhere.n_source == 4);
  CHECK(elsewhere.area == "all areas");
  CHECK(named_error(lines, "temperature", "new", "degC").n_source == 0);  // no error in that unit
}

TEST_CASE("fewer sources make a wider band: Student's t, 95 %") {
  CHECK(band_factor(5) == Approx(2.015).epsilon(0.005));
  CHECK(band_factor(10) == Approx(1.812).epsilon(0.002));
  CHECK(band_factor(1000) == Approx(1.646).epsilon(0.001));
}

TEST_CASE("conditioned draws move what follows from the GPU's watts, and not what does not") {
  const Group two = [](const Context& context) {
    std::vector<Row> out;
    for (const auto& group : groups())
      if (group.name == "power") out = group.rows(context);
    std::erase_if(out, [](const Row& r) { return r.id != "P1/plateau" && r.id != "P2" && r.id != "B200/load"; });
    return out;
  };
  const auto rows = two({});
  const auto spread = draw_spread(rows, two, {});
  CHECK(spread.at("P1/plateau") > 0.0);
  CHECK(spread.at("P2") > 0.0);
  CHECK(spread.at("P2") < 0.1);
  CHECK(spread.at("B200/load") == 0.0);  // no draws of it
}
