#include "model_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr double step_s = 1e-3, event_s = 1.0;

/// A source whose voltage behind the impedance changes.
class Behind {
 public:
  Behind(const SourceParams& p, double power_W) : p_(p), power_W_(power_W) {}
  /// At the load, for a power over the one before.
  double voltage_pu(double source_pu, double power_pu) {
    if (source_pu <= 0.0) return 0.0;
    if (source_pu != at_pu_) p_.source_pu = at_pu_ = source_pu, source_ = Source(p_);
    return source_.voltage_pu(power_pu * power_W_, 0.0).value_or(0.0);
  }

 private:
  SourceParams p_;
  double power_W_, at_pu_ = -1.0;
  Source source_{p_};
};

ModelTest play(const Perc1Site& site, const SourceParams& source, std::string name, std::string input, double length_s,
               const std::function<double(double)>& source_pu) {
  ModelTest t{std::move(name), std::move(input), {}, {}, {}, {}, {}};
  Behind behind(source, site.power_W());
  const double v0 = behind.voltage_pu(source_pu(0.0), 1.0);
  // Power is what each record drew at its own starting voltage.
  std::vector<Perc1Load> loads;
  for (const auto& r : site.records) loads.emplace_back(r.params, v0, step_s);
  double power = 1.0;
  const auto n = static_cast<std::int64_t>(std::llround(length_s / step_s));
  for (std::int64_t i = 0; i < n; ++i) {
    const double s = static_cast<double>(i) * step_s, v = behind.voltage_pu(source_pu(s), power);
    power = 0.0;
    for (std::size_t k = 0; k < loads.size(); ++k) power += loads[k].step(v) * site.records[k].power_W / site.power_W();
    t.time_s.push_back(s), t.source_pu.push_back(source_pu(s)), t.voltage_pu.push_back(v), t.power_pu.push_back(power);
  }
  return t;
}

double lowest(const std::vector<double>& x) { return *std::min_element(x.begin(), x.end()); }
double highest(const std::vector<double>& x) { return *std::max_element(x.begin(), x.end()); }

/// From the event's end until the power stays above 90 %, in words.
std::string recovery(const ModelTest& t, double end_s) {
  std::size_t back = static_cast<std::size_t>(end_s / step_s);
  for (std::size_t i = back; i < t.power_pu.size(); ++i)
    if (t.power_pu[i] < 0.9) back = i + 1;
  if (back == t.power_pu.size()) return "90 % of it are not back within the test";
  const double s = static_cast<double>(back) * step_s - end_s;
  if (s < 0.01) return "90 % of it are back within 10 ms of the source's voltage";
  return fmt::format("90 % of it are back {:.2f} s after the source's voltage", s);
}

}  // namespace

std::vector<ModelTest> model_tests(const Perc1Site& site, const SourceParams& source) {
  if (site.records.empty()) throw InputError("model tests: there are no records");
  Source(source).require(site.power_W(), 0.0);
  const double e = source.source_pu;
  // Long enough for the return of all parts that return by themselves.
  double back_s = 1.0;
  for (const auto& r : site.records) back_s = std::max(back_s, r.params.Trecon + r.params.Tramp + 1.0);
  const auto dip = [&](double level, double s) {
    return [e, level, s](double t) { return t >= event_s && t < event_s + s ? level * e : e; };
  };
  std::vector<ModelTest> out;
  out.push_back(play(site, source, "flat start", "nothing happens for 10 s", 10.0, [e](double) { return e; }));
  const double moved = highest(out.back().power_pu) - lowest(out.back().power_pu);
  out.back().answer =
      moved < 1e-9 ? std::string("power does not move") : fmt::format("power moves by {:.1e} pu", moved);
  out.push_back(play(site, source, "voltage step", "the source falls by 3 % at 1 s and stays", 5.0,
                     [e](double t) { return t >= event_s ? 0.97 * e : e; }));
  out.back().answer = fmt::format("voltage {:.3f} pu, power {:.3f} pu at the end", out.back().voltage_pu.back(),
                                  out.back().power_pu.back());
  for (const auto& [level, s] : {std::pair{0.2, 0.15}, {0.5, 0.25}, {0.8, 0.5}}) {
    out.push_back(play(site, source, "low voltage",
                       fmt::format("the source falls to {:g} % for {:g} s", 100.0 * level, s), event_s + s + back_s,
                       dip(level, s)));
    out.back().answer =
        fmt::format("power falls to {:.3f} pu; {}", lowest(out.back().power_pu), recovery(out.back(), event_s + s));
  }
  out.push_back(play(site, source, "high voltage", "the source rises to 115 % for 1 s", 5.0, dip(1.15, 1.0)));
  out.back().answer = fmt::format("power between {:.3f} and {:.3f} pu; PERC1 has no upper limit",
                                  lowest(out.back().power_pu), highest(out.back().power_pu));
  out.push_back(play(site, source, "frequency", "frequency falls to 57 Hz and rises to 61.8 Hz at nominal voltage", 5.0,
                     [e](double) { return e; }));
  out.back().answer = "the records have no frequency term (Kdroop 0): power does not move";
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
