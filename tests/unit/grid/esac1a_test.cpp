#include "grid/esac1a.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {

const std::string kundur_like = "0.01 0 0 200 0.05 7 -7 1.333 0.02 0.8 0.2 0.38 1 4.18 0.1 3.14 0.03 10 -10";

}  // namespace

TEST_CASE("at rest the rectified voltage is the field's, and nothing moves") {
  for (const auto& values :
       {kundur_like, std::string("0.01 0.1 0 200 0.05 7 -7 1.333 0.02 0.8 0 0 1 0 0 0 0 10 -10")}) {
    auto e = model_of<Esac1a>(values);
    std::vector<double> x(5), rate(5);
    e.rest({2.1, 2.1, 0.8}, 1.02, x);
    CHECK(e.field_pu(x, {1.02, 0.0, 2.1}) == Approx(2.1).epsilon(1e-9));
    e.rates(x, {1.02, 0.0, 2.1}, rate);
    CHECK(largest(rate) < 1e-7);
  }
}

TEST_CASE("the rectifier passes 1 − 0.577 I, then a circle's arc, then a line to 0") {
  auto e = model_of<Esac1a>("0 0 0 200 0 7 -7 1 0 1 1 0 1 0 0 0 0 10 -10");
  std::vector<double> x(5, 0.0);
  x[3] = 1.0;
  CHECK(e.field_pu(x, {1.0, 0.0, 0.2}) == Approx(1.0 - 0.1154));
  CHECK(e.field_pu(x, {1.0, 0.0, 0.6}) == Approx(std::sqrt(0.75 - 0.36)));
  CHECK(e.field_pu(x, {1.0, 0.0, 0.9}) == Approx(0.1732));
  CHECK(e.field_pu(x, {1.0, 0.0, 1.1}) == 0.0);
}

TEST_CASE("without saturation and feedback a lasting error gives K_A/K_E times itself") {
  auto e = model_of<Esac1a>("0 0 0 40 0.02 9 -9 0.5 0 1 0 0 1 0 0 0 0 9 -9");
  std::vector<double> x(5);
  e.rest({1.5, 1.5, 0.5}, 1.0, x);
  integrate(x, 20.0, 2e-3,
            [&](double, const std::vector<double>& y, std::vector<double>& r) { e.rates(y, {0.99, 0.0, 1.5}, r); });
  CHECK(e.field_pu(x, {0.99, 0.0, 1.5}) == Approx(1.5 + 40.0 * 0.01).epsilon(1e-4));
}
