// X5: steps of load on the shipped networks, whose machines, exciters, stabilisers and governors ANDES plays, too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/embedded.hpp"
#include "base/text.hpp"
#include "evidence_runs.hpp"
#include "grid/grid_play.hpp"
#include "grid/psse_dyr.hpp"
#include "grid/psse_raw.hpp"
#include "groups.hpp"
#include "references.hpp"
#include "row_term.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double step_at_s = 1.0, length_s = 60.0, step_s = 0.005;

std::string_view network_file(const std::string& name) {
  for (const auto& f : embedded::network_files())
    if (f.path == name) return f.text;
  throw InputError(fmt::format("no network file '{}'", name));
}

std::vector<grid::DyrRecord> records_of(const std::string& network) {
  auto out = grid::parse_dyr(network_file(network + ".dyr"), network + ".dyr");
  for (grid::DyrRecord& r : out) {
    double H = 0.0;
    if (r.model == "GENROU" && parse_number(r.values.at(4), H))
      r.values[4] = fmt::format("{}", term("X5.inertia_s", H));
  }
  return out;
}

grid::GridAnswer answer_of(const Node& c) {
  const std::string network = text_of(c, "network");
  const double constant_power = text_of(c, "loads") == "power" ? 1.0 : 0.0;
  const grid::LoadShares shares{constant_power, 0.0};
  grid::GridSystem system(grid::parse_raw(network_file(network + ".raw"), network + ".raw"), records_of(network),
                          static_cast<std::int64_t>(number_of(c, "bus")), {shares, shares, shares},
                          grid::ShaftInput::torque);
  const double step_W = 1e6 * term("X5.step_MW", number_of(c, "step_MW"));
  return grid::grid_answer(grid::play(system, {{step_at_s, 0.0}, {step_at_s, step_W}}, {}, {length_s, step_s}),
                           step_at_s);
}

}  // namespace

std::vector<Row> reference_network_rows(const Context&) {
  const References r;
  std::vector<Row> rows;
  const char* source = "andes";
  for (const Node& c : r.cases("andes_step")) {
    const auto a = answer_of(c);
    const double MW = number_of(c, "step_MW");
    const std::string id = fmt::format("X5/{}-{:g}", text_of(c, "network") == "ieee39" ? "ieee39" : "kundur", -MW);
    const std::string what =
        fmt::format("{}, {:g} MW lost at bus {:.0f}, loads of constant {}, as {} plays it: ", text_of(c, "network"),
                    -MW, number_of(c, "bus"), text_of(c, "loads"), r.version("ANDES"));
    rows.push_back(against(id + "/extremum", what + "largest mean deviation", "Hz", number_of(c, "extremum_Hz"),
                           a.extremum_Hz, 0.02, source));
    // Else the mean still moves at the end.
    if (number_of(c, "extremum_s") < 0.9 * (length_s - step_at_s))
      rows.push_back(
          against(id + "/time", what + "its time", "s", number_of(c, "extremum_s"), a.extremum_s, 0.02, source));
    rows.push_back(against(id + "/first", what + "mean over the first 2 s", "Hz", number_of(c, "first_2s_Hz"),
                           a.first_mean_Hz, 0.02, source));
    rows.push_back(against(id + "/settled", what + "mean over the last seconds", "Hz", number_of(c, "settled_Hz"),
                           a.settled_Hz, 0.02, source));
  }
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
