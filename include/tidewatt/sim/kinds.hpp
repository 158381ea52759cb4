#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "tidewatt/base/version.hpp"
#include "tidewatt/base/words.hpp"

/// Words of a scenario from closed lists, parsed once.
namespace TIDEWATT_NAMESPACE::sim {

enum class PlantKind : std::uint8_t { outside_air, hydronic, prescribed_inlet };
enum class NeighbourKind : std::uint8_t { replay, inference };
enum class RecordingFormat : std::uint8_t { csv, mlperf };
/// Unit that one catalog entry of rack storage describes.
enum class StoragePer : std::uint8_t { gpu, rack, site };
enum class WeatherDay : std::uint8_t { dated, typical, hot, hot_clear, extreme, typical_year, hot_year, extreme_year };
/// Days follow one another as dated.
constexpr bool is_year(WeatherDay d) { return d >= WeatherDay::typical_year; }

enum class MitigationKind : std::uint8_t { gpu_smoothing, ballast, site_battery, iteration_beat, job_stagger };

/// Something that happens at a time: to a job, to the GPUs, from the grid, to a plant.
enum class EventKind : std::uint8_t {
  failure,
  planned_stop,
  pause,
  power_brake,
  sag,
  utility_loss,
  islanding,
  curtailment,
  fan_wall_out,
  cdu_out,
  pump_out,
  rejection_out,
  chiller_out,
  filter_blocked
};
/// Events in which parts of a plant fail.
constexpr bool of_plant(EventKind k) { return k >= EventKind::fan_wall_out; }
/// Events of one job.
constexpr bool of_job(EventKind k) { return k <= EventKind::pause; }
/// Events of the grid, which act on the site through its voltage.
constexpr bool of_grid(EventKind k) { return k >= EventKind::sag && k <= EventKind::islanding; }
/// How the switches of a scale-up domain are set: all links, or half of them at the lowest power.
enum class SwitchProfile : std::uint8_t { networking, reduced_bandwidth };
/// What meets a curtailment: caps of all GPUs, a pause of all jobs, the site battery, or the jobs tier by tier.
enum class OrderMeans : std::uint8_t { cap, pause, storage, tiers };
/// What a job may give up for an order that is met by tiers.
enum class OrderMay : std::uint8_t { cap, pause, never };

}  // namespace TIDEWATT_NAMESPACE::sim

namespace TIDEWATT_NAMESPACE {
using namespace std::string_view_literals;

template <>
inline constexpr std::array words_of<sim::PlantKind>{"outside_air"sv, "hydronic"sv, "prescribed_inlet"sv};
template <>
inline constexpr std::array words_of<sim::NeighbourKind>{"replay"sv, "inference"sv};
template <>
inline constexpr std::array words_of<sim::RecordingFormat>{"csv"sv, "mlperf"sv};
template <>
inline constexpr std::array words_of<sim::StoragePer>{"gpu"sv, "rack"sv, "site"sv};
template <>
inline constexpr std::array words_of<sim::WeatherDay>{"dated"sv,   "typical"sv,      "hot"sv,      "hot_clear"sv,
                                                      "extreme"sv, "typical_year"sv, "hot_year"sv, "extreme_year"sv};
template <>
inline constexpr std::array words_of<sim::MitigationKind>{"gpu_smoothing"sv, "ballast"sv, "site_battery"sv,
                                                          "iteration_beat"sv, "job_stagger"sv};
template <>
inline constexpr std::array words_of<sim::EventKind>{
    "failure"sv,      "planned_stop"sv,  "pause"sv,       "power_brake"sv,   "sag"sv,
    "utility_loss"sv, "islanding"sv,     "curtailment"sv, "fan_wall_out"sv,  "cdu_out"sv,
    "pump_out"sv,     "rejection_out"sv, "chiller_out"sv, "filter_blocked"sv};
template <>
inline constexpr std::array words_of<sim::SwitchProfile>{"networking"sv, "reduced_bandwidth"sv};
template <>
inline constexpr std::array words_of<sim::OrderMeans>{"cap"sv, "pause"sv, "storage"sv, "tiers"sv};
template <>
inline constexpr std::array words_of<sim::OrderMay>{"cap"sv, "pause"sv, "never"sv};
}  // namespace TIDEWATT_NAMESPACE
