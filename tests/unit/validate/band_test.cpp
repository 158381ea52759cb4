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

const ErrorClass trained = error_class("R1/h100-512", 0.1, false);

}  // namespace

TEST_CASE("a row's band rests on all sources but its own", "[validate][band]") {
  std::vector<LedgerLine> lines;
  for (const char* source : {"one", "two", "three", "four"})
    lines.push_back(
        line((std::string("R1/h100-") + source).c_str(), source, std::expm1(lines.size() % 2 == 0 ? 0.1 : -0.1)));
  const auto of_new = named_error(lines, trained, "new");
  CHECK(of_new.n_source == 4);
  CHECK(of_new.n_same == 4);
  CHECK(of_new.whose == "training time, software of the fits");
  lines.push_back(line("R1/h100-own", "new", std::expm1(2.0)));  // its own error, however large
  CHECK(named_error(lines, trained, "new").spread == of_new.spread);
  CHECK(named_error(lines, trained, "new").centre == of_new.centre);
  CHECK(named_error(lines, trained, "one").spread > 1.5 * of_new.spread);
  CHECK(named_error({lines.begin(), lines.begin() + 2}, trained, "new").n_source == 0);  // too few
}

TEST_CASE("seen rows and fits say nothing of a band", "[validate][band]") {
  std::vector<LedgerLine> lines;
  for (const char* source : {"one", "two", "three"})
    lines.push_back(line((std::string("R1/h100-") + source).c_str(), source, std::expm1(0.1)));
  const double without = named_error(lines, trained, "new").spread;
  for (const char* kind : {"seen", "fit", "half_fit"}) lines.push_back(line("W1", kind, 3.0, kind));
  CHECK(named_error(lines, trained, "new").spread == without);
  lines.push_back(line("E1/fa2-1p3b-2k", "reclassified", 3.0));  // blind in its line, the rest of a record today
  CHECK(named_error(lines, trained, "new").spread == without);
  CHECK(named_error(lines, trained, "new").n_source == 3);
}

TEST_CASE("the band holds nine in ten of Student's errors of four degrees", "[validate][band]") {
  const double t = half_width({0.1, 0.0, 40, 10, ""}) / 0.1, a = t / std::sqrt(4.0 + t * t);
  CHECK(0.5 + 0.75 * (a - a * a * a / 3.0) == Approx(0.95));  // its distribution function
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
