// Racks in a run: domains apart from trays, spares in the rack, what fails, and the rack's liquid.
#include "sim/scenario_rack.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

using Sets = std::vector<std::string>;

Sets with(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Four racks of GB200; 64 of the 72 GPUs of each at work.
const Sets racks = {"hall.a.gpu=gb200_1200W",
                    "hall.a.server=gb200_tray",
                    "hall.a.plant=cdu_dry_cooler",
                    "hall.a.rack=gb200_nvl72",
                    "hall.a.n_gpu=288",
                    "hall.a.servers_per_rack=18",
                    "hall.a.racks_per_row=4",
                    "site.feeder=hall_480V_liquid_rack",
                    "job.main.network=gb200_nvl72",
                    "job.main.placement.spare_nodes_per_rack=2",
                    "job.main.plan.n_gpu=256",
                    "job.main.plan.tp=4",
                    "job.main.plan.pp=2",
                    "job.main.plan.rank_order=tp-cp-dp-pp",
                    "job.main.plan.global_batch_sequences=256",
                    "run.macro_step_s=10"};

std::string filter(std::int64_t rack, double out_frac) {
  return "\n[[event]]\nname = \"filter\"\nkind = \"filter_blocked\"\nhall = \"a\"\nrack = " + std::to_string(rack) +
         "\nat_s = 60\nout_frac = " + std::to_string(out_frac) + "\n";
}

/// Mean die temperature of each rack at the warmest step.
std::vector<double> rack_die_K(const Result& r, std::size_t n_rack) {
  const auto& die_K = reals(r, "/fleet/die_K");
  std::vector<double> number;
  for (const auto& a : r.arrays)
    if (a.path == "/fleet/rack")
      for (const auto x : std::get<std::vector<std::int64_t>>(a.values)) number.push_back(static_cast<double>(x));
  std::vector<double> sum(n_rack, 0.0), n(n_rack, 0.0);
  for (std::size_t g = 0; g < die_K.size(); ++g) {
    sum[static_cast<std::size_t>(number[g])] += die_K[g];
    n[static_cast<std::size_t>(number[g])] += 1.0;
  }
  for (std::size_t i = 0; i < n_rack; ++i) sum[i] /= n[i];
  return sum;
}

std::string refused(const Sets& sets) {
  try {
    tiny("", sets);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("64 of 72: ranks use domains of 64, trays are what fails, and the domain has its switch trays", "[racks]") {
  const auto s = tiny("", racks);
  const auto& job = s.jobs.front();
  CHECK(job.network.domain_gpus() == 72);
  CHECK(network_of(s, job).domain_gpus() == 64);
  const auto d = domain_layout(s, job);
  CHECK(d.n_domain == 4);
  CHECK(d.nodes_needed == 16);
  CHECK(d.spare_nodes == 2);
  CHECK(d.n_switch_tray == 9);
  const auto one_node = tiny();
  CHECK(domain_layout(one_node, one_node.jobs.front()).n_domain == 0);
  CHECK(network_of(one_node, one_node.jobs.front()).domain_gpus() == one_node.jobs.front().network.domain_gpus());
}

TEST_CASE("spare trays wait without work: they draw what idle trays draw", "[racks]") {
  const auto r = run(tiny("", racks));
  const auto whole = run(tiny("", with(racks, {"hall.a.n_gpu=288", "job.main.placement.spare_nodes_per_rack=0"})));
  // Without spares the same 256 GPUs fill three racks and a part of the fourth: the same number works.
  CHECK(figure(r, "it_mean_MW") == Approx(figure(whole, "it_mean_MW")).epsilon(0.01));
  CHECK(figure(r, "energy_closure") < 1e-12);
}

TEST_CASE("groups of ranks that lie across two racks are named, and 64 of 72 ends that", "[racks]") {
  const auto noted = [&](const Sets& more) {
    const auto s = tiny("", with(racks, more));
    return std::any_of(s.notes.begin(), s.notes.end(), [](const std::string& n) { return holds(n, "lie across two"); });
  };
  const Sets tensor = {"job.main.plan.tp=16", "job.main.model=llama3_70b"};
  CHECK(!noted(tensor));
  CHECK(noted(with(tensor, {"job.main.placement.spare_nodes_per_rack=0", "hall.a.n_gpu=576"})));
  CHECK(!noted(with(tensor, {"job.main.placement.spare_nodes_per_rack=0", "hall.a.n_gpu=576", "job.main.plan.tp=8"})));
}

TEST_CASE("interruptions are counted by what failed; without switch trays none of theirs comes", "[racks]") {
  const Sets often = {"run.duration_h=1", "job.main.life.spare_racks=0", "job.main.life.checkpoint_interval_s=60"};
  const Sets failures = {"job.main.failures.causes=[\"tray\"]",
                         "job.main.failures.rate_per_node_day=[0.5]",
                         "job.main.failures.repair_h=[0.001]",
                         "job.main.failures.switch_tray_causes=[\"switch\"]",
                         "job.main.failures.switch_tray_rate_per_day=[2.0]",
                         "job.main.failures.switch_tray_repair_h=[0.1]",
                         "job.main.failures.rack_causes=[\"rack\"]",
                         "job.main.failures.rack_rate_per_day=[8.0]",
                         "job.main.failures.rack_repair_h=[0.05]"};
  const auto r = run(tiny("", with(with(racks, often), failures)));
  const double trays = figure(r, "n_interruptions_tray"), switches = figure(r, "n_interruptions_switch_tray"),
               whole = figure(r, "n_interruptions_rack");
  INFO(trays << " trays, " << switches << " switch trays, " << whole << " racks");
  CHECK(trays + switches + whole == figure(r, "n_interruptions_unexpected"));
  CHECK(trays > 0);
  CHECK(switches > 0);
  CHECK(whole > 0);
  CHECK(figure(r, "energy_closure") < 1e-12);
  auto quiet = failures;
  quiet[4] = "job.main.failures.switch_tray_rate_per_day=[0.0]";
  const auto without = run(tiny("", with(with(racks, often), quiet)));
  CHECK(figure(without, "n_interruptions_switch_tray") == 0);
  CHECK(figure(without, "n_interruptions_tray") == trays);  // no draw moves another
  CHECK(figure(without, "effective_time_percent") > figure(r, "effective_time_percent"));
  CHECK(std::isnan(figure(run(tiny()), "n_interruptions_tray")));
}

TEST_CASE("a blocked filter heats its own rack and no other; a lost pump heats all", "[racks]") {
  const Sets quarter = {"run.duration_h=0.25"};
  const auto usual = rack_die_K(run(tiny("", with(racks, quarter))), 4);
  const auto blocked_run = run(tiny(filter(2, 0.6), with(racks, quarter)));
  const auto blocked = rack_die_K(blocked_run, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    INFO("rack " << i << ": " << blocked[i] - usual[i] << " K");
    if (i == 2)
      CHECK(blocked[i] > usual[i] + 5.0);
    else
      CHECK(std::abs(blocked[i] - usual[i]) < 1.5);
  }
  CHECK(figure(blocked_run, "energy_closure") < 1e-12);
  const auto pumps = rack_die_K(
      run(tiny("\n[[event]]\nname = \"pumps\"\nkind = \"cdu_out\"\nhall = \"a\"\nat_s = 60\nout_frac = 0.6\n",
               with(racks, quarter))),
      4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(pumps[i] > usual[i] + 3.0);
}

TEST_CASE("too little flow for a rack's heat is found before the run, and a lower cap or colder liquid ends it",
          "[racks]") {
  const Sets thin = {"hall.a.rack.catalog=gb200_nvl72", "hall.a.rack.liquid.flow_L_per_min=60"};
  auto own = racks;
  own.erase(std::find(own.begin(), own.end(), "hall.a.rack=gb200_nvl72"));
  const std::string said = refused(with(own, thin));
  CHECK(holds(said, "hall.a.rack.liquid.flow_L_per_min"));
  CHECK(holds(said, "60 l/min are too little"));
  CHECK(refused(with(own, with(thin, {"hall.a.cap_W=600"}))) == "accepted");
  CHECK(refused(with(own, {"hall.a.rack.catalog=gb200_nvl72", "hall.a.rack.liquid.flow_L_per_min=130"})) == "accepted");
  CHECK(holds(refused(with(own, {"hall.a.rack.catalog=gb200_nvl72", "hall.a.rack.liquid.supply_max_degC=30"})),
              "supplies liquid of 36.0 degC"));
}

TEST_CASE("what a rack, its trays and its spares cannot be is refused with the reason", "[racks]") {
  CHECK(holds(refused(with(racks, {"hall.a.servers_per_rack=16"})), "a cabinet of rack gb200_nvl72 holds 18 trays"));
  CHECK(holds(refused(with(racks, {"hall.a.rack=gb300_nvl72"})), "with a limit of 1400 W"));
  CHECK(holds(refused(with(racks, {"job.main.life.spare_nodes=3"})), "loose servers cannot replace"));
  CHECK(holds(refused(with(racks, {"job.main.placement.spare_nodes_per_rack=18"})), "none is left"));
  CHECK(holds(refused({"job.main.life.spare_racks=1"}), "the scale-up domain is one server"));
  CHECK(holds(refused({"job.main.failures=gb200_nvl72"}), "only where a scale-up domain has several servers"));
  auto unnamed = racks;
  unnamed.erase(std::find(unnamed.begin(), unnamed.end(), "hall.a.rack=gb200_nvl72"));
  CHECK(holds(refused(with(unnamed, {"job.main.failures=gb200_nvl72"})), "name one in hall.rack"));
}

TEST_CASE("a module's limit leaves its GPUs what the CPU does not draw: the run is that with a cap of their share") {
  const auto module = tiny("", with(racks, {"hall.a.module_limit_W=2500"})),
             cap = tiny("", with(racks, {"hall.a.cap_W=1100"}));  // (2,500 - 300) / 2
  CHECK(gpu_limit_W(module.halls[0]) == 1100.0);
  // Nobody may raise the cap above it, neither the scenario nor a controller outside.
  CHECK(gpu_cap_max_W(module.halls[0]) == 1100.0);
  auto higher = module.halls[0];
  higher.hall.cap_W = 1150.0;
  CHECK(gpu_limit_W(higher) == 1100.0);
  Engine engine(module, {1, {}});
  for (const auto& port : engine.ports())
    if (port.name == "hall.a.cap_W") CHECK(port.high == 1100.0);
  CHECK(std::get<double>(engine.read("hall.a.cap_W")) == 1100.0);
  const auto a = run(module), b = run(cap), free = run(tiny("", racks));
  CHECK(figure(a, "tokens_per_s_mean") == figure(b, "tokens_per_s_mean"));
  CHECK(figure(a, "pcc_mean_MW") == figure(b, "pcc_mean_MW"));
  CHECK(figure(a, "tokens_per_s_mean") < figure(free, "tokens_per_s_mean"));
  const auto notes = module.notes;
  CHECK(std::any_of(notes.begin(), notes.end(), [](const auto& n) { return holds(n, "leaves each GPU 1100"); }));
}

TEST_CASE(
    "a note says where a module's limit does not act; a limit that no GPU can keep, or without a rack, is refused") {
  const auto idle = tiny("", with(racks, {"hall.a.module_limit_W=2700"}));
  CHECK(std::any_of(idle.notes.begin(), idle.notes.end(), [](const auto& n) { return holds(n, "does not act"); }));
  CHECK(holds(refused(with(racks, {"hall.a.module_limit_W=600"})), "module_limit_W"));
  CHECK(holds(refused({"hall.a.module_limit_W=2500"}), "name it in hall.rack"));
  CHECK(holds(refused({"hall.a.switch_profile=reduced_bandwidth"}), "name it in hall.rack"));
}

TEST_CASE("half of the links: switch trays save what the entry says, exchanges inside the domain take longer") {
  const auto all = tiny("", racks), half = tiny("", with(racks, {"hall.a.switch_profile=reduced_bandwidth"}));
  const auto& rack = half.halls[0].rack->power;
  const double saved_W = (1.0 - rack.switch_reduced_ratio) * rack.switch_tray_W * 9.0 / 18.0;
  CHECK(saved_W > 0.0);
  CHECK(all.halls[0].server.host_W - half.halls[0].server.host_W == Approx(saved_W));
  CHECK(network_of(half, half.jobs[0]).nvlink_B_per_s == 0.5 * network_of(all, all.jobs[0]).nvlink_B_per_s);
  const auto a = run(all), b = run(half);
  CHECK(figure(b, "iteration_s") > 1.001 * figure(a, "iteration_s"));
  CHECK(figure(b, "tokens_per_s_mean") < figure(a, "tokens_per_s_mean"));
}
