#include "load_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "grid/load_records.hpp"
#include "grid/perc1.hpp"
#include "grid/power_line.hpp"

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

/// @param beside content of another file of the same set, as text; empty: there is none
void say_site(const SiteLoad& site, double held_W, double beside_W, const std::string& beside, Header& h) {
  h.line("settings: " + site.from);
  h.line(
      fmt::format("site: {:.6g} MW in the mean of the run; records: {:.6g} MW{}; remainder without a record: {:.6g} MW "
                  "(model it as "
                  "a load of its own)",
                  site.site_W * in_MW, held_W * in_MW,
                  beside.empty() ? "" : fmt::format("; {}: {:.6g} MW", beside, beside_W * in_MW),
                  std::max(0.0, site.site_W - held_W - beside_W) * in_MW));
}

/// Number of PERC1 records of a site; 0 also where there are too many parts for them.
std::size_t n_perc1(const SiteLoad& site) {
  const auto n = static_cast<std::size_t>(std::count_if(site.parts.begin(), site.parts.end(), [](const auto& p) {
    return p.kind == grid::LoadKind::supply && p.group.power_W > 0.0;
  }));
  return n > grid::most_perc1_records ? 0 : grid::perc1_site(site.parts).records.size();
}

/// Parts of one kind with power.
std::vector<const grid::LoadSettings*> parts_of(const SiteLoad& site, grid::LoadKind kind) {
  std::vector<const grid::LoadSettings*> out;
  for (const auto& p : site.parts)
    if (p.kind == kind && p.group.power_W > 0.0) out.push_back(&p);
  return out;
}

double power_of(const std::vector<const grid::LoadSettings*>& parts) {
  double W = 0.0;
  for (const auto* p : parts) W += p->group.power_W;
  return W;
}

/// "load id 3" or "load ids 3 to 5".
std::string ids(std::size_t first, std::size_t n) {
  return n == 1 ? fmt::format("load id {}", first) : fmt::format("load ids {} to {}", first, first + n - 1);
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
  h.line(fmt::format("values in order: bus, model, load id, {}", fmt::join(grid::perc1_names(), ", ")));
  h.line(target.origin);
  const auto drives = parts_of(site, grid::LoadKind::drive);
  say_site(site, records.power_W(), power_of(drives),
           drives.empty() ? ""
                          : fmt::format("drives, {} in {}_cmpldw.dyr (tidewatt export --format cmpldw --drives-only)",
                                        ids(records.records.size() + 1, drives.size()), target.stem),
           h);
  for (std::size_t i = 0; i < records.records.size(); ++i) {
    const auto& r = records.records[i];
    out.loads.push_back({id_of(i), r.group, r.power_W});
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

namespace {

/// Where a part begins to leave, and where all of it is gone.
grid::CompositeLoad composite(const grid::LoadSettings& p, const grid::Trip* low) {
  constexpr double narrowest_pu = 0.01, loading = 0.8;
  const double half_pu = std::max(p.low_spread_pu, 0.5 * narrowest_pu), at_pu = low ? low->limit : half_pu;
  grid::CompositeLoad c;
  c.MVA = p.group.power_W * in_MW / loading;
  c.Vd1 = at_pu + half_pu;
  c.Vd2 = std::max(0.0, at_pu - half_pu);
  c.Frcel = p.group.returns ? p.returns_frac : 0.0;
  return c;
}

/// The lower limit with the shortest time; null: it never leaves.
const grid::Trip* leaves_at(const grid::LoadGroup& g) {
  const grid::Trip* low = nullptr;
  for (const auto& t : g.voltage)
    if (t.below && t.limit > 0.0 && (!low || t.after_s < low->after_s)) low = &t;
  return low;
}

}  // namespace

ModelFiles cmpldw_model(const SiteLoad& site, const ModelTarget& target) {
  const std::string program = program_of("cmpldw", target);
  const bool first = program == "psse33" || program == "psse34";
  const auto revision = first ? grid::CompositeRevision::one : grid::CompositeRevision::two;
  // Load ids follow those of PERC1, so that the files of a site never share one; drives first, for they have the same id
  // with and without the supplies.
  const std::size_t n_before = n_perc1(site);
  auto parts = parts_of(site, grid::LoadKind::drive);
  const auto supplies = parts_of(site, grid::LoadKind::supply);
  if (!target.beside_perc1) parts.insert(parts.end(), supplies.begin(), supplies.end());
  if (parts.empty())
    throw UnfitError(target.beside_perc1
                         ? "cmpldw: refused as unfit: no part of the load is a drive, and PERC1 holds the supplies"
                         : "cmpldw: refused as unfit: no part of the load is electronic (supplies, drives)");

  // Which set of files this one belongs to comes first: the supplies must not be read twice.
  ModelFiles out;
  Header h;
  h.line(fmt::format("composite load {} for {}, electronic part only; {} values per record; check against your version",
                     first ? "CMLDBLU1" : "CMLDBLU2", shown(program), first ? 132 : 133));
  h.line(
      target.beside_perc1
          ? fmt::format("drives only: read it beside {}_perc1.dyr, which holds the supplies", target.stem)
      : supplies.empty()
          ? "complete: the load has no supplies, so there are no PERC1 records beside it"
          : fmt::format("complete alternative to PERC1, supplies and drives: read it instead of {0}_perc1.dyr, never "
                        "beside it; drives alone, beside PERC1: tidewatt export --format cmpldw --drives-only",
                        target.stem));
  h.line(fmt::format(
      "values in order: bus, 'USRLOD', load id, model, its sizes, then MVA; feeder Bss, Rfdr, Xfdr, Fb, Xxf, TfixHS, "
      "TfixLS, LTC, Tmin, Tmax, Step, Vmin, Vmax, Tdel, Ttap, Rcmp, Xcmp; FmA, FmB, FmC, FmD, Fel; PFel, Vd1, Vd2; "
      "PFs, "
      "P1e, P1c, P2e, P2c, Pfrq, Q1e, Q1c, Q2e, Q2c, Qfrq; 20 of each of the motors A, B, C and 35 of motor D, "
      "all absent{}",
      first ? "" : "; Frcel"));
  if (first) h.line("CMLDBLU1 has no Frcel: all of the electronic part comes back with the voltage");
  h.line(target.origin);
  std::string records;
  for (const auto* p : parts) {
    const auto& g = p->group;
    const auto* low = leaves_at(g);
    const std::string id = id_of(n_before + out.loads.size());
    h.line(fmt::format("load id {}: {:.6g} MW, {} ({}); {}", id, g.power_W * in_MW, g.name, grid::name(p->kind),
                       low ? fmt::format("its time of {:g} s at the limit, return after {:g} s and ramp of {:g} s are "
                                         "not held",
                                         low->after_s, g.return_s, g.ramp_s)
                           : "it never leaves by low voltage"));
    records += grid::cmpldw_record(target.bus, id, composite(*p, low), revision);
    out.loads.push_back({id, g.name, g.power_W});
  }
  for (const auto* m : parts_of(site, grid::LoadKind::motor))
    h.line(fmt::format("not held: {:.6g} MW, {}: motors and their contactors; give them motor records of your own",
                       m->group.power_W * in_MW, m->group.name));
  const bool beside = target.beside_perc1 && n_before > 0;
  say_site(site, power_of(parts), beside ? power_of(supplies) : 0.0,
           beside ? fmt::format("supplies, {} in {}_perc1.dyr", ids(1, n_before), target.stem) : "", h);
  for (const auto& open : site.open) h.line("not stated: " + open);
  h.line("the model has no timers and was not checked by playing");
  out.files = {text_file(target.stem + "_cmpldw.dyr", h.text() + records)};
  out.checked = "not checked by playing: the composite load has no timers";
  return out;
}

ModelFiles linjbl_model(const io::Waveform& window, const ModelTarget& target) {
  constexpr double begin_s = 1.0;  // as in PNNL's examples, after a flat start
  const auto load = grid::repeating_load(window.pcc_W, window.step_s, begin_s);
  const auto line = grid::largest_line(grid::power_spectrum(window.pcc_W, window.step_s));
  Header h;
  h.line(fmt::format("LINJBL for {} with PNNL's library, a load that repeats: 4 whole numbers and 8 values",
                     shown(program_of("linjbl", target))));
  h.line(target.origin);
  h.line(
      "values in order: bus, 'USRLOD', load id, model, its sizes; Flag1, Flag2, Flag3, Flag4; X start s, D duty, "
      "D_Fast, "
      "Freq Hz, Fast_Freq, NC cycles, Amp MW peak to peak, Amp1");
  h.line(fmt::format(
      "window {}: {:g} to {:g} s; its largest line at or above {:.3g} Hz (slower changes are drift, and a record holds "
      "one line): {:.6g} Hz, "
      "amplitude {:.4g} MW (Welch, Hann, segments of {:.4g} s); as the fundamental of a square wave of duty {:.3f}, "
      "{:.6g} MW from peak to peak; other lines and ramps are not held",
      window.window, window.first_s, window.first_s + static_cast<double>(window.pcc_W.size()) * window.step_s,
      line.lowest_Hz, line.frequency_Hz, line.amplitude_W * in_MW, line.segment_s, load.duty, load.peak_to_peak_MW));
  ModelFiles out;
  out.files = {text_file(target.stem + "_linjbl.dyr", h.text() + grid::linjbl_record(target.bus, "OS", load))};
  out.checked = fmt::format("{:.4g} Hz, amplitude {:.4g} MW", line.frequency_Hz, line.amplitude_W * in_MW);
  out.loads = {{"OS", "the largest line", 0.0}};
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
