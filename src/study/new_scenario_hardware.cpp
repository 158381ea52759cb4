#include "new_scenario_hardware.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/node_number.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/catalog/fits.hpp"
#include "tidewatt/catalog/rack.hpp"
#include "tidewatt/power/server.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "workload/choose_plan.hpp"
#include "workload/memory.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr std::int64_t least_gpus = 128, most_gpus = 32768;
constexpr double exchanger_approach_K = 4.5;        ///< liquid over facility water [S], as the racks' cdu_approach_K
constexpr std::int64_t most_in_plan = 100'000'000;  ///< the range of a plan's n_gpu
constexpr std::int64_t most_racks = 100'000;
constexpr double GiB = 1073741824.0;

std::string text_at(const Node& n, const std::string& key) {
  const Node* v = n.find(key);
  return v != nullptr && v->is_text() ? std::get<std::string>(v->value) : std::string();
}

template <class Params>
Params read(const Node& node, const std::string& what) {
  std::vector<Finding> findings;
  Params p;
  TableReader r(node, what, findings);
  p.fields(r);
  r.finish();
  if (!findings.empty()) throw InputError(std::move(findings));
  return p;
}

double degC_at(const Node& values, const std::string& key) {
  const Node* v = values.find(key);
  return v == nullptr ? 0.0 : number_in(*v).value_or(0.0);
}

/// Set points of a plant that supplies liquid (air, where it has no loop) of `degC`. Warmer liquid lets facility water and air be as
/// much warmer, so that chillers run less. Colder liquid needs facility water that is colder by the approach of the exchanger; air
/// and water stay where the entry's water is as cold.
/// @throws InputError for a plant without set points
std::map<std::string, double> supply_set_points(const catalog::Catalog& catalog, const std::string& plant,
                                                double degC) {
  const Node entry = catalog.values("plant", plant);
  const std::string type = text_at(entry, "type");
  std::map<std::string, double> out;
  if (type == "hydronic") {
    const bool liquid = degC_at(entry, "liquid_frac") > 0.0;
    const double loop = degC_at(entry, "loop_set_degC"), water = degC_at(entry, "facility_set_degC"),
                 air = degC_at(entry, "air_set_degC"), rise = degC - (liquid ? loop : air);
    const double moved = rise > 0.0 || !liquid ? rise : std::min(0.0, degC - exchanger_approach_K - water);
    out["facility_set_degC"] = water + moved;
    out["air_set_degC"] = liquid ? air + std::max(0.0, moved) : degC;
    if (liquid) out["loop_set_degC"] = degC;
  } else if (type == "outside_air") {
    const double low = degC_at(entry, "supply_low_degC"), high = degC_at(entry, "supply_high_degC");
    out["supply_high_degC"] = degC;
    out["supply_low_degC"] = low + degC - high;
  } else {
    throw InputError(fmt::format("supply_degC: plant {} has no set points", plant));
  }
  return out;
}

class Chooser {
 public:
  explicit Chooser(const NewScenario& options) : o_(options), defaults_(catalog_.values("defaults", "scenario")) {}

  Hardware choose() {
    check_names();
    h_.gpu = o_.gpu;
    h_.server = o_.server;
    h_.network = o_.network;
    if (!o_.rack.empty()) open_rack();
    if (h_.gpu.empty() && h_.server.empty()) h_.gpu = "h100_sxm_700W";
    if (h_.server.empty()) pick(h_.server, "server", "server_for", h_.gpu, "takes this GPU");
    if (h_.gpu.empty()) pick(h_.gpu, "gpu", "gpu_for", h_.server, "is the GPU of this server");
    h_.plant = o_.plant;
    const bool liquid = catalog_.values("server", h_.server).find("liquid") != nullptr;
    if (h_.plant.empty())
      pick(h_.plant, "plant", "plant_for", liquid ? "liquid" : "air",
           liquid ? "the server has cold plates" : "the server is cooled by air");
    h_.feeder = o_.feeder;
    if (h_.feeder.empty()) h_.feeder = text_at(*defaults_.find("site"), "feeder");
    if (h_.network.empty()) pick(h_.network, "network", "network_for", h_.server, "joins these servers");
    complete();
    if (o_.supply_degC) h_.plant_set_degC = supply_set_points(catalog_, h_.plant, *o_.supply_degC);
    h_.life = read<workload::JobParams>(catalog_.values("job", text_at(defaults_, "life")), "job life");
    choose_count();
    return std::move(h_);
  }

 private:
  /// @throws InputError with every name that no entry has, and what contradicts in numbers
  void check_names() {
    std::vector<Finding> wrong;
    const std::pair<const char*, const std::string*> names[] = {
        {"rack", &o_.rack},       {"gpu", &o_.gpu},         {"server", &o_.server},
        {"plant", &o_.plant},     {"climate", &o_.climate}, {"model", &o_.model},
        {"network", &o_.network}, {"feeder", &o_.feeder},   {"grid", &o_.grid}};
    for (const auto& [kind, name] : names) {
      if (name->empty()) continue;
      try {
        catalog_.values(kind, *name);
      } catch (const InputError& e) {
        wrong.insert(wrong.end(), e.findings().begin(), e.findings().end());
      }
    }
    const auto require = [&](bool ok, const char* key, std::string message) {
      if (!ok) wrong.push_back({{}, key, std::move(message)});
    };
    const auto within = [&](const std::optional<std::int64_t>& n, const char* key, std::int64_t most) {
      require(
          !n || (*n >= 1 && *n <= most), key,
          fmt::format("{} is outside 1 to {}; without a number, the least that hold the model", n.value_or(0), most));
    };
    within(o_.n_gpu, "n_gpu", most_in_plan);
    within(o_.n_rack, "racks", most_racks);
    require(!o_.n_gpu || !o_.n_rack, "racks", "give the size once: as racks, or as n_gpu");
    if (!wrong.empty()) throw InputError(std::move(wrong));
  }

  /// What the rack brings, where the options do not name it.
  void open_rack() {
    rack_ = catalog::read_rack(catalog_, o_.rack);
    const auto bring = [](std::string& name, const std::string& own) {
      if (name.empty()) name = own;
    };
    bring(h_.gpu, rack_->gpu);
    bring(h_.server, rack_->server);
    bring(h_.network, rack_->network);
    h_.rack = rack_->name;
    const auto& p = rack_->power;
    h_.servers_per_rack = p.n_compute_tray / p.n_cabinet;
    h_.choices.push_back(fmt::format("rack {}: {} trays of {} GPUs in {}, gpu {}, server {}, network {}", rack_->name,
                                     p.n_compute_tray, p.gpus_per_tray,
                                     p.n_cabinet == 1 ? "one cabinet" : fmt::format("{} cabinets", p.n_cabinet),
                                     rack_->gpu, rack_->server, rack_->network));
    h_.rack_storage = p.storage_J > 0.0;
    if (h_.rack_storage)
      h_.choices.push_back(fmt::format("rack storage: the {:g} J per GPU of the rack's power shelves", p.storage_J));
  }

  /// Number format of the linear layers: the one that runs of this GPU are published with, if any; else bf16.
  std::string precision(const workload::ModelShape& shape) const {
    const Node* formats = defaults_.find(shape.experts > 0 ? "expert_precision_for" : "precision_for");
    const std::string format = formats != nullptr ? text_at(*formats, h_.gpu) : "";
    return format.empty() ? "bf16" : format;
  }

  /// GPUs that were asked for; nothing: as many as needed.
  std::optional<std::int64_t> asked(std::int64_t server_gpus) const {
    if (!o_.n_rack) return o_.n_gpu;
    return *o_.n_rack * (rack_ ? rack_->power.n_gpu() : server_gpus * sim::HallParams{}.servers_per_rack);
  }

  /// A plant and a feeder that take the rack or the servers, where the options do not name them.
  /// @throws InputError with every misfit
  void complete() {
    const std::string rack = rack_ ? rack_->name : "";
    const auto findings = [&](const std::string& plant, const std::string& feeder) {
      return catalog::misfits(catalog_, {h_.gpu, h_.server, rack, h_.network, plant, feeder});
    };
    const auto replace = [&](std::string& name, const char* kind) {
      for (const auto& [of_kind, other] : catalog_.list()) {
        const bool plant = of_kind == "plant";
        if (of_kind != kind || !findings(plant ? other : "", plant ? "" : other).empty()) continue;
        name = other;
        h_.choices.push_back(fmt::format("{} {}: takes {}", kind, name, rack_ ? "this rack" : "these servers"));
        return;
      }
    };
    if (o_.plant.empty() && !findings(h_.plant, "").empty()) replace(h_.plant, "plant");
    if (o_.feeder.empty() && !findings("", h_.feeder).empty()) replace(h_.feeder, "feeder");
    if (auto wrong = findings(h_.plant, h_.feeder); !wrong.empty()) throw InputError(std::move(wrong));
  }

  void pick(std::string& name, const char* kind, const char* table, const std::string& of, const char* why) {
    const Node* names = defaults_.find(table);
    name = names != nullptr ? text_at(*names, of) : "";
    if (name.empty()) {
      catalog_.values(std::string(kind) == "server" ? "gpu" : "server",
                      of);  // report an unknown name first
      throw InputError(fmt::format("no {} is known to fit '{}': name one with --{}", kind, of, kind));
    }
    h_.choices.push_back(fmt::format("{} {}: {}", kind, name, why));
  }

  void choose_count() {
    const auto shape = read<workload::ModelShape>(catalog_.values("model", o_.model), "model " + o_.model);
    const std::string compute_name = text_at(catalog_.values("gpu", h_.gpu), "compute");
    if (compute_name.empty())
      throw InputError(fmt::format("gpu '{}' has no matrix rates (key compute): it cannot train", h_.gpu));
    const auto compute =
        read<workload::ComputeParams>(catalog_.values("compute", compute_name), "compute " + compute_name);
    const auto network = read<workload::NetworkParams>(catalog_.values("network", h_.network), "network " + h_.network);
    const auto server =
        read<power::ServerPowerParams>(*catalog_.values("server", h_.server).find("power"), "server " + h_.server);
    const std::int64_t unit = rack_ ? rack_->power.n_gpu() : server.n_gpu;
    const auto wanted = asked(server.n_gpu);
    workload::PlanRequest request{wanted.value_or(0), server.n_gpu};
    request.precision = precision(shape);
    if (shape.learned_positions > 0) request.sequence_tokens = shape.learned_positions;
    const auto plan_for = [&](std::int64_t n_gpu) {
      request.n_gpu = n_gpu;
      return n_gpu % unit == 0 ? workload::choose_plan(shape, compute, network, request) : std::nullopt;
    };
    auto plan = wanted ? plan_for(*wanted) : std::nullopt;
    std::int64_t least = rack_ ? unit : least_gpus;
    if (!plan)
      for (; least <= most_gpus && !(plan = plan_for(least)); least *= 2) {
      }
    if (!plan)
      throw InputError(fmt::format("no plan of up to {} GPUs of type {} holds {}", most_gpus, h_.gpu, o_.model));
    if (wanted && plan->n_gpu != *wanted)
      throw InputError(*wanted % unit != 0
                           ? fmt::format("{} GPUs are not a whole number of {} of {}", *wanted,
                                         rack_ ? "scale-up domains" : "servers", unit)
                           : fmt::format("no plan of {} GPUs holds {}; {} do", *wanted, o_.model, plan->n_gpu));
    h_.n_gpu = plan->n_gpu;
    h_.plan = *plan;
    say_plan(shape, compute);
  }

  void say_plan(const workload::ModelShape& shape, const workload::ComputeParams& compute) {
    const auto& p = h_.plan;
    const double need_B =
        workload::memory_use(shape, p, workload::fullest_stage(shape, p)).total_B() + compute.hbm_reserved_B;
    if (!o_.n_gpu && !o_.n_rack)
      h_.choices.push_back(fmt::format("{} GPUs: the least of {} that hold {}", h_.n_gpu,
                                       rack_ ? "1, 2, 4, … scale-up domains" : "128, 256, 512, …", o_.model));
    h_.choices.push_back(fmt::format(
        "plan tp {}, pp {}, ep {}, dp {}, {}: the fastest that fits; the fullest GPU needs {:.1f} of {:.1f} GiB", p.tp,
        p.pp, p.ep, p.dp(), p.precision, need_B / GiB, compute.hbm_capacity_B / GiB));
    h_.choices.emplace_back(p.recompute == "none" ? "recomputation none: activations fit the memory"
                                                  : "recomputation full: activations do not fit the memory otherwise");
    h_.choices.push_back(fmt::format("batch {} sequences of {} tokens per replica: {} per pipeline stage",
                                     p.global_batch_sequences / p.dp(), p.sequence_tokens, p.micro_batches() / p.pp));
  }

  const NewScenario& o_;
  catalog::Catalog catalog_;
  Node defaults_;
  std::optional<catalog::RackEntry> rack_;
  Hardware h_;
};

}  // namespace

Hardware choose_hardware(const NewScenario& options) { return Chooser(options).choose(); }

}  // namespace TIDEWATT_NAMESPACE::study
