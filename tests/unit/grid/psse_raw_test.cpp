#include "grid/psse_raw.hpp"

#include "network_case.hpp"
#include "shared_data.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

/// Two buses with what stands between the branches' and the transformers' end put in.
std::string with_transformer(const std::string& lines) {
  return with(two_buses(80), "0 / transformers\n", "0 / transformers\n" + lines);
}

}  // namespace

TEST_CASE("buses, units and lines are read with their units") {
  const auto n = parse_raw(two_buses(80, 50), "two.raw");
  CHECK(n.base_VA == 100e6);
  CHECK(n.nominal_Hz == 60.0);
  REQUIRE(n.bus.size() == 2);
  CHECK(n.bus[1].name == "B");
  CHECK(n.load.at(0).power_VA == std::complex<double>(50e6, 0.0));
  CHECK(n.generator.at(1).source_pu == std::complex<double>(0.0, 0.25));
  CHECK(n.branch.at(0).impedance_pu == std::complex<double>(0.0, 0.3));
}

TEST_CASE("blanks instead of commas, empty fields and comments read the same") {
  const auto n = parse_raw(with(two_buses(80), "1, 2, '1', 0.0, 0.3, 0.0,", "1 2 '1 ' 0.0 0.3 ,,"), "two.raw");
  CHECK(n.branch.at(0).id == "1");
  CHECK(n.branch.at(0).charging_pu == 0.0);
  CHECK(n.branch.at(0).in_service);
}

TEST_CASE("a transformer's impedance on its own base becomes the system's, its ratio is at the first winding") {
  const auto n = parse_raw(
      with_transformer("1, 2, 0, '1', 1, 2, 1, 0.0, 0.0, 2, '', 1\n0.0, 0.1, 200.0\n1.05, 0.0, 30.0\n1.0, 0.0\n"),
      "two.raw");
  REQUIRE(n.branch.size() == 2);
  CHECK(n.branch[1].impedance_pu.imag() == Approx(0.05));
  CHECK(std::abs(n.branch[1].ratio) == Approx(1.05));
  CHECK(std::arg(n.branch[1].ratio) == Approx(3.14159265358979 / 6.0));
}

TEST_CASE("everything wrong is said at once, with its line") {
  const std::string text =
      with(with_transformer("1, 2, 7, '1'\n0\n0\n0\n0\n"), "1, 2, '1', 0.0, 0.3", "1, 9, '1', 0.0, x0");
  try {
    parse_raw(text, "two.raw");
    FAIL("was read");
  } catch (const InputError& e) {
    REQUIRE(e.findings().size() == 4);
    CHECK(e.findings()[0].text() == "two.raw:12:0: bus: there is no bus 9");
    CHECK(e.findings()[1].message == "'x0' is not a number");
    CHECK(e.findings()[3].message.find("three windings") != std::string::npos);
  }
  CHECK_THROWS_WITH(parse_raw(with(two_buses(80), "100.0, 33", "100.0, 35"), "two.raw"),
                    Catch::Matchers::Contains("32 or 33"));
  CHECK_THROWS_AS(parse_raw("0, 100", "short.raw"), InputError);
  CHECK_THROWS_AS(read_raw("no_such.raw"), InputError);
}

TEST_CASE("published files of both revisions are read, and their operating points are ours") {
  for (const char* name :
       {"MultiGen/FourBusMulti.raw", "kundur/11BUS_KUNDUR.raw", "TGOV1/ThreeBusMulti.raw", "wscc9.raw"}) {
    const auto path = shared_data(std::string("psse_dynamics/") + name);
    if (!path) {
      WARN("no shared data: " << name << " is not compared");
      continue;
    }
    const auto n = read_raw(path->string());
    const auto flow = solve_network(n);
    for (std::size_t i = 0; i < n.bus.size(); ++i) {
      CAPTURE(name, n.bus[i].number);
      // The files give voltages to 1e-5 pu and 1e-4 degrees.
      CHECK(std::abs(flow.voltage_pu[i] - n.bus[i].voltage_pu) < 3e-5);
    }
  }
}

TEST_CASE("names are in single or double quotes, with the other quote, commas and slashes in them") {
  const auto name = [](const std::string& written) {
    return parse_raw(with(two_buses(80), "'B'", written), "two.raw").bus.at(1).name;
  };
  CHECK(name("\"BUS 2\"") == "BUS 2");
  CHECK(name("\"O'HARE, T/1\"") == "O'HARE, T/1");
  CHECK(name("'5\" LINE'") == "5\" LINE");
  CHECK(name("O'HARE") == "O'HARE");
  CHECK_THROWS_WITH(name("\"BUS 2"), Catch::Matchers::Contains("a quote that its line does not close"));
}

TEST_CASE("a public shape with names in double quotes is read") {
  const auto folder = shared_data("public_cases/psse-double-quotes");
  if (!folder) {
    WARN("no public_cases in the shared data: left out");
    return;
  }
  const auto n = read_raw((*folder / "case.raw").string());
  REQUIRE(n.bus.size() == 3);
  CHECK(n.bus[0].name == "BUS 1");
  CHECK(n.bus[0].kind == PowerNetwork::BusKind::slack);
  CHECK(std::abs(n.bus[0].voltage_pu) == Approx(1.05));
  CHECK(n.load.at(0).power_VA.real() == Approx(250e6));
}
