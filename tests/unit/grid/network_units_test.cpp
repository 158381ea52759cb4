#include "grid/network_units.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {

const std::string infinite = "1 'GENCLS' 1 0 0 /\n";

std::vector<Finding> findings_with(const std::string& dyr) {
  try {
    make_units(parse_raw(two_buses(80), "two.raw"), parse_dyr(dyr, "two.dyr"), ShaftInput::power);
  } catch (const InputError& e) {
    return e.findings();
  }
  return {};
}

}  // namespace

TEST_CASE("every model of the list makes a unit") {
  const std::string machine = "2 'GENROU' 1 8 0.03 0.4 0.05 6.5 0 1.8 1.7 0.3 0.55 0.25 0.2 0 0 /\n";
  const std::string controls[] = {
      "2 'SEXS' 1 0.1 10 100 0.1 0 5 /\n2 'TGOV1' 1 0.05 0.5 1.2 0 2 7 0 /\n2 'IEEEST' 1 1 0 0 0 0 0 0 0 0 0 0 0 1 1 5 "
      "0.1 -0.1 0 0 /\n",
      "2 'ESAC1A' 1 0.01 0 0 200 0.05 7 -7 1.3 0.02 0.8 0 0 1 0 0 0 0 10 -10 /\n2 'GAST' 1 0.05 0.5 0.5 3 1 2 1.2 0 0 "
      "/\n",
      "2 'HYGOV' 1 0.05 0.3 5 0.05 0.5 0.2 1 0 1 1.2 0 0.08 /\n"};
  for (const auto& c : controls) CHECK(findings_with(infinite + machine + c).empty());
  CHECK(make_units(parse_raw(two_buses(80), "two.raw"), parse_dyr(infinite + machine, "two.dyr"), ShaftInput::power)
            .size() == 2);
}

TEST_CASE("a model that is not known is said with its name and line, beside everything else") {
  const auto f =
      findings_with(infinite + "2 'GENTPJ' 1 1 2 3 /\n2 'SEXS' 1 0.1 10 /\n7 'TGOV1' 1 0.05 0.5 1.2 0 2 7 0 /");
  REQUIRE(f.size() >= 3);
  CHECK(f[0].place.line == 2);
  CHECK(f[0].key == "GENTPJ");
  CHECK(f[0].message.find("unit 1 at bus 2 is not known; known: ESAC1A") != std::string::npos);
  CHECK(f[1].text().find("two.dyr:3:0: SEXS 1 at bus 2: K: is missing") != std::string::npos);
}

TEST_CASE("a generator without a model, a record without a generator and records that do not fit are findings") {
  auto f = findings_with(infinite);
  REQUIRE(f.size() == 1);
  CHECK(f[0].text().find("unit 1 at bus 2") != std::string::npos);
  CHECK(f[0].place.file == "two.raw");
  CHECK(findings_with(infinite + "2 'GENCLS' 1 4 0 /\n5 'GENCLS' 1 4 0 /").size() == 1);
  CHECK(findings_with(infinite + "2 'GENCLS' 1 4 0 /\n2 'GENCLS' 1 4 0 /").size() == 1);
  CHECK(findings_with(infinite + "2 'SEXS' 1 0.1 10 100 0.1 0 5 /").size() == 1);
}
