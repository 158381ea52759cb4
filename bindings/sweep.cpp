// Sweeps: cases, their durable record, and the table.
#include "study/sweep.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>

#include "background.hpp"
#include "bind.hpp"
#include "study/compare.hpp"
#include "study/new_scenario.hpp"
#include "study/sensitivity.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::bindings {
namespace {

using Runner = study::CaseRunner;

std::shared_ptr<Runner> open_sweep(const std::string& path, std::string scenario, std::string mode,
                                   std::vector<std::string> set, std::string weather_epw, std::string catalog_overlay) {
  const py::gil_scoped_release no_gil;
  return std::make_shared<Runner>(
      path,
      study::SweepOptions{
          std::move(scenario), std::move(mode), {std::move(set), std::move(weather_epw), std::move(catalog_overlay)}});
}

/// Runs in processes of its own. They are forks that never enter Python; only this one does, between cases.
py::dict run(const Runner& runner, const std::string& folder, std::size_t n_worker, std::size_t shard,
             std::size_t n_shard, bool retry_failed, const py::object& progress) {
  std::optional<py::error_already_set> raised;
  const auto in_python = [&](auto&& call) {
    const py::gil_scoped_acquire gil;
    try {
      call();
    } catch (py::error_already_set& e) {
      raised = std::move(e);
    }
  };
  study::SweepRunOptions options{{shard, n_shard}, n_worker, retry_failed, {}, {}};
  if (!progress.is_none())
    options.progress = [&](const study::SweepProgress& p) {
      if (!raised) in_python([&] { progress(p.n_done, p.n_total, p.n_failed); });
    };
  options.stop = [&] {
    if (!raised)
      in_python([] {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      });
    return raised.has_value();
  };
  study::SweepOutcome o;
  {
    const py::gil_scoped_release no_gil;
    o = study::run_sweep(runner, folder, options);
  }
  if (raised) throw py::error_already_set(std::move(*raised));
  py::dict out;
  out["n_total"] = o.n_total;
  out["n_done"] = o.n_done;
  out["n_failed"] = o.n_failed;
  out["n_ran"] = o.n_ran;
  out["damaged"] = o.damaged;
  return out;
}

/// The table's columns by name, in order: arrays of numbers, lists of text; and why there is no analysis, empty if there may be one.
py::tuple merge(const Runner& runner, const std::string& folder) {
  study::SweepTable table;
  std::string refusal;
  {
    const py::gil_scoped_release no_gil;
    table = study::merge_sweep(runner, folder);
    refusal = study::refused_analysis(runner.spec(), table);
  }
  py::list out;
  for (const auto& c : table.columns) {
    py::object values;
    if (const auto* d = std::get_if<std::vector<double>>(&c.values))
      values = py::array_t<double>(static_cast<py::ssize_t>(d->size()), d->data());
    if (const auto* i = std::get_if<std::vector<std::int64_t>>(&c.values))
      values = py::array_t<std::int64_t>(static_cast<py::ssize_t>(i->size()), i->data());
    if (const auto* s = std::get_if<std::vector<std::string>>(&c.values)) values = py::cast(*s);
    out.append(py::make_tuple(c.name, values));
  }
  return py::make_tuple(out, refusal);
}

/// A sweep's folder for an executor: this process notes, others run cases.
class Folder {
 public:
  Folder(std::shared_ptr<Runner> runner, const std::string& folder)
      : runner_(std::move(runner)), store_(folder, runner_->plan_text(), runner_->cases().size()) {}

  py::tuple lock(std::size_t shard, std::size_t n_shard, bool retry_failed) {
    store_.lock({shard, n_shard});
    const auto state = store_.read();
    store_.take_up(state);
    store_.set_aside(state);
    return py::make_tuple(study::unfinished(runner_->cases(), {shard, n_shard}, state.finished, retry_failed),
                          state.damaged);
  }
  void run_case(std::size_t i) {
    if (i >= runner_->cases().size()) throw InputError("no such case");
    const py::gil_scoped_release no_gil;
    store_.put(runner_->run(i, store_));
  }
  void unlock() { store_.unlock(); }
  bool note(std::size_t i) { return store_.note(i).failed(); }
  bool bury(std::size_t i, const std::string& why) {
    store_.put({i, store_.plan(), "crash", why, {}, ""});
    return note(i);
  }

 private:
  std::shared_ptr<Runner> runner_;
  study::CaseStore store_;
};

py::tuple compare(const std::string& before, const std::string& after, std::vector<std::string> set,
                  std::string weather_epw, std::string catalog_overlay, bool alone) {
  const auto made = std::make_shared<study::Comparison>();
  in_background([made, before, after, alone,
                 load = sim::LoadOptions{std::move(set), std::move(weather_epw), std::move(catalog_overlay)}](
                    const std::atomic<bool>& stop) {
    *made = study::compare(before, after, load, alone, [&] { return stop.load(); });
  });
  const study::Comparison& c = *made;
  py::list keys, figures;
  for (const auto& k : c.keys) {
    py::dict row;
    row["key"] = k.key;
    row["before"] = k.before;
    row["after"] = k.after;
    row["behind_name"] = k.behind_name;
    keys.append(std::move(row));
  }
  for (const auto& f : c.figures) {
    py::dict row;
    row["name"] = f.name;
    row["before"] = f.before;
    row["after"] = f.after;
    for (std::size_t i = 0; i < f.alone.size(); ++i)
      if (!c.keys[i].behind_name) row[py::str(c.keys[i].key)] = f.alone[i];
    figures.append(std::move(row));
  }
  return py::make_tuple(keys, figures, c.text());
}

std::string new_scenario(std::optional<std::int64_t> n_gpu, std::optional<std::int64_t> racks, double duration_h,
                         std::optional<double> supply_degC, const std::map<std::string, std::string>& names) {
  study::NewScenario o;
  o.n_gpu = n_gpu;
  o.n_rack = racks;
  o.supply_degC = supply_degC;
  o.duration_h = duration_h;
  const std::map<std::string, std::string*> known = {
      {"gpu", &o.gpu},         {"server", &o.server}, {"plant", &o.plant}, {"climate", &o.climate}, {"model", &o.model},
      {"network", &o.network}, {"feeder", &o.feeder}, {"grid", &o.grid},   {"rack", &o.rack}};
  for (const auto& [kind, name] : names) {
    if (!known.contains(kind)) throw InputError("no kind of catalog entry in a new scenario: " + kind);
    *known.at(kind) = name;
  }
  return study::new_scenario(o);
}

}  // namespace

void bind_sweep(py::module_& m) {
  py::class_<Runner, std::shared_ptr<Runner>>(m, "Sweep")
      .def(py::init(&open_sweep), py::arg("path"), py::arg("scenario"), py::arg("mode"), py::arg("set"),
           py::arg("weather_epw"), py::arg("catalog_overlay"))
      .def_property_readonly("n_case", [](const Runner& r) { return r.cases().size(); })
      .def_property_readonly("names", [](const Runner& r) { return r.cases().names; })
      .def_property_readonly("notes", &Runner::notes)
      .def_property_readonly("mode", [](const Runner& r) { return r.spec().mode; })
      .def(
          "assignments",
          [](const Runner& r, std::size_t i) {
            if (i >= r.cases().size()) throw py::index_error("no such case");
            return r.cases().assignments(i);
          },
          py::arg("i"))
      .def("run", &run, py::arg("folder"), py::arg("n_worker"), py::arg("shard"), py::arg("n_shard"),
           py::arg("retry_failed"), py::arg("progress"))
      .def("merge", &merge, py::arg("folder"));
  py::class_<Folder>(m, "SweepFolder")
      .def(py::init<std::shared_ptr<Runner>, const std::string&>(), py::arg("sweep"), py::arg("folder"))
      .def("lock", &Folder::lock, py::arg("shard"), py::arg("n_shard"), py::arg("retry_failed"))
      .def("unlock", &Folder::unlock)
      .def("run_case", &Folder::run_case, py::arg("i"))
      .def("note", &Folder::note, py::arg("i"))
      .def("bury", &Folder::bury, py::arg("i"), py::arg("why"));
  m.def("compare", &compare, py::arg("before"), py::arg("after"), py::arg("set"), py::arg("weather_epw"),
        py::arg("catalog_overlay"), py::arg("alone"));
  m.def("new_scenario", &new_scenario, py::arg("n_gpu"), py::arg("racks"), py::arg("duration_h"),
        py::arg("supply_degC"), py::arg("names"));
}

}  // namespace TIDEWATT_NAMESPACE::bindings
