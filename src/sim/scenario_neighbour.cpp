#include "base/path_below.hpp"
#include "scenario_reading.hpp"
#include "scenario_recheck.hpp"
#include "workload/mlperf_log.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

void check_activity(const std::string& path, const NeighbourSpec& n, std::vector<Finding>& findings) {
  if (!n.recording.is_power && !(n.replay.full_W > n.replay.empty_W))
    findings.push_back({{},
                        path + ".full_W",
                        fmt::format("a recording of activity needs the power at full activity, above empty_W = {}",
                                    n.replay.empty_W)});
}

void read_recording(Reading& reading, const Node& node, const std::string& path, const LoadOptions& options,
                    const std::string& folder, NeighbourSpec& n) {
  std::string file;
  for (const auto& item : options.recording)
    if (item.starts_with(n.name + "=")) file = item.substr(n.name.size() + 1);
  if (file.empty() && n.replay.file.empty())
    return reading.findings.push_back(
        {node.place, path + ".file", "name a recording below the scenario's folder, or use --recording NAME=FILE"});
  if (file.empty()) {
    const auto below_folder = path_below(folder, n.replay.file);
    if (!below_folder)
      return reading.findings.push_back(
          {node.find("file")->place, path + ".file",
           fmt::format("'{}' must be a file below the scenario's folder", n.replay.file)});
    file = *below_folder;
  }
  try {
    n.recording = n.replay.format == RecordingFormat::mlperf ? workload::read_mlperf_power(file)
                                                             : workload::read_trace(file, n.columns);
  } catch (const InputError& e) {
    for (const auto& f : e.findings()) reading.findings.push_back(f);
  }
  check_activity(path, n, reading.findings);
}

/// The keys of a neighbour of its kind, tables aside.
void keys_of_kind(NeighbourSpec& n, FieldVisitor& v) {
  if (n.kind == NeighbourKind::inference) {
    v.text("hall", n.hall, "hall with the same type of servers and GPUs");
    v.number("inlet_degC", n.inlet_K, {-10, 60}, "inlet air of its servers");
  } else {
    n.replay.fields(v);
    if (n.replay.format == RecordingFormat::csv) n.columns.fields(v);
  }
}

}  // namespace

void ReplayParams::fields(FieldVisitor& v) {
  v.text("file", file, "recording, in the scenario's folder or below", Need::optional);
  choose(v, "format", format, "file format of the recording", Need::optional);
  v.integer("n_copy", n_copy, {1, 1e6}, "number of copies of the recorded load, all in phase", Need::optional);
  v.number("begin_s", begin_s, {-3.5e7, 3.5e7}, "time of its first sample, since the start of the run", Need::optional);
  v.flag("repeat", repeat, "true: the recording repeats", Need::optional);
  v.number("outside_W", outside_W, {0, 1e9}, "power of one copy outside the recording", Need::optional);
  v.number("empty_W", empty_W, {0, 1e9}, "activity: power of a channel at 0", Need::optional);
  v.number("full_W", full_W, {0, 1e9}, "activity: power of a channel at 1", Need::optional);
}

void read_neighbour(Reading& reading, const Node& node, const std::string& path, const LoadOptions& options,
                    Scenario& s) {
  NeighbourSpec& n = s.neighbours.emplace_back();
  TableReader r = reading.table(node, path);
  r.text("name", n.name, "name of the neighbour");
  const std::size_t known = reading.findings.size();
  choose(r, "kind", n.kind, "type of the neighbour");
  if (reading.findings.size() > known) return;  // its other keys depend on its kind: one finding is enough
  keys_of_kind(n, r);
  if (n.kind == NeighbourKind::inference) {
    reading.read(reading.entry(r, "model", "model", "model that is served"), path + ".model", n.model);
    reading.read(reading.entry(r, "network", "network", "network within and between its servers"), path + ".network",
                 n.network);
    reading.section(r, "service", n.service, "requests and how they are served");
  }
  const std::size_t before = reading.findings.size();
  r.finish();
  if (n.kind == NeighbourKind::replay && reading.findings.size() == before)
    read_recording(reading, node, path, options, s.folder, n);
}

void recheck_neighbour(Recheck& c, const std::string& path, NeighbourSpec& n) {
  NeighbourSpec unset;
  unset.kind = n.kind;
  c.table(path, [&](FieldVisitor& v) { keys_of_kind(n, v); }, [&](FieldVisitor& v) { keys_of_kind(unset, v); });
  if (n.kind == NeighbourKind::replay) return check_activity(path, n, c.findings());
  c.table(path + ".model", n.model);
  c.table(path + ".network", n.network);
  c.table(path + ".service", n.service);
}

}  // namespace TIDEWATT_NAMESPACE::sim
