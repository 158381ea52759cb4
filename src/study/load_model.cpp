#include "load_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "grid/load_records.hpp"
#include "grid/perc1.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double in_MW = 1e-6;

io::ExportFile text_file(std::string name, std::string text) {
  return {std::move(name), [text = std::move(text)](const io::Append& to) { to(text); }};
}

/// Comment lines. A reader that splits records at '/' must not find one in them.
class Header {
 public:
  void line(std::string text) {
    std::replace(text.begin(), text.end(), '/', '|');
    text_ += "// " + text + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void say_site(const SiteLoad& site, double held_W, Header& h) {
  h.line("settings: " + site.from);
  h.line(
      fmt::format("site: {:.6g} MW in the mean of the run; records: {:.6g} MW; remainder without a record: {:.6g} MW "
                  "(model it as a load of its own)",
                  site.site_W * in_MW, held_W * in_MW, std::max(0.0, site.site_W - held_W) * in_MW));
}

/// "psse36" as a reader of the header knows it.
std::string shown(const std::string& program) {
  return program.starts_with("psse")         ? "PSS|E " + program.substr(4)
         : program.starts_with("powerworld") ? "PowerWorld " + program.substr(10)
                                             : program;
}

/// The program of a target, checked.
std::string program_of(const std::string& format, const ModelTarget& target) {
  const auto known = model_programs(format);
  if (target.program.empty()) return known.front();
  if (std::find(known.begin(), known.end(), target.program) == known.end()) {
    const auto close = nearest(target.program, known);
    throw InputError(fmt::format("{}: no form for program '{}'{}; there are {}", format, target.program,
                                 close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close),
                                 fmt::join(known, ", ")));
  }
  return target.program;
}

/// Load ids '1 ' to '8 ' and on.
std::string id_of(std::size_t i) { return fmt::format("{}", i + 1); }

}  // namespace

std::vector<std::string> model_programs(const std::string& format) {
  if (format == "perc1") return {"psse36", "powerworld24"};
  if (format == "cmpldw") return {"psse36", "psse35", "psse34", "psse33"};
  return {"psse36", "psse35", "psse34"};
}

std::string model_origin(const io::ResultOrigin& o) {
  return fmt::format("tidewatt {}; result {}; run of {} (local standard time); scenario sha256 {}", o.version, o.name,
                     o.start_time, o.scenario_sha256);
}

ModelFiles perc1_model(const SiteLoad& site, const ModelTarget& target) {
  const std::string program = program_of("perc1", target);
  const auto records = grid::perc1_site(site.parts);
  if (records.records.empty())
    throw UnfitError("perc1: refused as unfit: no part of the load has settings that PERC1 holds (supplies)");
  const auto check = grid::check_perc1(records, grid::check_sags());
  if (const std::string why = check.unfit(); !why.empty())
    throw UnfitError("perc1: refused as unfit, no file is written: " + why);
  ModelFiles out;
  Header h;
  h.line(
      fmt::format("PERC1 load model for {}: 30 values per record in the order of PowerWorld 24, as PSS|E lists a "
                  "load's model; check against your version",
                  shown(program)));
  h.line(target.origin);
  say_site(site, records.power_W(), h);
  for (std::size_t i = 0; i < records.records.size(); ++i) {
    const auto& r = records.records[i];
    h.line(fmt::format("load id {}: {:.6g} MW, {:.6g} MVA, {}", id_of(i), r.power_W * in_MW,
                       grid::perc1_base_VA(r.params, r.power_W) * in_MW, r.group));
  }
  for (const auto& gap : records.gaps) h.line(fmt::format("not held: {:.6g} MW, {}", gap.power_W * in_MW, gap.what));
  for (const auto& open : site.open) h.line("not stated: " + open);
  h.line(
      "computing load: constant at its mean; a load that repeats is a record of its own (linjbl) or a playback file");
  h.line("check: " + check.text());
  h.line(
      "limits of the check: RTE PCS I16 for producers, dip against a simulation, borrowed; none for loads was found");
  std::string text = h.text();
  for (std::size_t i = 0; i < records.records.size(); ++i)
    text += grid::perc1_record(target.bus, id_of(i), records.records[i].params);
  out.files = {text_file(target.stem + "_perc1.dyr", text)};
  out.checked = check.text();
  constexpr double large_pu = 4.0;  // no supply is built for it
  for (const auto& r : records.records)
    if (r.params.Ipmax > large_pu * r.params.Lfm && r.params.Fcease > 0.0)
      out.warnings.push_back(
          fmt::format("{}: no input current limit is stated, so the record holds constant power with up to {:.3g} "
                      "times the current; state current_limit_pu in --settings",
                      r.group, r.params.Ipmax / r.params.Lfm));
  for (const auto& part : records.held)
    if (part.group.count_limit > 0)
      out.warnings.push_back(fmt::format(
          "{}: PERC1 has no state for its counter ({}); {:.3g} MW may stay away where the record comes back",
          part.group.name, part.group.count_setting, part.group.power_W * in_MW));
  return out;
}

ModelFiles cmpldw_model(const SiteLoad& site, const ModelTarget& target) {
  constexpr double narrowest_pu = 0.01, loading = 0.8;
  Header h;
  std::string records;
  double held_W = 0.0;
  std::size_t i = 0;
  const std::string program = program_of("cmpldw", target);
  const auto revision =
      program == "psse33" || program == "psse34" ? grid::CompositeRevision::one : grid::CompositeRevision::two;
  h.line(fmt::format("composite load {} for {}, electronic part only; {} values per record; check against your version",
                     revision == grid::CompositeRevision::one ? "CMLDBLU1" : "CMLDBLU2", shown(program),
                     revision == grid::CompositeRevision::one ? 132 : 133));
  if (revision == grid::CompositeRevision::one)
    h.line("CMLDBLU1 has no Frcel: all of the electronic part comes back with the voltage");
  h.line(target.origin);
  for (const auto& p : site.parts) {
    const auto& g = p.group;
    if (!(g.power_W > 0.0)) continue;
    if (p.kind == grid::LoadKind::motor) {
      h.line(fmt::format("not held: {:.6g} MW, {}: motors and their contactors; give them motor records of your own",
                         g.power_W * in_MW, g.name));
      continue;
    }
    // The lower limit with the shortest time is where it leaves.
    const grid::Trip* low = nullptr;
    for (const auto& t : g.voltage)
      if (t.below && (!low || t.after_s < low->after_s)) low = &t;
    const double half_pu = std::max(p.low_spread_pu, 0.5 * narrowest_pu), at_pu = low ? low->limit : half_pu;
    grid::CompositeLoad c;
    c.MVA = g.power_W * in_MW / loading;
    c.Vd1 = at_pu + half_pu;
    c.Vd2 = at_pu - half_pu;
    c.Frcel = g.returns ? p.returns_frac : 0.0;
    h.line(fmt::format(
        "load id {}: {:.6g} MW, {} ({}); its time of {:g} s at the limit, return after {:g} s and ramp of {:g} s are "
        "not held",
        id_of(i), g.power_W * in_MW, g.name, grid::name(p.kind), low ? low->after_s : 0.0, g.return_s, g.ramp_s));
    records += grid::cmpldw_record(target.bus, id_of(i++), c, revision);
    held_W += g.power_W;
  }
  if (i == 0) throw UnfitError("cmpldw: refused as unfit: no part of the load is electronic (supplies, drives)");
  say_site(site, held_W, h);
  h.line(
      "supplies: use either these records or those of PERC1; drives have these only. The model has no timers and was "
      "not checked by playing");
  ModelFiles out;
  out.files = {text_file(target.stem + "_cmpldw.dyr", h.text() + records)};
  out.checked = "not checked by playing: the composite load has no timers";
  return out;
}

ModelFiles linjbl_model(const io::Waveform& window, const ModelTarget& target) {
  constexpr double begin_s = 1.0;  // as in PNNL's examples, after a flat start
  const auto load = grid::repeating_load(window.pcc_W, window.step_s, begin_s);
  Header h;
  h.line(fmt::format("LINJBL for {} with PNNL's library, a load that repeats: 4 whole numbers and 8 values",
                     shown(program_of("linjbl", target))));
  h.line(target.origin);
  h.line(fmt::format(
      "window {}: {:g} to {:g} s; largest line {:.6g} Hz as the fundamental of a square wave of duty {:.3f}, {:.6g} MW "
      "from peak to peak; its other lines and ramps are not held",
      window.window, window.first_s, window.first_s + static_cast<double>(window.pcc_W.size()) * window.step_s, load.Hz,
      load.duty, load.peak_to_peak_MW));
  ModelFiles out;
  out.files = {text_file(target.stem + "_linjbl.dyr", h.text() + grid::linjbl_record(target.bus, "OS", load))};
  out.checked = fmt::format("fundamental {:.4g} Hz", load.Hz);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
