#include "replay_player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::study::log_replay {
namespace {

constexpr double air_J_per_m3_K = 1190.0;  // ρ c_p of air at 25 °C and 1,000 hPa

template <class Params>
void read_into(Params& p, const Node& node, const std::string& path, std::vector<Finding>& findings) {
  TableReader r(node, path, findings);
  p.fields(r);
}

std::string host_of(const std::string& gpu) {
  const auto colon = gpu.rfind(':');
  return colon == std::string::npos ? std::string() : gpu.substr(0, colon);
}

}  // namespace

Hardware hardware_of(const ReplayOptions& o) {
  const catalog::Catalog catalog(o.catalog);
  const Node gpu = catalog.values("gpu", o.gpu), server = catalog.values("server", o.server);
  if (server.find("liquid"))
    throw InputError(
        Finding{{}, "server", fmt::format("'{}' is liquid-cooled; replay knows servers in air", o.server)});
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
  const Node* memory = gpu.find("memory");
  const std::string name = memory && memory->is_text() ? std::get<std::string>(memory->value) : "h100_hbm3";
  read_into(h.memory, catalog.values("memory_branch", name), "memory_branch", findings);
  if (!findings.empty()) throw InputError(std::move(findings));
  return h;
}

Slots slots_of(const ReplayOptions& o, std::size_t n_slot, ReplayReport& report) {
  auto all = read_gpu_telemetry(o.file);
  report.host = o.host.empty() ? host_of(all.front().gpu) : o.host;
  Slots out;
  std::vector<std::string> others;
  for (auto& t : all) {
    const auto host = host_of(t.gpu);
    if (host == report.host)
      out.gpu.push_back(std::move(t));
    else if (std::find(others.begin(), others.end(), host) == others.end())
      others.push_back(host);
  }
  if (out.gpu.empty())
    throw InputError(
        Finding{{},
                "host",
                fmt::format("no GPU of '{}' in the log; it has '{}'", o.host, others.empty() ? "" : others.front())});
  if (!others.empty())
    report.findings.push_back(fmt::format("{} more hosts in the log: --host NAME replays another", others.size()));
  if (out.gpu.size() > n_slot)
    throw InputError(fmt::format("{} GPUs in the log, but {} has {} slots; does `gpu` name several hosts?",
                                 out.gpu.size(), o.server, n_slot));
  for (std::size_t i = 0; i < out.gpu.size(); ++i) {
    const std::string word = out.gpu[i].gpu.substr(out.gpu[i].gpu.rfind(':') + 1);
    std::size_t number = n_slot;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool is_slot = error == std::errc() && end == word.data() + word.size() && number < n_slot &&
                         std::find(out.slot.begin(), out.slot.end(), number) == out.slot.end();
    std::size_t free = 0;
    while (std::find(out.slot.begin(), out.slot.end(), free) != out.slot.end()) ++free;
    out.slot.push_back(is_slot ? number : free);
  }
  if (out.gpu.size() < n_slot)
    report.findings.push_back(
        fmt::format("{} of {} GPUs in the log: the others take the mean of those", out.gpu.size(), n_slot));
  return out;
}

power::WaveMeter wave_of(const GpuTelemetry& t, double window_s) {
  const auto drive = thermal_drive(t, window_s);
  double length_s = 0.0;
  for (const auto& p : drive.pieces) length_s += p.step_s;
  power::StepWave wave;
  wave.edge_s.push_back(t.record.time_s.back() - length_s);
  for (const auto& p : drive.pieces) {
    if (!(p.step_s > 1e-9)) continue;
    wave.edge_s.push_back(wave.edge_s.back() + p.step_s);
    wave.level_W.push_back(p.power_W);
  }
  return power::WaveMeter(std::move(wave));
}

Played Player::play(const std::function<double(double)>& inlet_K) const {
  const auto n = static_cast<std::size_t>(hardware_.server.n_gpu);
  const thermal::NodeHeat node(hardware_.package, hardware_.memory, hardware_.air, n, air_J_per_m3_K);
  const std::vector<double> one(n, 1.0), none(n, 0.0);
  auto state = node.cold(inlet_K(from_s_));
  // At rest before the record: as it was in its first seconds.
  const auto before = watts(from_s_, from_s_ + start_s);
  for (int i = 0; i < 600; ++i) node.step(state, before, none, one, inlet_K(from_s_), 5.0);
  Played out;
  out.die_K.resize(slots_.gpu.size());
  constexpr double step_s = 0.5;
  for (double at_s = from_s_; at_s < to_s_; at_s += step_s) {
    const auto W = watts(at_s, at_s + step_s);
    node.step(state, W, none, one, inlet_K(at_s), step_s);
    out.time_s.push_back(at_s + step_s);
    out.fan_frac.push_back(state.fan_frac);
    double sum = 0.0;
    for (const double w : W) sum += w;
    out.gpu_sum_W.push_back(sum);
    for (std::size_t g = 0; g < slots_.gpu.size(); ++g)
      out.die_K[g].push_back(state.store_K[slots_.slot[g]][thermal::die_store]);
  }
  return out;
}

std::vector<double> Player::watts(double from_s, double to_s) const {
  double sum = 0.0;
  std::vector<double> own;
  for (const auto& w : waves_) own.push_back(std::max(0.0, w.mean_W(from_s, to_s))), sum += own.back();
  std::vector<double> out(static_cast<std::size_t>(hardware_.server.n_gpu), sum / static_cast<double>(own.size()));
  for (std::size_t g = 0; g < own.size(); ++g) out[slots_.slot[g]] = own[g];
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
