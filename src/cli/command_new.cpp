#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "io/durable_file.hpp"
#include "study/new_scenario.hpp"
#include "tidewatt/base/error.hpp"

namespace {

struct Arguments {
  std::string file;
  tidewatt::study::NewScenario scenario;
  bool force = false;
};

void make(const Arguments& a) {
  const auto made = tidewatt::study::write_scenario(a.scenario);
  const std::string& text = made.text;
  for (const auto& choice : made.choices) fmt::print(stderr, "{}\n", choice);
  if (a.file == "-") {
    fmt::print("{}", text);
    return;
  }
  std::error_code ec;
  if (!a.force && std::filesystem::exists(a.file, ec))
    throw tidewatt::InputError(fmt::format("{}: is there already; --force replaces it", a.file));
  tidewatt::io::write_durably(a.file, {text.data(), text.size()});
  fmt::print("{}: written and checked. Run it: tidewatt run {}\n", a.file, a.file);
}

}  // namespace

void add_new_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c =
      app.add_subcommand("new", "write a commented, checked scenario that runs as it is, and print the choices made");
  c->add_option("file", a->file, "file to write, or - for standard output")->required();
  c->add_option(
      "--n-gpu,--gpus", a->scenario.n_gpu,
      "number of GPUs (whole servers, or whole scale-up domains of the rack); default: the smallest of 128, 256, "
      "512, … (domains: 1, 2, 4, …) that fits the model");
  c->add_option("--racks", a->scenario.n_rack,
                "number of racks, instead of --n-gpu: whole racks of --rack, or two servers each")
      ->type_name("N");
  c->add_option("--duration-h,--hours", a->scenario.duration_h, "simulated time, h")->capture_default_str();
  c->add_option("--rack", a->scenario.rack,
                "catalog name of a rack: brings GPU, server, network and the servers of a cabinet")
      ->type_name("NAME");
  c->add_option("--gpu", a->scenario.gpu, "catalog name of the GPU; default: h100_sxm_700W, or the server's")
      ->type_name("NAME");
  c->add_option("--server", a->scenario.server, "catalog name of the server; default: one with this GPU")
      ->type_name("NAME");
  c->add_option("--plant", a->scenario.plant,
                "catalog name of the cooling plant; default: one for the server's air or liquid")
      ->type_name("NAME");
  c->add_option(
       "--supply-degC", a->scenario.supply_degC,
       "liquid (air, where the plant has no loop) that the plant supplies, degC; facility water moves with it; "
       "default: the plant's own")
      ->type_name("T");
  c->add_option("--climate", a->scenario.climate, "catalog name of the climate")
      ->type_name("NAME")
      ->capture_default_str();
  c->add_option("--model", a->scenario.model, "catalog name of the model that is trained")
      ->type_name("NAME")
      ->capture_default_str();
  c->add_option("--network", a->scenario.network, "catalog name of the network; default: one that fits the servers")
      ->type_name("NAME");
  c->add_option("--feeder", a->scenario.feeder,
                "catalog name of the transformers and cables; default hall_480V, or one that takes the rack")
      ->type_name("NAME");
  c->add_option("--grid", a->scenario.grid, "catalog name of the grid")->type_name("NAME")->capture_default_str();
  c->add_flag("--force", a->force, "replace an existing file");
  c->callback([a] { make(*a); });
}
