#include "backing.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "declared_key.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

/// Areas whose rows compare a headline's quantity, and parts of the keys of inputs that enter it.
struct Headline {
  const char* key;
  std::vector<std::string_view> areas, inputs;
};
const std::vector<Headline> headlines = {
    Headline{"tokens_per_s_mean", {"training time"}, {".compute.", ".network.", ".governor.", ".spread.", ".power."}},
    Headline{
        "throughput_swing_percent", {"days"}, {".power.", ".spread.", ".package.", ".governor.", ".plant.", ".air."}},
    Headline{"pcc_mean_MW", {"node power"}, {".power.", ".server.", ".plant.", ".feeder.", ".governor."}},
    Headline{"pcc_step_1s_max_MW", {"power swing"}, {".power.", ".server.", ".network.", ".life."}},
    Headline{"pcc_ramp_up_max_MW_per_s", {"power swing"}, {".power.", ".server.", ".network.", ".life."}},
    Headline{"pcc_ramp_down_max_MW_per_s", {"power swing"}, {".power.", ".server.", ".network.", ".life."}},
    Headline{"die_max_degC", {"temperature"}, {".power.", ".spread.", ".package.", ".air.", ".plant."}},
    Headline{"pue", {"plant"}, {".plant.", ".air."}}};

bool is_in(std::string_view word, const std::vector<std::string_view>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

std::vector<Backing> backing(const std::vector<LedgerLine>& lines, const std::string& scenario,
                             const std::vector<std::string>& assumed) {
  std::vector<Backing> out;
  for (const Headline& h : headlines) {
    Backing& b = out.emplace_back(Backing{h.key, {}, 0, {}});
    for (const auto& line : lines) {
      const DeclaredKey* declared = declared_key(declared_keys(), line.row);
      if (line.kind != "blind" || declared == nullptr || !is_in(declared->area, h.areas)) continue;
      if (first_line(lines, line.row) != &line) continue;
      const std::string device = device_of(*declared);
      if (!device.empty() && scenario.find('"' + device + '_') == std::string::npos)
        ++b.n_other_device;
      else
        b.rows.push_back({line.row, line.source, device, line.error, line.absolute ? line.unit : ""});
    }
    for (const auto& key : assumed)
      if (std::any_of(h.inputs.begin(), h.inputs.end(),
                      [&](std::string_view part) { return key.find(part) != std::string::npos; }))
        b.assumed.push_back(key);
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
