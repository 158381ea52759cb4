#include "row_kind.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace TIDEWATT_NAMESPACE::validate {
namespace {

struct Declared {
  std::string_view prefix;
  Kind kind;
};

// A prefix is an id, or ends before a slash or a dash of it. The longest one holds. Rows are blind
// only with a line of the ledger; see docs/ledger.
constexpr auto identity = Kind::identity, conformance = Kind::conformance, fit = Kind::fit, half_fit = Kind::half_fit,
               bound = Kind::bound, simulator = Kind::simulator, blind = Kind::blind, seen = Kind::seen;
constexpr std::array declared = {
    // training time, memory, failures
    Declared{"W1", fit}, Declared{"W2", identity}, Declared{"W3", seen},
    Declared{"W3/175B", half_fit},  // device, model and paper of W1, which sets the efficiency
    Declared{"W4", seen}, Declared{"W5", seen}, Declared{"W6", seen}, Declared{"W7", seen},
    Declared{"W7/gain", bound},  // it sees its main parameter only where that is off by more than a factor of two
    Declared{"W8/window", fit},  // the width of the window comes from the same printed utilisations

    Declared{"W8", bound},  // +-1.5 points on effects of 1 to 2.5: other models fit, too
    Declared{"W9", fit}, Declared{"W10", half_fit},
    Declared{"W11", half_fit},  // device and paper of W9, which sets the efficiency

    Declared{"W12", identity},  // counts that the model's published dimensions give
    Declared{"W13", identity},  // the paper's own formula for activations
    Declared{"W16", fit},       // its step sets the host's gap

    Declared{"W14", seen}, Declared{"W15", fit}, Declared{"W15/current", bound}, Declared{"W15/large", bound},
    Declared{"F1", identity},  // a sampler that returns its rates
    Declared{"F2", bound}, Declared{"F3", identity}, Declared{"F4", identity}, Declared{"F5", bound},
    Declared{"F6", bound},
    // power
    Declared{"P1", fit}, Declared{"P1/plateau", seen},
    Declared{"P2", fit},  // the hosts' watts are what its 8.4 kW leave beside GPUs, fans and losses
    Declared{"B200", seen}, Declared{"B200/floor", bound},  // it passes by half a point inside a tolerance of our own

    Declared{"P3", half_fit}, Declared{"P3/1005", fit}, Declared{"P3/step", bound},
    Declared{"P3/1110", bound},  // one clock sets the kernel's activity
    Declared{"P4", half_fit}, Declared{"P4/250", fit}, Declared{"P4/175", bound}, Declared{"P4/200", bound},
    Declared{"P4/225", bound},  // one cap sets it, and the V/f curve is the same card's
    Declared{"P5", half_fit}, Declared{"fit/nodes", half_fit}, Declared{"P6", seen}, Declared{"P6/dip", bound},
    Declared{"P6/line", half_fit},
    Declared{"P6/trough", half_fit},  // the meters' lag is read off the dip whose lines and depth they compare
    Declared{"P6/width", bound},      // and with their window it decides the width
    Declared{"P6/dominant", bound},   // one dip an iteration: hardly another line could be the largest
    // chips
    Declared{"longhorn_slope", half_fit}, Declared{"longhorn_slope/pooled", fit},
    Declared{"longhorn_slowest", fit},  // its figure sets where the spread is cut off
    Declared{"longhorn_memory", bound},

    Declared{"k20_sweep", half_fit}, Declared{"h100_idle_slope", fit}, Declared{"b300_cap", half_fit},
    Declared{"b300_cap/450", fit}, Declared{"b300_cap/900", fit},
    Declared{"b300_cap/700", fit},  // its clock and its rate set the time of an iteration that needs no clock
    Declared{"b300_duty", half_fit}, Declared{"b300_duty/5", fit}, Declared{"b300_duty/20", fit},
    Declared{"b300_duty/50-mean", bound}, Declared{"b300_duty/500-mean", bound}, Declared{"fan_table", conformance},
    // temperatures
    Declared{"T1", bound},                       // 54 to 72 degC and 5 K beyond hold both ends of any spread up to 28 K
    Declared{"T1/mean", fit},                    // its mean sets the resistance, (63 - 22) K over 650 W
    Declared{"T2", bound}, Declared{"T3", fit},  // poles, preheating and lag were read off these ranges
    Declared{"T3/fall", seen}, Declared{"T3/peak", seen},  // a controller's own table
    Declared{"T4", seen}, Declared{"fit/temperature", half_fit},
    // days, caps and locks: signs, hours and wide intervals
    Declared{"D1", bound}, Declared{"D1b", bound}, Declared{"D2", bound}, Declared{"D3", bound}, Declared{"D4", bound},
    // plants
    Declared{"C1", identity},  // a formula inside the row
    Declared{"C2", identity}, Declared{"C3", bound}, Declared{"C3/closure", identity}, Declared{"C4", simulator},
    Declared{"C4/tower_nominal", identity},  // its design point is typed in

    Declared{"C5", bound}, Declared{"C6", bound},
    // machines of 2024-2026, whose efficiencies scripts/fits/efficiencies set anew from the fit rows alone; a row of the same
    // device, model, format and publication as its fit row is the rest of that record
    Declared{"R1", blind}, Declared{"R2", blind}, Declared{"R3", blind}, Declared{"R4", blind}, Declared{"R5", blind},
    Declared{"R6", blind}, Declared{"R1/gb200-512", half_fit}, Declared{"R1/gb200-1024", half_fit},
    Declared{"R1/gb200-2048", half_fit}, Declared{"R1/h100-2048", half_fit}, Declared{"R1/h100-2432", half_fit},
    Declared{"R2/mi300x-16", half_fit}, Declared{"R5/405b-gb300-new", half_fit}, Declared{"R5/405b-gb300-mx", half_fit},
    Declared{"R5/dsv3-gb300-mx", half_fit}, Declared{"R5/405b-gb300-fp4", blind}, Declared{"R1/gb200-256", fit},
    Declared{"R1/h100-512", fit}, Declared{"R1/gb300-512-fp4", fit}, Declared{"R1/gb200-2560-fp4", fit},
    Declared{"R1/b200-256", fit}, Declared{"R2/mi300x-8", fit}, Declared{"R2/mi355x-8", fit},
    Declared{"R5/405b-gb300", fit}, Declared{"R5/dsv3-gb300-bf16", fit},
    // published runs and levels that set nothing, declared before they were computed (evidence_*.toml)
    Declared{"E1", blind}, Declared{"E2", blind}, Declared{"E3", blind}, Declared{"E4", blind}, Declared{"E5", blind},
    Declared{"E6", blind}, Declared{"E7", blind},
    // scripts/fits/gpu_leakage fits H100 to them; the waves' peak is the board's
    Declared{"E7/rest", fit}, Declared{"E7/context", fit}, Declared{"E7/context-slope", fit}, Declared{"E7/limit", fit},
    Declared{"E7/clock", fit}, Declared{"E7/clock-slope", fit}, Declared{"E7/fp8-clock", blind},
    Declared{"E7/copy", fit}, Declared{"E7/copy-rate", blind}, Declared{"E7/wave", half_fit},
    // 20 ms divide the 100 ms of which that meter reads 25: its watts hang on the phase, which was seen when they were computed
    Declared{"E7/duty", seen}, Declared{"product", fit},
    Declared{"E1/fa2", half_fit},       // the abstract of the same paper sets A100's attention
    Declared{"E4/rsc-1024", half_fit},  // rates of failures from the same paper
    // independent packages
    Declared{"X1", conformance},  // the same published formulas, written twice
    Declared{"X1/wet-bulb", simulator}, Declared{"X2", simulator}, Declared{"X3", simulator}, Declared{"X4", simulator},
    Declared{"X4/year", conformance},  // a format, read as another reader does
    Declared{"X5", simulator}, Declared{"X6", simulator}, Declared{"X7", simulator}, Declared{"X8", simulator},
    // grid
    Declared{"G1", bound}, Declared{"G2", bound}, Declared{"G3", conformance}, Declared{"G4", simulator},
    Declared{"G5", identity}, Declared{"G6", bound}, Declared{"G6/peak", fit},
    Declared{"G7", fit},  // counters and windows are chosen to give what was reported
    Declared{"G7/peak", bound}, Declared{"G8", identity}, Declared{"G9", identity},  // what comes out was typed in
    Declared{"G10", identity},  // 65 J over 420 W, and the mean of a square wave
    Declared{"G11", bound}, Declared{"G12", identity}, Declared{"G13", bound}, Declared{"G14", bound},
    Declared{"G15", fit}, Declared{"G16", simulator}, Declared{"V1", fit}, Declared{"V2", fit}, Declared{"V3", fit},
    Declared{"V4", identity}, Declared{"V5", conformance}, Declared{"V6", conformance}, Declared{"V7", identity},
    Declared{"V7/rules", conformance}, Declared{"V8", conformance}, Declared{"V9", conformance},
    Declared{"V10", conformance}, Declared{"V11", fit}, Declared{"V12", fit}};

}  // namespace

bool is_below(std::string_view prefix, std::string_view id) {
  if (!id.starts_with(prefix)) return false;
  return id.size() == prefix.size() || id[prefix.size()] == '/' || id[prefix.size()] == '-';
}

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::identity:
      return "identity";
    case Kind::conformance:
      return "conformance";
    case Kind::fit:
      return "fit";
    case Kind::half_fit:
      return "half_fit";
    case Kind::bound:
      return "bound";
    case Kind::simulator:
      return "simulator";
    case Kind::blind:
      return "blind";
    case Kind::seen:
      return "seen";
  }
  throw std::logic_error("no kind of row");
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {Kind::identity, Kind::conformance, Kind::fit,   Kind::half_fit,
                                        Kind::bound,    Kind::simulator,   Kind::blind, Kind::seen};
  return all;
}

Kind kind_of(std::string_view id) {
  const Declared* longest = nullptr;
  for (const auto& d : declared)
    if (is_below(d.prefix, id) && (longest == nullptr || d.prefix.size() > longest->prefix.size())) longest = &d;
  if (longest == nullptr)
    throw std::logic_error(fmt::format("validation row '{}': its kind is not declared in row_kind.cpp", id));
  return longest->kind;
}

}  // namespace TIDEWATT_NAMESPACE::validate
