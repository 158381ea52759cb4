#include "validate/model_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "validate/predictive.hpp"
#include "validate/row_traits.hpp"

using namespace tidewatt::validate;

namespace {

LedgerLine line(const std::string& row, const char* source, double error, const char* unit = "s") {
  LedgerLine l;
  l.row = row, l.kind = "blind", l.source = source, l.error = error, l.unit = unit;
  return l;
}

/// 21 published steps of dense models in fp8 on H100.
const std::vector<std::string> h100_fp8 = {"R4/h100-256",
                                           "R4/h100-1536",
                                           "R5/8b-h100",
                                           "R5/70b-h100",
                                           "R5/405b-h100",
                                           "R5/70b-sft-h100",
                                           "E1/mpt-3b-h100-fp8",
                                           "R6/8b-fp8",
                                           "R6/70b-fp8",
                                           "R6/70b-fp8-async",
                                           "E1/titan-405b-fp8",
                                           "E1/nemo-gpt3-5b",
                                           "E1/nemo-gpt3-20b",
                                           "E1/nemo-gpt3-175b",
                                           "E1/nemo-llama2-7b",
                                           "E1/nemo-llama2-13b",
                                           "E1/nemo-llama2-70b",
                                           "E1/dgxc-175b-512-fp8",
                                           "E1/nemo-llama2-70b-sft",
                                           "E1/titan-405b-fp8-async",
                                           "E1/dgxc-340b-128-fp8"};

constexpr std::array papers = {"paper 0", "paper 1", "paper 2", "paper 3", "paper 4", "paper 5", "paper 6"};

/// Row i takes exp(0.01 i) times as long as measured: its throughput was measured 0.01 i higher in ln. Seven sources take turns.
std::vector<LedgerLine> ladder(std::size_t n) {
  std::vector<LedgerLine> out;
  for (std::size_t i = 0; i < n; ++i)
    out.push_back(line(h100_fp8[i], papers[i % papers.size()], std::expm1(0.01 * static_cast<double>(i))));
  return out;
}

std::string scenario(const std::string& gpu, const std::string& precision = "fp8") {
  return "[[hall]]\nname = \"a\"\ngpu = \"" + gpu +
         "\"\n[[job]]\nname = \"main\"\nmodel = \"llama3_8b\"\n[job.plan]\nprecision = \"" + precision + "\"\n";
}

ModelError of(const std::vector<LedgerLine>& lines, const std::string& text, const std::string& headline,
              const std::string& without = "") {
  for (const auto& m : model_errors(lines, text, without))
    if (m.headline == headline) return m;
  throw std::logic_error(headline);
}

ModelError tokens(const std::vector<LedgerLine>& lines, const std::string& text, const std::string& without = "") {
  return of(lines, text, "tokens_per_s_mean", without);
}

const std::string h100 = scenario("h100_sxm_700W");

}  // namespace

TEST_CASE("a computed rate that is too low and a computed time that is too long both say that more was measured") {
  const auto rate = tokens({line("E1/nemo-gpt3-5b", "paper", -0.2, "tokens/s")}, h100);
  REQUIRE(rate.logs.size() == 1);
  CHECK(rate.logs[0] == Approx(std::log(1.0 / 0.8)));
  const auto time = tokens({line("R4/h100-256", "paper", 0.25)}, h100);
  REQUIRE(time.logs.size() == 1);
  CHECK(time.logs[0] == Approx(std::log(1.25)));
  // Watts are no rate: computed 25 % above the measured ones, measured are 1/1.25 of them.
  const auto watts = of({line("E2/node-lora-8", "paper", 0.25, "W")}, h100, "pcc_mean_MW");
  REQUIRE(watts.logs.size() == 1);
  CHECK(watts.logs[0] == Approx(-std::log(1.25)));
}

TEST_CASE("a row inside its published interval measured what was computed") {
  const auto inside = tokens({line("R4/h100-256", "paper", 0.0)}, h100);
  REQUIRE(inside.logs.size() == 1);
  CHECK(inside.logs[0] == 0.0);
}

TEST_CASE("a class has rows of the device, number format and kind of model, if there are eight") {
  auto lines = ladder(8);
  lines.push_back(line("R6/8b-bf16", "paper", 0.5));        // another format
  lines.push_back(line("E1/llama31-8b", "paper", 1.0));     // a rate over a whole run
  lines.push_back(line("R4/b200-64", "paper", 0.4));        // another device
  lines.push_back(line("E2/rest-h100-28", "p", 0.3, "W"));  // another area
  lines.push_back(line("E1/deepseek-v3", "paper", 0.4));    // experts
  lines.push_back(line("R5/70b-lora-h100", "paper", 0.4));  // adapters
  lines.push_back(line("R1/h100-512", "paper", 0.1));       // a fit today
  lines.push_back(line("R6/70b-fp8", "paper", 0.1));        // not blind when it was computed
  lines.back().kind = "seen";
  const auto eight = tokens(lines, h100);
  CHECK(eight.class_name == "training time, h100, fp8, dense, steps");
  CHECK(eight.rows == std::vector<std::string>(h100_fp8.begin(), h100_fp8.begin() + 8));
  CHECK(eight.logs[7] == Approx(0.07));
  CHECK(eight.note.empty());
}

TEST_CASE("a model with experts has no class of dense ones") {
  const std::string experts = h100 + "\n# --set job.main.model=deepseek_v3_like";
  const auto device = tokens(ladder(8), experts);
  CHECK(device.class_name == "training time, h100");
  CHECK(device.note == "0 alike (training time, h100, fp8, experts, steps): all rows of the device");
}

TEST_CASE("fewer than eight rows alike: all of the device, and with fewer than eight of it those of all devices") {
  auto lines = ladder(7);
  lines.push_back(line("R6/8b-bf16", "paper", 0.5));
  lines.push_back(line("R4/b200-64", "paper", 0.4));
  const auto device = tokens(lines, h100);
  CHECK(device.class_name == "training time, h100");
  CHECK(device.rows.size() == 8);
  CHECK(device.rows.back() == "R6/8b-bf16");
  CHECK(device.note == "7 alike (training time, h100, fp8, dense, steps): all rows of the device");
  const auto everywhere = tokens(lines, scenario("b200_sxm_1000W"));
  CHECK(everywhere.class_name == "training time, all devices");
  CHECK(everywhere.rows.size() == 9);
  CHECK(everywhere.note == "1 on the device (training time, b200): rows of all devices");
}

TEST_CASE("a device without rows has no errors to tell, whatever others have") {
  const auto none = tokens(ladder(21), scenario("rubin_2300W", "nvfp4"));
  CHECK(none.logs.empty());
  CHECK(none.rows.empty());
  CHECK(none.class_name.empty());
  CHECK(none.note == "no row backs this");
  for (const auto& m : model_errors({}, "")) CHECK((m.logs.empty() && m.note == "no row backs this"));
  CHECK(model_errors({}, "").size() == 8);
}

TEST_CASE("the rows of a source can be left out") {
  auto lines = ladder(9);
  lines[3].source = lines[5].source = "other";
  CHECK(tokens(lines, h100).rows.size() == 9);
  const auto without = tokens(lines, h100, "other");
  CHECK(without.rows.size() == 7);
  for (const auto& row : without.rows) CHECK((row != h100_fp8[3] && row != h100_fp8[5]));
}

TEST_CASE("only a row's first error counts") {
  auto lines = ladder(1);
  lines.push_back(line(h100_fp8[0], "paper", 0.3));
  lines.back().revised = true;
  const auto first = tokens(lines, h100);
  REQUIRE(first.logs.size() == 1);
  CHECK(first.logs[0] == 0.0);
}

TEST_CASE("an error in degrees is no ratio, and a row computed as nothing has none") {
  std::vector<LedgerLine> lines = ladder(8);
  lines[2].absolute = true;
  lines[4].error = -1.0;
  const auto left = tokens(lines, h100);
  CHECK(left.logs.size() == 6);
  CHECK(left.note.ends_with("1 left out: error in a unit, not a ratio; 1 left out: computed as 0"));
}

TEST_CASE("mean power rests on chips at work, not on energy per token nor on chips that serve") {
  std::vector<LedgerLine> lines = {line("E2/node-lora-8", "a", 0.04, "W"), line("E2/joule-olmo2-7b", "b", -0.3, "J"),
                                   line("E2/rest-h100-28", "c", 0.03, "W")};
  const auto all = of(lines, h100, "pcc_mean_MW");
  CHECK(all.rows == std::vector<std::string>{"E2/node-lora-8", "E2/rest-h100-28"});
  for (const char* batch : {"8b-8", "8b-64", "8b-512", "70b-8", "70b-64", "70b-256", "70b-1024"})
    lines.push_back(line(std::string("E3/watts-") + batch, "d", 0.1, "W"));
  // One row trains: fewer than eight, so that all rows of the device back the headline.
  const auto more = of(lines, h100, "pcc_mean_MW");
  CHECK(more.class_name == "node power in W, h100");
  CHECK(more.note.find("1 alike (node power in W, h100, at work)") != std::string::npos);
}

TEST_CASE("eight rows of two sources are no class of their own") {
  auto lines = ladder(9);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].source = i % 2 == 0 ? "a" : "b";
  const auto two = tokens(lines, h100);
  CHECK(two.class_name == "training time, all devices");
  CHECK(two.note.starts_with("9 of 2 sources on the device (training time, h100): rows of all devices"));
  lines[4].source = "c";
  CHECK(tokens(lines, h100).class_name == "training time, h100, fp8, dense, steps");
}

TEST_CASE("a row is held to where the next source lies by its class without its own source") {
  auto lines = ladder(21);
  lines.push_back(line("E1/gke-175b-h100", "google", std::expm1(0.195)));
  lines.push_back(line("E1/gke-70b-h100-fp8", "google", 9.0));  // its own source: far off, and not in the class
  const auto rows = checked_rows(lines);
  REQUIRE(rows.size() == 23);
  const CheckedRow& own = rows[21];
  CHECK(own.class_name == own.own_class);
  CHECK(own.n == 21);
  CHECK(own.n_source == 7);
  // Sources' means 0.07, 0.08, … 0.13 have variance 7/1500, each with 0.07 above and below: a = 8/7 · 7/15000, b = 2/3 · 0.0049 · 3/2.
  const double a = 8.0 / 7.0 * 0.0028 / 6.0, b = 2.0 / 3.0 * 7.0 * 0.0098 / 14.0;
  const double nu = (a + b) * (a + b) / (a * a / 6.0 + b * b / 14.0);
  const double half = student_quantile(0.95, nu) * std::sqrt(a + b);
  CHECK(own.p05 == Approx(0.1 - half));
  CHECK(own.p95 == Approx(0.1 + half));
  CHECK(own.inside());
  CHECK(rows[0].n == 20);  // those of its own source are left out, "google" is not
  lines[21].error = std::expm1(0.1 + 1.01 * half);
  CHECK_FALSE(checked_rows(lines)[21].inside());
}

TEST_CASE("a run's part has 99 equally likely errors, iterations those of tokens the other way") {
  const auto part = model_part(ladder(21), h100);
  const auto &tokens = part.logs.at("tokens_per_s_mean"), &iterations = part.logs.at("iteration_s");
  REQUIRE(tokens.size() == 99);
  CHECK(part.n_draw == 21);
  CHECK(tokens[49] == Approx(0.1));
  CHECK(std::is_sorted(tokens.begin(), tokens.end()));
  for (std::size_t i = 0; i < 99; ++i) CHECK(iterations[i] == -tokens[i]);
  CHECK(part.note.find("21 blind rows of training time, h100, fp8, dense, steps from 7 sources") != std::string::npos);
}

TEST_CASE("the JSON has null for what is not known") {
  const auto lone = nlohmann::json::parse(checked_json(checked_rows({line("R4/h100-256", "paper", 0.1)})));
  const auto& row = lone.at("model_errors").at(0);
  CHECK(row.at("log").get<double>() == Approx(std::log(1.1)));
  CHECK(row.at("class") == "");
  CHECK((row.at("p05").is_null() && row.at("p95").is_null() && row.at("inside").is_null()));
  CHECK(row.at("own_class") == "training time, all devices");
  CHECK(row.at("note") == "no row backs this");
}

TEST_CASE("every blind row of the ledger has a class of its own") {
  const auto rows = checked_rows(ledger());
  CHECK(rows.size() > 200);
  for (const auto& r : rows) {
    CAPTURE(r.row);
    CHECK((!r.own_class.empty() || std::isinf(r.log)));
    CHECK((r.n > 0) == !r.class_name.empty());
  }
}
