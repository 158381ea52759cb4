#include "replay_player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::study::log_replay {
namespace {

constexpr double air_J_per_m3_K = thermal::reference_air_J_per_m3_K;

template <class Params>
void read_into(Params& p, const Node& node, const std::string& path, std::vector<Finding>& findings) {
  TableReader r(node, path, findings);
  p.fields(r);
}

void read_liquid(const catalog::Catalog& catalog, const Node& node, Hardware& h, std::vector<Finding>& findings) {
  auto& liquid = h.liquid.emplace();
  const Node* plate = node.find("plate");
  const std::string name = plate && plate->is_text() ? std::get<std::string>(plate->value) : "gpu_pg25_1lpm";
  read_into(liquid.plate, catalog.values("cold_plate", name), "liquid.plate", findings);
  read_into(liquid.capture, node, "liquid", findings);
}

std::string host_of(const std::string& gpu) {
  const auto colon = gpu.rfind(':');
  return colon == std::string::npos ? std::string() : gpu.substr(0, colon);
}

/// The slot of each GPU: its own number where that is one and free, else the first free one.
void set_slots(Slots& host, std::size_t n_slot) {
  for (const auto& t : host.gpu) {
    const std::string word = t.gpu.substr(t.gpu.rfind(':') + 1);
    std::size_t number = n_slot;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool is_slot = error == std::errc() && end == word.data() + word.size() && number < n_slot &&
                         std::find(host.slot.begin(), host.slot.end(), number) == host.slot.end();
    std::size_t free = 0;
    while (std::find(host.slot.begin(), host.slot.end(), free) != host.slot.end()) ++free;
    host.slot.push_back(is_slot ? number : free);
  }
}

}  // namespace

Hardware hardware_of(const ReplayOptions& o) {
  const catalog::Catalog catalog(o.catalog);
  const Node gpu = catalog.values("gpu", o.gpu), server = catalog.values("server", o.server);
  std::vector<Finding> findings;
  Hardware h;
  const auto table = [&](auto& params, const Node& node, const std::string& entry, const char* key) {
    if (const Node* at = node.find(key))
      read_into(params, *at, key, findings);
    else
      findings.push_back({{}, entry, fmt::format("has no [{}]", key)});
  };
  table(h.package, gpu, o.gpu, "package");
  table(h.gpu, gpu, o.gpu, "power");
  table(h.server, server, o.server, "power");
  table(h.air, server, o.server, "air");
  table(h.spread, gpu, o.gpu, "spread");
  const Node* memory = gpu.find("memory");
  const std::string name = memory && memory->is_text() ? std::get<std::string>(memory->value) : "h100_hbm3";
  read_into(h.memory, catalog.values("memory_branch", name), "memory_branch", findings);
  table(h.governor, gpu, o.gpu, "governor");
  if (const Node* liquid = server.find("liquid")) read_liquid(catalog, *liquid, h, findings);
  if (h.liquid && h.package.convection_exponent_ratio > 0.0)
    findings.push_back({{},
                        "gpu",
                        fmt::format("'{}' has a sink in air, server '{}' has cold plates; choose an entry whose name "
                                    "ends in _liquid",
                                    o.gpu, o.server)});
  if (!findings.empty()) throw InputError(std::move(findings));
  return h;
}

std::vector<Slots> hosts_of(const ReplayOptions& o, std::size_t n_slot, ReplayReport& report) {
  std::vector<Slots> out;
  for (auto& t : read_gpu_telemetry(o.file, drive_by(o.drive) == DriveBy::power)) {
    const auto host = host_of(t.gpu);
    auto at = std::find_if(out.begin(), out.end(), [&](const Slots& s) { return s.host == host; });
    if (at == out.end()) out.push_back({host, {}, {}}), at = out.end() - 1;
    at->gpu.push_back(std::move(t));
  }
  const auto chosen = std::find_if(out.begin(), out.end(), [&](const Slots& s) { return s.host == o.host; });
  if (!o.host.empty() && chosen == out.end())
    throw InputError(
        Finding{{}, "host", fmt::format("no GPU of '{}' in the log; it has '{}'", o.host, out.front().host)});
  if (!o.host.empty()) std::rotate(out.begin(), chosen, chosen + 1);
  report.host = out.front().host;
  for (auto& host : out) {
    if (host.gpu.size() > n_slot)
      throw InputError(fmt::format("{} GPUs in the log, but {} has {} slots; does `gpu` name several hosts?",
                                   host.gpu.size(), o.server, n_slot));
    set_slots(host, n_slot);
    if (host.gpu.size() < n_slot && (&host == &out.front() || !o.hall.plant.empty()))
      report.findings.push_back(fmt::format("{}{} of {} GPUs in the log: the others take the mean of those",
                                            host.host.empty() ? "" : host.host + ": ", host.gpu.size(), n_slot));
  }
  if (out.size() > 1 && o.hall.plant.empty())
    report.findings.push_back(fmt::format("{} more hosts in the log: --host NAME replays another", out.size() - 1));
  return out;
}

SlotWatts::SlotWatts(const Slots& slots, const ReplayOptions& o, const Hardware& h)
    : slot_(slots.slot), n_slot_(static_cast<std::size_t>(h.server.n_gpu)) {
  const double cap_W = dvfs::cap_in_force_W(o.cap_W, h.gpu.tdp_W);
  if (cap_W < h.gpu.power_limit_min_W)
    throw InputError(fmt::format("cap-W: the GPU's driver takes no power limit of {:g} W; allowed: {:g} to {:g} W",
                                 cap_W, h.gpu.power_limit_min_W, h.gpu.tdp_W));
  for (const auto& t : slots.gpu) {
    drives_.emplace_back(t, drive_by(o.drive), o.power_window_s, h.gpu, h.governor, cap_W);
    begin_s_ = std::max(begin_s_, t.record.time_s.front()), end_s_ = std::min(end_s_, t.record.time_s.back());
  }
}

std::vector<double> SlotWatts::mean_W(double from_s, double to_s, std::span<const double> die_K) const {
  double sum = 0.0;
  std::vector<double> own;
  for (std::size_t g = 0; g < drives_.size(); ++g)
    own.push_back(drives_[g].mean_W(from_s, to_s, die_K[slot_[g]])), sum += own.back();
  std::vector<double> out(n_slot_, sum / static_cast<double>(own.size()));
  for (std::size_t g = 0; g < own.size(); ++g) out[slot_[g]] = own[g];
  return out;
}

ReplayedServer::ReplayedServer(const Hardware& h, const SlotWatts& watts, std::vector<double> resistance_ratio)
    : hardware_(h),
      watts_(watts),
      ratio_(std::move(resistance_ratio)),
      none_(ratio_.size(), 0.0),
      slot_W_(ratio_.size(), 0.0),
      node_(h.package, h.memory, h.air, ratio_.size(), air_J_per_m3_K, h.liquid) {}

std::vector<double> ReplayedServer::dies() const {
  std::vector<double> out;
  out.reserve(state_.store_K.size());
  for (const auto& T : state_.store_K) out.push_back(T[thermal::die_store]);
  return out;
}

void ReplayedServer::rest(double from_s, double inlet_K) {
  state_ = node_.cold(inlet_K);
  for (int i = 0; i < 600; ++i)
    node_.step(state_, watts_.mean_W(from_s, from_s + start_s, dies()), none_, ratio_, inlet_K, 5.0);
}

ReplayedServer::Step ReplayedServer::step(double from_s, double to_s, double inlet_K) {
  slot_W_ = watts_.mean_W(from_s, to_s, dies());
  const auto books = node_.step(state_, slot_W_, none_, ratio_, inlet_K, to_s - from_s);
  Step out{0.0, 0.0, 0.0, 0.0, books.stored_J};
  for (const double w : slot_W_) out.gpu_W += w;
  const auto drawn = power::server_power(hardware_.server, out.gpu_W, state_.fan_frac, is_busy(hardware_, out.gpu_W));
  out.ac_W = drawn.ac_W;
  // All that the server draws goes into air and liquid, less what its packages keep.
  double host_W = 0.0;
  if (const auto& liquid = hardware_.liquid)
    host_W = drawn.host_W * liquid->capture.host_liquid_frac *
             thermal::to_liquid_frac(liquid->plate, liquid->plate.flow_ref_kg_per_s);
  out.liquid_W = books.liquid_J / (to_s - from_s) + host_W;
  out.air_W = out.ac_W - out.gpu_W - host_W + books.air_J / (to_s - from_s);
  return out;
}

double ReplayedServer::memory_K(std::size_t slot, double memory_W) const {
  const auto lead = thermal::memory_lead(hardware_.package, hardware_.memory);
  const double die_W = std::max(0.0, slot_W_[slot] - memory_W);
  return die_K(slot) + ratio_[slot] * (lead.die_K_per_W * die_W + lead.memory_K_per_W * memory_W);
}

double ReplayedServer::hottest_K() const {
  double hottest = 0.0;
  for (const auto& T : state_.store_K) hottest = std::max(hottest, T[thermal::die_store]);
  return hottest;
}

bool is_busy(const Hardware& h, double gpu_W) {
  return gpu_W > 0.25 * h.gpu.tdp_W * static_cast<double>(h.server.n_gpu);
}

void note(Played& out, const ReplayedServer& server, const Slots& slots, const SlotWatts& watts, double at_s,
          double step_s) {
  out.die_K.resize(slots.gpu.size()), out.gpu_W.resize(slots.gpu.size()), out.memory_K.resize(slots.gpu.size());
  out.time_s.push_back(at_s);
  out.fan_frac.push_back(server.fan_frac());
  out.gpu_sum_W.push_back(server.all_W());
  for (std::size_t g = 0; g < slots.gpu.size(); ++g) {
    const auto slot = slots.slot[g];
    out.die_K[g].push_back(server.die_K(slot)), out.gpu_W[g].push_back(server.slot_W(slot));
    out.memory_K[g].push_back(server.memory_K(slot, watts.drive(g).memory_W(at_s - step_s, at_s)));
  }
}

Played play(const Hardware& h, const Slots& slots, const SlotWatts& watts, double from_s, double to_s,
            const std::function<double(double)>& inlet_K) {
  ReplayedServer server(h, watts, std::vector<double>(static_cast<std::size_t>(h.server.n_gpu), 1.0));
  server.rest(from_s, inlet_K(from_s));
  Played out;
  const auto n_step = static_cast<std::int64_t>(std::ceil((to_s - from_s) / replay_step_s));
  for (std::int64_t k = 0; k < n_step; ++k) {
    const double at_s = from_s + static_cast<double>(k) * replay_step_s;
    server.step(at_s, at_s + replay_step_s, inlet_K(at_s));
    note(out, server, slots, watts, at_s + replay_step_s, replay_step_s);
  }
  return out;
}

double played_at(const Played& p, const std::vector<double>& x, double at_s) {
  const auto next =
      static_cast<std::size_t>(std::lower_bound(p.time_s.begin(), p.time_s.end(), at_s) - p.time_s.begin());
  if (next == 0) return x.front();
  if (next >= x.size()) return x.back();
  const double share = (at_s - p.time_s[next - 1]) / (p.time_s[next] - p.time_s[next - 1]);
  return x[next - 1] + share * (x[next] - x[next - 1]);
}

}  // namespace TIDEWATT_NAMESPACE::study::log_replay
