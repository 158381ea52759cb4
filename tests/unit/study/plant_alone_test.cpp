#include "study/plant_alone.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;

namespace {
study::PlantAloneOptions cold_days(const char* plant) {
  study::PlantAloneOptions o;
  o.plant = plant;
  o.climate = "chicago_il";
  o.days = 3.0;
  return o;
}
}  // namespace

TEST_CASE("a plant alone rejects the heat it is given: energy closes, PUE is above 1, text and JSON say the same") {
  const auto run = study::run_plant_alone(cold_days("crah_chilled_water"));
  CHECK(run.year.closure_worst_frac < 1e-11);
  CHECK(run.year.total.pue() > 1.02);
  CHECK(run.year.total.it_J == Approx(1e7 * 0.8 * 3 * 86400).epsilon(1e-9));
  CHECK(study::plant_text(run).find("Jan") != std::string::npos);
  CHECK(study::plant_json(run).find("\"months\":[{\"pue\":") != std::string::npos);
}

TEST_CASE("twice the plant under twice the heat has the same PUE") {
  auto o = cold_days("crah_chilled_water");
  const double pue = study::run_plant_alone(o).year.total.pue();
  o.it_W *= 2.0;
  CHECK(study::run_plant_alone(o).year.total.pue() == Approx(pue).epsilon(1e-9));
}

TEST_CASE("all options out of range are refused at once, and a plant without machines") {
  auto o = cold_days("crah_chilled_water");
  o.load_frac = 2.0;
  o.days = 0.0;
  o.year = "warm";
  try {
    study::run_plant_alone(o);
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(e.findings().size() == 3);
  }
  CHECK_THROWS_AS(study::run_plant_alone(cold_days("prescribed_llama3_day")), InputError);
  CHECK_THROWS_AS(study::run_plant_alone(cold_days("no_such_plant")), InputError);
}
