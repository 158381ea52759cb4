#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// A power system as a network file describes it: buses, loads, machines, lines and transformers, balanced, in phasors.
struct PowerNetwork {
  enum class BusKind : std::uint8_t { load = 1, machine = 2, slack = 3, isolated = 4 };
  struct Bus {
    std::int64_t number = 0;
    std::string name;
    BusKind kind = BusKind::load;
    std::complex<double> voltage_pu = 1.0;  ///< of the file: where the power flow begins
    std::complex<double> shunt_VA = 0.0;    ///< G + jB at nominal voltage; B > 0 feeds reactive power
  };
  /// Drawn at its bus: s = power + current |V| + impedance |V|².
  struct Load {
    std::size_t bus = 0;
    std::string id;
    std::complex<double> power_VA = 0.0, current_VA = 0.0, impedance_VA = 0.0;
    bool in_service = true;
    std::complex<double> at_VA(double voltage_pu) const {  ///< VA at a voltage in pu
      return power_VA + voltage_pu * (current_VA + voltage_pu * impedance_VA);
    }
  };
  struct Generator {
    std::size_t bus = 0;
    std::string id;
    std::complex<double> power_VA = 0.0;
    double voltage_pu = 1.0;  ///< voltage set point at its bus
    double rating_VA = 0.0;
    std::complex<double> source_pu = {0.0, 1.0};  ///< ZSORCE on its rating
    bool in_service = true;
    Place place;
    /// For messages.
    std::string name(const PowerNetwork& n) const {
      return "unit " + id + " at bus " + std::to_string(n.bus[bus].number);
    }
  };
  /// π circuit; the ideal ratio, with its angle, is at the `from` end.
  struct Branch {
    std::size_t from = 0, to = 0;
    std::string id;
    std::complex<double> impedance_pu = 0.0, ratio = 1.0, shunt_from_pu = 0.0, shunt_to_pu = 0.0;
    double charging_pu = 0.0;  ///< of the whole line
    bool in_service = true;
  };

  double base_VA = 100e6, nominal_Hz = 60.0;
  std::vector<Bus> bus;
  std::vector<Load> load;
  std::vector<Generator> generator;
  std::vector<Branch> branch;

  /// @param number of a bus, a count  @returns its place in `bus`  @throws InputError naming the nearest number
  std::size_t bus_index(std::int64_t number) const;
  std::vector<double> bus_load_W() const;  ///< [bus] loads in service at nominal voltage
  /// Number of the bus with the largest load, a count; of several the first.
  std::int64_t largest_load_bus() const;
};

/// Bus admittance matrix [n × n], row-major, pu on the network's base: lines, transformers and shunts, without loads.
std::vector<std::complex<double>> admittance(const PowerNetwork& n);

/// Operating point of a network.
struct NetworkFlow {
  std::vector<std::complex<double>> voltage_pu;    ///< per bus
  std::vector<std::complex<double>> generated_VA;  ///< per generator; 0 where it is out of service
  double mismatch_pu = 0.0;                        ///< largest of any bus, on the network's base
  int iterations = 0;
};

/// Newton's method in polar coordinates from the file's voltages; constant machine voltages, fixed taps, no reactive limits.
///
///     P_i + jQ_i = V_i Σ_k conj(Y_ik V_k)
///
/// Units of one bus share its reactive power in proportion to the file's, where these have one sign, else by rating; units
/// of the slack bus share active power by rating. @throws RefusedError if there is no operating point. Source: [@kundur]
NetworkFlow solve_network(const PowerNetwork& n);

}  // namespace TIDEWATT_NAMESPACE::grid
