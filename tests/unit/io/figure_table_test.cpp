#include "io/figure_table.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "sim/figure_list.hpp"

using namespace tidewatt;

TEST_CASE("JSON has every figure, with scope, place and parts of its chance") {
  const auto rows = nlohmann::json::parse(io::figure_table_json());
  std::size_t n = 0;
  for (const auto& topic : sim::figure_topics()) n += topic.figures.size();
  REQUIRE(rows.size() == n);
  const auto row = [&](const std::string& key) {
    return *std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r["key"] == key; });
  };
  const auto largest = row("pcc_max_MW"), smallest = row("pcc_min_MW"), own = row("n_checkpoints");
  CHECK(largest["unit"] == "MW");
  CHECK(largest["headline"] == 5);
  CHECK(largest["interval"] == nlohmann::json({"fleet", "instant", "inputs", "weather"}));
  CHECK(row("pue")["interval"].back() == "model");
  CHECK(smallest["headline"].is_null());
  CHECK(smallest["interval"].empty());
  CHECK(smallest["meaning"] == row("pcc_mean_MW")["meaning"]);  // one phrase says what both are
  CHECK(smallest["scope"] == "site");
  CHECK(own["scope"] == "job");
  CHECK(row("mfu_percent")["scope"] == "both");
}

TEST_CASE("the tables have each key once, headlines in bold, bars escaped, and say when there is none") {
  const auto page = io::figure_table_markdown();
  const auto [jobs, site] = std::pair(page.substr(0, page.find("\n\n")), page.substr(page.find("\n\n")));
  CHECK_THAT(jobs, Catch::Contains("| `n_checkpoints`, `n_nodes_replaced` |  | checkpoints written;"));
  CHECK_THAT(jobs, Catch::Contains("`mfu_percent`") && Catch::Contains("as below, of this job"));
  CHECK_THAT(site, Catch::Contains("| **`pcc_mean_MW`**, **`pcc_max_MW`**, `pcc_min_MW` | MW |"));
  CHECK_THAT(site, Catch::Contains("\\|P(t + 1 s) − P(t)\\|"));
  CHECK_THAT(site, Catch::Contains("worst two hours. `null`: no such interval was complete |"));
  CHECK_THAT(site, !Catch::Contains("n_checkpoints"));
}

TEST_CASE("text has a line per figure") {
  const auto text = io::figure_table_text();
  CHECK_THAT(text, Catch::Contains("\nPower at the connection\n"));
  CHECK_THAT(text, Catch::Contains("  pcc_max_MW                       MW        largest power; headline 5\n"));
  CHECK_THAT(text, Catch::Contains("GPUs; also of each job\n"));
}
