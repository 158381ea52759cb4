#include "validate/row_traits.hpp"

#include "catch.hpp"

using namespace tidewatt::validate;

namespace {

RowTraits of(const char* row, const char* unit) {
  LedgerLine l;
  l.row = row, l.unit = unit;
  return row_traits(l);
}

using Words = std::set<std::string>;

}  // namespace

TEST_CASE("a row's traits are those of the files that declare it") {
  const auto rack = of("R5/dsv3-b200-mx", "s");
  CHECK((rack.area == "training time" && rack.device == "b200" && rack.quantity == "throughput"));
  CHECK((rack.format == "fp8" && rack.shape == "experts" && rack.state == "steps"));
  const auto run = of("E1/llama31-8b", "tokens/s");
  CHECK((run.device == "h100" && run.quantity == "throughput" && run.format == "bf16" && run.shape == "dense"));
  CHECK(run.state == "whole runs");
  CHECK(of("R5/70b-gb300-fp4", "s").format == "nvfp4");
  const auto rest = of("E2/rest-a100-27", "W");
  CHECK((rest.device == "a100" && rest.quantity == "W" && rest.state == "at rest" && rest.format.empty()));
  CHECK(of("E2/node-lora-8", "W").state == "at work");
  CHECK(of("E4/ft-hsdp-stall", "s").quantity == "s");  // seconds of a stop are no throughput
}

TEST_CASE("a run's traits are those of the scenario merged over what it inherits, with its overrides") {
  const std::string
      own = "base = \"row.toml\"\n[[hall]]\nname = \"a\"\ngpu = {catalog = \"gb300_1400W\", power = {tdp_W = 1300}}\n",
      base =
          "\n# ---- base = row.toml\n[[hall]]\nname = \"a\"\ngpu = \"gb200_1200W\"\n[[job]]\nname = \"main\"\n"
          "model = \"llama3_405b\"\n[job.plan]\nprecision = \"mxfp8\"\n";
  const auto run = run_traits(own + base);
  CHECK(run.devices == Words{"gb300"});
  CHECK(run.formats == Words{"fp8"});
  CHECK(run.shapes == Words{"dense"});
  CHECK(run_traits(own + base + "\n# --set job.main.plan.precision=nvfp4").formats == Words{"nvfp4"});
  CHECK(run_traits(own + base + "\n# --set job.main.model=deepseek_v3_like").shapes == Words{"experts"});
  CHECK(run_traits(own + base + "\n# --set job.main.plan.adapter_rank=16").shapes == Words{"adapters"});
}

TEST_CASE("a format that is not written is bf16, and a model of another catalog is of any kind") {
  const auto run =
      run_traits("[[hall]]\nname = \"a\"\ngpu = \"h100_sxm_700W\"\n[[job]]\nname = \"x\"\nmodel = \"mine\"\n");
  CHECK(run.formats == Words{"bf16"});
  CHECK(run.shapes.empty());
  CHECK(run_traits("[[job]]\nname = \"x\"\nmodel = {catalog = \"mine\", experts = 8}\n").shapes == Words{"experts"});
  CHECK(run_traits("").devices.empty());
}

TEST_CASE("two halls and two jobs have both of their traits") {
  const auto run = run_traits(
      "[[hall]]\nname = \"a\"\ngpu = \"h100_sxm_700W\"\n[[hall]]\nname = \"b\"\ngpu = \"b200_sxm_1000W\"\n"
      "[[job]]\nname = \"x\"\nmodel = \"llama3_8b\"\n[[job]]\nname = \"y\"\nmodel = "
      "\"llama3_8b\"\n[job.plan]\nprecision = \"fp8\"\n");
  CHECK(run.devices == Words{"b200", "h100"});
  CHECK(run.formats == Words{"bf16", "fp8"});
}
