#include "validate/band.hpp"

#include <cmath>

#include "catch.hpp"

using namespace tidewatt::validate;

namespace {

LedgerLine line(const char* row, const char* source, double error, const char* kind = "blind") {
  LedgerLine l;
  l.row = row, l.source = source, l.error = error, l.kind = kind, l.unit = "s", l.tolerance = 0.1;
  return l;
}

const ErrorClass trained{"training time", "software of the fits"};

}  // namespace

TEST_CASE("a source says nothing of its own rows, and counts once") {
  const double e = std::expm1(0.1);  // ln(got/expected) = 0.1
  const std::vector<LedgerLine> lines = {line("R1/h100-1", "one", e),    line("R2/b200-1", "two", e),
                                         line("R3/b200-1", "three", e),  line("R4/h100-1", "four", 0.0),
                                         line("R4/h100-2", "four", 0.0), line("R4/h100-3", "four", 0.0)};
  const auto of_new = named_error(lines, trained, "new", "");
  CHECK(of_new.n_source == 4);
  CHECK(of_new.n_counted == 7.0);
  CHECK(of_new.whose == "training time, software of the fits");
  CHECK(of_new.scale == Approx(0.1 * 0.75));
  const auto of_four = named_error(lines, trained, "four", "");
  CHECK(of_four.n_source == 3);
  CHECK(of_four.scale == Approx(0.1));
}

TEST_CASE("a class leans on its area as on three sources, and stands alone where it has many") {
  std::vector<LedgerLine> lines = {line("R1/h100-1", "one", 0.0), line("E1/pythia-1b", "two", std::expm1(0.4)),
                                   line("E1/mpt-70b-a100", "three", std::expm1(0.2))};
  const ErrorClass others{"training time", "tolerance up to 10 %"};
  CHECK(named_error(lines, trained, "new", "").scale == Approx((0.0 + 3.0 * 0.2) / 4.0));
  CHECK(named_error(lines, others, "new", "").scale == Approx((2.0 * 0.3 + 3.0 * 0.2) / 5.0));
  for (int i = 0; i < 300; ++i)
    lines.push_back(line("R1/h100-1", std::to_string(i).c_str(), 0.0)), lines.back().row += std::to_string(i);
  CHECK(named_error(lines, trained, "new", "").scale < 1e-3);
  const auto wide = error_class("E1/llama-65b", 0.15, false), known = error_class("E2/rest-h100-41", 0.1, false);
  CHECK(wide.name == "tolerance above 10 %");
  CHECK(known.area == "node power");
  CHECK(known.name == "tolerance up to 10 %");
}

TEST_CASE("seen rows and other areas help only where blind rows of the area do not suffice") {
  const std::vector<LedgerLine> lines = {line("R1/h100-1", "one", 0.2), line("W1", "two", 0.0, "seen"),
                                         line("W4", "three", 0.0, "seen"), line("G10", "four", 0.5, "seen")};
  const auto with_seen = named_error(lines, trained, "new", "");
  CHECK(with_seen.n_source == 1);
  CHECK(with_seen.scale == Approx(std::log(1.2) * (1.0 + 3.0 / 3.0) / 4.0));
  const auto elsewhere = named_error(lines, {"node power", "tolerance up to 10 %"}, "new", "");
  CHECK(elsewhere.n_source == 3);
  CHECK(elsewhere.whose == "all areas, tolerance up to 10 %");
  CHECK(named_error(lines, {"temperature", "tolerance in its unit"}, "new", "degC").n_counted ==
        0.0);  // no error in that unit
}

TEST_CASE("the band holds nine in ten of exponential sizes, and is wider with fewer sources") {
  CHECK(half_width({1.0, 1000, 1e6, ""}) == Approx(std::log(10.0)).epsilon(1e-5));
  CHECK(half_width({0.1, 4, 7.0, ""}) > half_width({0.1, 30, 33.0, ""}));
  // The size of a new error over the mean of n others exceeds it in one of ten: (1 + x/n)^-n.
  const double x = half_width({1.0, 4, 7.0, ""});
  CHECK(std::pow(1.0 + x / 7.0, -7.0) == Approx(0.1));
}

TEST_CASE("conditioned draws move what follows from the GPU's watts, and not what does not") {
  const Part part = [](const Context& context) {
    std::vector<Row> out;
    for (const auto& group : groups())
      if (group.name == "power") out = group.rows(context);
    std::erase_if(out, [](const Row& r) { return r.id != "P1/plateau" && r.id != "P2" && r.id != "B200/load"; });
    return out;
  };
  const NamedGroup two{"two", {part}};
  const auto rows = two.rows({});
  const auto spread = draw_spread(rows, two, {});
  CHECK(spread.at("P1/plateau") > 0.0);
  CHECK(spread.at("P2") > 0.0);
  CHECK(spread.at("P2") < 0.1);
  CHECK(spread.at("B200/load") == 0.0);  // no draws of it
}
