#pragma once
// What an assumed input is moved by, one at a time or all together. Private to study.
#include <map>
#include <string>
#include <vector>

#include "input_draws.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {

/// Inputs that move together, for they are one thing: value = place · (high − low) + low of each.
struct CommonInput {
  struct Item {
    std::string key;
    double low = 0.0, high = 0.0;
    std::vector<double> values{};  // equally likely; empty: any between the ends
    double at(double place) const {
      if (values.empty()) return low + place * (high - low);
      return values[std::min(values.size() - 1, static_cast<std::size_t>(place * static_cast<double>(values.size())))];
    }
  };
  std::vector<Item> items;
};

/// A model's dimension: it moves in steps of its grain from the usual value.
struct Dimension {
  double usual = 0.0, low = 0.0, high = 0.0, grain = 1.0;
  /// @param coarser grains of a step
  double at(double value, double coarser) const {
    const double step = coarser * grain, moved = usual + step * std::round((value - usual) / step);
    return moved >= low && moved <= high ? moved : usual;
  }
};
using Dimensions = std::map<std::string, Dimension>;

/// Values that the assumed inputs of a fleet may take. The fleet must outlive it.
class Candidates {
 public:
  Candidates(const ReducedFleet& fleet, const catalog::Catalog& catalog);

  /// Columns of a GPU's joint draws under the keys that they set: [key][draw].
  const std::map<std::string, std::vector<double>>& rows() const { return rows_; }
  /// All other inputs; those that are one thing together.
  const std::vector<CommonInput>& inputs() const { return inputs_; }
  /// Puts an input's value at a place of its range into a draw, as the reduced fleet has it. @param place 0: low end, 1: high end
  void put(const CommonInput& input, double place, InputDraw& draw) const;
  /// Why a draw cannot be built; empty: it can. Rounds what must be whole, and makes steps of a model's dimensions coarser.
  /// @param built the scenario with it, where the draw is not refused
  std::string refused(InputDraw& draw, sim::Scenario& built) const;

 private:
  const ReducedFleet& fleet_;
  std::map<std::string, std::vector<double>> rows_;
  std::vector<CommonInput> inputs_;
  Dimensions dimensions_;
};

}  // namespace TIDEWATT_NAMESPACE::study::detail
