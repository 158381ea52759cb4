#include "io/export_playback.hpp"

#include <cmath>
#include <string>

#include "base/text.hpp"
#include "catch.hpp"
#include "sample_record.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::io;

TEST_CASE("CSV: provenance, names with units, time of the run, the same bits") {
  const auto r = sample_record(500);
  const auto lines = split(csv_files(r)[0].text(), '\n');
  REQUIRE(lines.size() == r.provenance.size() + 1 + 500 + 1);
  for (std::size_t i = 0; i < r.provenance.size(); ++i) CHECK(lines[i] == "# " + r.provenance[i]);
  CHECK(lines[r.provenance.size()] == "time_s,pcc_P_MW,pcc_Q_Mvar,bus_V_pu,frequency_Hz");
  for (std::size_t i = 0; i < 500; ++i) {
    const auto cells = split(lines[r.provenance.size() + 1 + i], ',');
    REQUIRE(std::stod(cells[0]) == Approx(30.0 + 0.001 * static_cast<double>(i)));
    REQUIRE(std::stod(cells[1]) == r.channels[0].values[i]);
  }
}

TEST_CASE("PSCAD: one comment line with the units of the columns, from t = 0, at most eleven columns") {
  auto r = sample_record(3);
  const auto lines = split(pscad_files(r)[0].text(), '\n');
  CHECK(lines[0].starts_with("! time_s pcc_P_MW pcc_Q_Mvar bus_V_pu frequency_Hz;"));
  CHECK(lines[1].starts_with("0.000000 1"));  // 17 MW, not 17,000,000
  CHECK(std::stod(split(lines[1], ' ')[1]) == Approx(17.0).margin(1.0));
  r.channels.resize(11, r.channels[0]);
  CHECK_THROWS_AS(pscad_files(r), InputError);
}

TEST_CASE("ElmFile: the first row is the number of variables and no line is longer than 1,024 characters") {
  auto r = sample_record(3);
  r.channels.resize(24, r.channels[0]);
  const auto lines = split(powerfactory_files(r)[0].text(), '\n');
  CHECK(lines[0] == "24");
  CHECK(split(lines[3], ' ').size() == 25);
  CHECK(lines[3].size() <= 1024);
  r.channels.push_back(r.channels[0]);
  CHECK_THROWS_AS(powerfactory_files(r), InputError);
}

TEST_CASE("OpenDSS: one shape with two files in kW and kvar, and a name that it takes") {
  const auto files = opendss_files(sample_record(3));
  CHECK(files[2].name == "night_run_sample.dss");
  CHECK(
      files[2].text().find("New LoadShape.night_run_sample npts=3 sinterval=0.001 mult=(file=night_run_sample_kW.csv) "
                           "Qmult=(file=night_run_sample_kvar.csv) UseActual=yes\n") != std::string::npos);
  CHECK(std::stod(files[0].text()) == Approx(17000.0).margin(1000.0));
  CHECK(std::stod(files[1].text()) == Approx(0.3 * 17000.0).margin(1000.0));
}

TEST_CASE("ANDES: pu of the system's base and the device that plays it") {
  const auto files = andes_files(sample_record(3), {"PQ_4", 200.0});
  CHECK(std::stod(split(split(files[0].text(), '\n')[1], ',')[1]) == Approx(17.0 / 200).margin(0.01));
  CHECK(files[1].text().find("1,night run_sample_andes.csv,-,\"p_pu,q_pu\",t,PQ,PQ_4,\"Ppf,Qpf\"") !=
        std::string::npos);
  CHECK_THROWS_AS(andes_files(sample_record(3), {"PQ_4", 0.0}), InputError);
}
