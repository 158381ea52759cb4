#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/node.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/base/words.hpp"

namespace TIDEWATT_NAMESPACE::thermal {

/// What a group's sensors feel, of what the package and air models know.
enum class FanSense : std::uint8_t { none, die, inlet };
}  // namespace TIDEWATT_NAMESPACE::thermal
namespace TIDEWATT_NAMESPACE {
class FieldLog;
template <>
inline constexpr std::array words_of<thermal::FanSense>{std::string_view("none"), std::string_view("die"),
                                                        std::string_view("inlet")};
}  // namespace TIDEWATT_NAMESPACE
namespace TIDEWATT_NAMESPACE::thermal {

/// Sensors of one kind that ask a server's fans for a speed: a table of thresholds, a PID term, or both, which then add up.
///
/// The table is a staircase: the speed of the highest threshold at or below the reading, and the first speed below the first
/// threshold. A reading within [last − hysteresis_down_K, last + hysteresis_up_K] of the last accepted one counts as that one.
struct TIDEWATT_API FanGroupParams {
  std::string name;  ///< of the sensors
  /// What runs of fleets take for the reading; none: no model, so the group is taken to ask for no more than the others.
  FanSense senses = FanSense::none;
  bool margin = false;  ///< readings are distances to a limit (negative below it), K; otherwise temperatures
  std::vector<double> threshold_K;     ///< [step] ascending; a temperature, or a distance where `margin`
  std::vector<double> speed_frac;      ///< [step] PWM from that threshold on, 0–1
  double hysteresis_up_K = 0.0;        ///< of the table's reading
  double hysteresis_down_K = 0.0;      ///< of the table's reading
  bool line = false;                   ///< straight lines between the thresholds instead of a staircase
  bool regulates = false;              ///< there is a PID term
  double set_point_K = 0.0;            ///< of the PID term, as a reading
  double gain_per_K = 0.0;             ///< kp: speed per kelvin above the set point, 1/K
  double integral_gain_per_K_s = 0.0;  ///< ki, 1/(K s)
  double regulates_above_K = 0.0;      ///< the term acts above the set point + this, K
  double clears_below_K = 0.0;         ///< its integral is cleared below the set point − this, K; constant between
  void fields(FieldVisitor& v);
};

/// Fan control of a server's board controller: one PWM for all fans, the largest that any group requests.
struct TIDEWATT_API FanControllerParams {
  std::vector<FanGroupParams> groups;  ///< sensors with a set point and a controller each
  double sample_s = 3.0;               ///< time between two samples, s
  double slew_frac = 0.1;              ///< largest change of the PWM from sample to sample
  double failed_read_frac = 0.8;       ///< PWM while a sensor cannot be read
  double failed_fan_frac = 1.0;        ///< PWM while at least `failed_fans` rotors stand still
  std::int64_t failed_fans = 1;        ///< number of rotors that must stand still for failed_fan_frac
  void fields(FieldVisitor& v);
};

/// A catalog entry of kind fan_controller: the controller's values, and a table of groups by name under `group`.
/// @param path of the entry, for messages  @param log records every key; null: none  @throws InputError with every finding in the entry
TIDEWATT_API FanControllerParams read_fan_controller(const Node& entry, const std::string& path,
                                                     FieldLog* log = nullptr);

/// The controller itself, sample by sample.
class TIDEWATT_API FanController {
 public:
  /// At rest at `start_frac`. @throws InputError if a table's lists differ in length or do not ascend
  explicit FanController(FanControllerParams params, double start_frac = 0.0);
  /// One sample. @param reading_K [group] largest reading of the group's sensors: a temperature, or a distance to a limit where the
  ///   group says so; NaN: it could not be read  @param stopped_rotors how many fans stand still  @return PWM, 0–1
  /// @throws InputError for another number of readings than groups
  double sample(std::span<const double> reading_K, std::int64_t stopped_rotors = 0);
  /// PWM since the last sample, 0–1.
  double speed_frac() const { return speed_frac_; }
  /// Request of one group at its last reading, 0–1.
  double asked_frac(std::size_t group) const { return memory_[group].asked_frac; }
  const FanControllerParams& params() const { return p_; }
  /// Appends all that it remembers between samples, in any unit. With equal memories, equal readings have equal controllers go on alike.
  void append_memory(std::vector<double>& to) const;

 private:
  struct Memory {
    double reading_K = std::numeric_limits<double>::quiet_NaN();   ///< the last one
    double accepted_K = std::numeric_limits<double>::quiet_NaN();  ///< the reading after hysteresis; NaN: none yet
    double integral_K_s = 0.0;
    double term_frac = 0.0;  ///< of the PID
    double asked_frac = 0.0;
    bool rests = false;  ///< the same reading would ask for the same again
  };
  double table_frac(const FanGroupParams& g, Memory& m, double reading_K) const;
  double regulated_frac(const FanGroupParams& g, Memory& m, double reading_K) const;
  FanControllerParams p_;
  std::vector<Memory> memory_;  // [group]
  double speed_frac_;
};

/// Output of a table for a reading, without hysteresis, 0–1.
TIDEWATT_API double fan_table_frac(const FanGroupParams& group, double reading_K);

}  // namespace TIDEWATT_NAMESPACE::thermal
