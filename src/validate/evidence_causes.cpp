#include "evidence_causes.hpp"

#include <fmt/format.h>

#include <array>

namespace TIDEWATT_NAMESPACE::validate {
namespace {

// Written after the first computation, which changed nothing else: what the misses share with what the model leaves out.
constexpr std::string_view a100_software =
    "the A100's efficiency is that of Megatron-LM in 2021 (W1), at the clock that 400 W leave: software of 2023 gets "
    "10 "
    "to 17 % more out of a cycle";
constexpr std::string_view h100_bf16 =
    "as most large H100 rows in bf16, 3 to 12 % slow: the clock that the limit leaves, or the efficiency";
constexpr std::string_view fp8_dense =
    "as most dense fp8 rows of 2024, 6 to 14 % fast: 405B, which sets the efficiency, has wider layers and "
    "fewer casts";
constexpr std::string_view whole_run =
    "the plan is not published, and hours of a whole run hold evaluations, restarts and stages of other lengths";
constexpr std::string_view eager =
    "gaps of the host between kernels that are not fused, which a pipeline in two-by-four shows more than one GPU";
constexpr std::string_view deepspeed =
    "its configuration partitions activations and waits after every layer, which is not modelled";
constexpr std::string_view llama_2023 =
    "the rule for plans that are not published: one sequence of 2,048 tokens per GPU hides too little of the exchange";
constexpr std::string_view whole_step =
    "an efficiency that a whole training step reaches: it holds what a step loses beside its products, which a product "
    "alone does not";
constexpr std::string_view sustained =
    "the clock that the limit leaves to a product: the efficiency is of runs that end before a limiter acts";
constexpr std::string_view searched =
    "the clock: the search runs 150 products of each shape, and the rule has them at the clock that the limit leaves";
constexpr std::string_view experts =
    "grouped products and the exchange among experts, whose ratio comes from one run of finer experts on another "
    "device";
constexpr std::string_view older_attention =
    "attention of early 2024: the entry's comes from kernels published half a year later";
constexpr std::string_view in_switch =
    "sums inside the switches (NVLS), which the source names: a ring cannot pass 0.8 of the links";
constexpr std::string_view eight_bit_cache =
    "caches in 8 bits and an engine built for the largest length, which the tables do not say; requests that begin "
    "together";
constexpr std::string_view failures = "rates of one fleet and job size do not hold for others within 15 %";

struct Cause {
  std::string_view prefix, likely;
};
constexpr std::array causes = {
    Cause{"E1/mpt-70b-a100", a100_software},
    Cause{"E1/mpt-30b-a100", a100_software},
    Cause{"E1/mpt-13b-a100", a100_software},
    Cause{"E1/ibm-34b-a100", a100_software},
    Cause{"E1/ibm-70b-a100", a100_software},
    Cause{"E1/titan-l2-70b-a100", a100_software},
    Cause{"E1/gpt2-774m-a100", a100_software},
    Cause{"E1/nemotron-15b", "the host gap, which one row (W16) sets for all plans: 0.16 s of a step of 0.77 s"},
    Cause{"E1/mpt-7b-h100", "the host of one node and weights that are gathered before they are needed, as R6/8b-bf16"},
    Cause{"E1/mpt-3b-h100-fp8",
          "casts and scales of a small model, which weigh more than in 405B, which sets the efficiency"},
    Cause{"E1/nemo-gpt3-5b", fp8_dense},
    Cause{"E1/nemo-llama2-13b", fp8_dense},
    Cause{"E1/nemo-llama2-70b", fp8_dense},
    Cause{"E1/dgxc-175b-512-fp8", fp8_dense},
    Cause{"E1/nemo-llama2-7b-lora", "frozen weights in fp8 need no cast, and the efficiency is that of full training"},
    Cause{"E1/ibm-7b-h100", "something of that run alone, as its host: 34B and 70B of the same table are within 4 %"},
    Cause{"E1/nemo-b200-8x", experts},
    Cause{"E1/nemo-gb200-8x", experts},
    Cause{"E1/dgxc-405b-gb200",
          "the efficiency in bf16, which is an H100's under its limit; GB200's clock in a lasting product is recalled"},
    Cause{"E1/nemo-gb200-405b", "software of another release than that of the row that sets the efficiency"},
    Cause{"E1/nemo-long-h100", older_attention},
    Cause{"E1/gke-175b-h100", "dropout and a cloud's links, whose 200 Gb/s cards are reached through the host's stack"},
    Cause{"E1/gke-70b-h100-fp8", fp8_dense},
    Cause{"E2/rest-mi355x", "leakage and board of MI355X, which nothing published sets"},
    Cause{"E2/context-h100",
          "clocks and memory held by a process of 71 GiB: contexts in the list of anchors hold less"},
    Cause{"E7/context-slope", "leakage that a context without work leaves switched off; the entry leaves all of it on"},
    Cause{"E7/wait", "the level, which is that of a host that holds a training step: here 24 threads poll"},
    Cause{"E7/fp8-clock", "watts of fp8 products: at one clock they switch a tenth more than those of bf16"},
    Cause{"E7/duty", "the meter, which reads 25 of each 100 ms: 20 ms divide them, so its watts hang on the phase"},
    Cause{"E7/wave", "the limiter's first 100 ms, in which the chip draws 941 W and the governor already slows it"},
    Cause{"E6/gemm", sustained},
    Cause{"E6/gemm-a100", whole_step},
    Cause{"E6/fastest", searched},
    Cause{"E6/fastest-a100", whole_step},
    Cause{"E6/fastest-mi", whole_step},
    Cause{"E6/reduce-h100-8G", in_switch},
    Cause{"E6/reduce-h200-8G", in_switch},
    Cause{"E6/reduce-a100-16M", "time per hop of a ring of eight, half of what that machine needs"},
    Cause{"E3/gb200", eight_bit_cache},
    Cause{"E3/nim-70b-100", "caches, whose format is not published: in 16 bits 52 requests fit"},
    Cause{"E1/dgxc-15b-64", h100_bf16},
    Cause{"E1/dgxc-340b-128", h100_bf16},
    Cause{"E1/automodel-8b-lora", "kernels that the framework may fuse, which its table does not say"},
    Cause{"E1/automodel-70b-lora", eager},
    Cause{"E1/automodel-32b-lora", "the host's gap, which comes from 11,616 GPUs, in a step of eight"},
    Cause{"E1/gpt2-1558m-h100",
          "the host's gap: a single C program leaves its host less to do than the run it is from"},
    Cause{"E1/automodel-dsv3",
          "dispatch to experts by a library that hides a part of it, and which layers are checkpointed"},
    Cause{"E1/mtnlg-",
          "the exchange: BLOOM's rows of the same software are within 7 %, this miss grows with the number of GPUs"},
    Cause{"E1/llama-", llama_2023},
    Cause{"E1/llama2-", whole_run},
    Cause{"E1/llama31-", whole_run},
    Cause{"E1/mpt-7b", whole_run},
    Cause{"E1/smollm3-3b", whole_run},
    Cause{"E1/starcoder-15b", whole_run},
    Cause{"E1/deepseek-v3", whole_run},
    Cause{"E1/pythia-", deepspeed},
    Cause{"E1/bloomberg-50b",
          "weights sharded over a cloud's network, which is not published and taken as eight 200 Gb/s links"},
    Cause{"E1/eos-175b-10752",
          "software half a year older than the run whose gap is taken, and waits among 10,752 GPUs"},
    Cause{"E1/smc-lora-64", "a gap of the host in a step under a second, which is not published"},
    Cause{"E2/node-lora-64", "waits of E1/smc-lora-64, which the plan does not have"},
    Cause{"E2/joule-olmo2-7b", whole_run},
    Cause{"E3/watts-70b-",
          "waits between the steps of four GPUs: the host's time per step and the lengths are not published"},
    Cause{"E3/trt-70b-128-2048",
          "the caches of 240 full answers leave no memory, so fewer of them may have been decoded at once"},
    Cause{"E4/", failures},
    Cause{"E4/ft-hsdp-lost", "the rate: that fleet fails every 18 minutes, at the rates of 2024 every 30"},
    Cause{"E4/byterobust-lost", "rates and times of detection of another fleet of the operator, two years older"},
    Cause{"E4/slow-gpu", "more than the clock of that GPU: the model slows its arithmetic alone"},
    Cause{"E5/range-mi300x", "the spread of MI300X's chips and of their cooling, both of which are assumed"},
    Cause{"E5/nodes-512",
          "hosts, supplies and meters, which differ in the log and are equal here; under one limit GPUs draw alike"}};

}  // namespace

std::string_view likely_cause(std::string_view id) {
  const Cause* longest = nullptr;
  for (const Cause& c : causes)
    if (id.starts_with(c.prefix) && (longest == nullptr || c.prefix.size() > longest->prefix.size())) longest = &c;
  return longest == nullptr ? std::string_view{} : longest->likely;
}

Row judged(const EvidenceRow& row, std::string what, std::string unit, double got) {
  Row out =
      against(row.id, std::move(what), std::move(unit), row.expected, got, row.tolerance_frac, row.source, row.where);
  if (const auto cause = likely_cause(row.id); out.verdict == Verdict::fail && !cause.empty())
    out.note = fmt::format("likely {}; {}", cause, row.where);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
