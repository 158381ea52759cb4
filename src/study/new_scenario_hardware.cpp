#include "new_scenario_hardware.hpp"

#include <fmt/format.h>

#include <optional>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/catalog/fits.hpp"
#include "tidewatt/catalog/rack.hpp"
#include "tidewatt/power/server.hpp"
#include "workload/choose_plan.hpp"
#include "workload/memory.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr std::int64_t least_gpus = 128, most_gpus = 32768;
constexpr std::int64_t most_in_plan = 100'000'000;  // the range of a plan's n_gpu
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

class Chooser {
 public:
  explicit Chooser(const NewScenario& options) : o_(options), defaults_(catalog_.values("defaults", "scenario")) {}

  Hardware choose() {
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
    choose_count();
    return std::move(h_);
  }

 private:
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
    workload::PlanRequest request{0, server.n_gpu};
    if (shape.learned_positions > 0) request.sequence_tokens = shape.learned_positions;
    const auto plan_for = [&](std::int64_t n_gpu) {
      request.n_gpu = n_gpu;
      return n_gpu % unit == 0 ? workload::choose_plan(shape, compute, network, request) : std::nullopt;
    };
    if (o_.n_gpu && (*o_.n_gpu < 1 || *o_.n_gpu > most_in_plan))
      throw InputError(Finding{{},
                               "n_gpu",
                               fmt::format("{} is outside 1 to {}; without a number, the least that hold the model",
                                           *o_.n_gpu, most_in_plan)});
    auto plan = o_.n_gpu ? plan_for(*o_.n_gpu) : std::nullopt;
    std::int64_t least = rack_ ? unit : least_gpus;
    if (!plan)
      for (; least <= most_gpus && !(plan = plan_for(least)); least *= 2) {
      }
    if (!plan)
      throw InputError(fmt::format("no plan of up to {} GPUs of type {} holds {}", most_gpus, h_.gpu, o_.model));
    if (o_.n_gpu && plan->n_gpu != *o_.n_gpu)
      throw InputError(*o_.n_gpu % unit != 0
                           ? fmt::format("{} GPUs are not a whole number of {} of {}", *o_.n_gpu,
                                         rack_ ? "scale-up domains" : "servers", unit)
                           : fmt::format("no plan of {} GPUs holds {}; {} do", *o_.n_gpu, o_.model, plan->n_gpu));
    h_.n_gpu = plan->n_gpu;
    h_.plan = *plan;
    say_plan(shape, compute);
  }

  void say_plan(const workload::ModelShape& shape, const workload::ComputeParams& compute) {
    const auto& p = h_.plan;
    const double need_B =
        workload::memory_use(shape, p, workload::fullest_stage(shape, p)).total_B() + compute.hbm_reserved_B;
    if (!o_.n_gpu)
      h_.choices.push_back(fmt::format("{} GPUs: the least of {} that hold {}", h_.n_gpu,
                                       rack_ ? "1, 2, 4, … scale-up domains" : "128, 256, 512, …", o_.model));
    h_.choices.push_back(fmt::format(
        "plan tp {}, pp {}, ep {}, dp {}: the smallest groups that fit; the fullest GPU needs {:.1f} of {:.1f} GiB",
        p.tp, p.pp, p.ep, p.dp(), need_B / GiB, compute.hbm_capacity_B / GiB));
    h_.choices.emplace_back(p.recompute == "none" ? "recomputation none: activations fit the memory"
                                                  : "recomputation full: activations do not fit the memory otherwise");
    h_.choices.push_back(fmt::format("batch {} sequences of {} tokens per replica: {} micro-batches per stage",
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
