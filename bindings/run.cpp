// Running: whole runs, and runs step by step.
#include "tidewatt/sim/run.hpp"

#include <pybind11/numpy.h>

#include "background.hpp"
#include "bind.hpp"
#include "study/hardware_figures.hpp"
#include "study/run_chance.hpp"
#include "study/scenario_tree.hpp"
#include "tidewatt/sim/gpu_hours.hpp"
#include "validate/model_error.hpp"

namespace TIDEWATT_NAMESPACE::bindings {
namespace {

using Clock = std::chrono::steady_clock;
double since_s(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What Ctrl-C or the user's progress callable raises stops the run; neither passes through the engine.
std::shared_ptr<RunResult> run(const std::shared_ptr<sim::Scenario>& scenario, std::size_t n_thread,
                               const py::object& progress, bool gpu_hours) {
  struct Shared {
    std::atomic<double> done_frac = 0.0;
    std::shared_ptr<RunResult> made;
  };
  const auto shared = std::make_shared<Shared>();
  in_background(
      [shared, scenario, n_thread, gpu_hours](const std::atomic<bool>& stop) {
        const auto begin = Clock::now();
        sim::GpuHours hours;
        sim::RunOptions options{n_thread, [&](double done_frac) {
                                  shared->done_frac = done_frac;
                                  return !stop;
                                }};
        if (gpu_hours) options.gpu_hours = &hours;
        auto result = sim::run(*scenario, options);
        if (gpu_hours)
          for (auto& array : hours.arrays()) result.arrays.push_back(std::move(array));
        study::add_hardware_figures(study::hardware_figures(*scenario), result);
        if (!stop) shared->made = make_result(std::move(result), since_s(begin));
      },
      [&] {
        if (!progress.is_none()) progress(shared->done_frac.load());
      });
  return shared->made;
}

std::string interval(const std::shared_ptr<sim::Scenario>& scenario, const std::shared_ptr<RunResult>& base,
                     std::int64_t n_draw, std::string catalog_overlay, const py::object& progress) {
  const auto made = std::make_shared<study::Chance>();
  in_background(
      [=, overlay = std::move(catalog_overlay)](const std::atomic<bool>& stop) {
        study::ChanceOptions options;
        options.n_input = n_draw;
        options.catalog_overlay = overlay;
        options.model = validate::model_part(validate::ledger(), scenario->text);
        options.stop = [&] { return stop.load(); };
        *made = study::run_chance(*scenario, base->result, options);
      },
      [&] {
        if (!progress.is_none()) progress();
      });
  return study::chance_file(*made, base->result, base->payload_sha256);
}

/// An engine that Python threads cannot drive into itself.
class Stepper {
 public:
  Stepper(const sim::Scenario& scenario, std::size_t n_thread)
      : hardware_(study::hardware_figures(scenario)), engine_(make(scenario, n_thread)) {}

  bool done() const { return idle().done(); }
  double time_s() const { return idle().time_s(); }

  py::array_t<double> die_K() const { return copy(idle().die_K()); }

  py::array_t<double> clock_Hz() const { return copy(idle().clock_Hz()); }
  py::array_t<double> inlet_K() const { return copy(idle().inlet_K()); }

  py::list ports() {
    idle();
    py::list out;
    for (const auto& p : engine_->ports()) {
      py::dict row;
      row["name"] = p.name;
      row["unit"] = p.unit;
      row["direction"] = p.direction == sim::Port::Direction::read ? "read" : "read and write";
      row["place"] = p.place;
      row["doc"] = p.doc;
      row["low"] = p.direction == sim::Port::Direction::read ? py::object(py::none()) : py::object(py::float_(p.low));
      row["high"] = p.direction == sim::Port::Direction::read ? py::object(py::none()) : py::object(py::float_(p.high));
      out.append(std::move(row));
    }
    return out;
  }

  py::object read(const std::string& port) {
    idle();
    const auto value = engine_->read(port);
    if (const auto* x = std::get_if<double>(&value)) return py::float_(*x);
    if (const auto* text = std::get_if<std::string>(&value)) return py::str(*text);
    return py::none();
  }

  void write(const std::string& port, double value) {
    idle();
    const Busy busy(*this);
    const py::gil_scoped_release no_gil;
    engine_->write(port, value);
  }

  void release(const std::string& port) {
    idle();
    const Busy busy(*this);
    const py::gil_scoped_release no_gil;
    engine_->release(port);
  }

  void advance_to(double t_s) {
    idle();
    const Busy busy(*this);
    const py::gil_scoped_release no_gil;
    engine_->advance_to(t_s);
  }

  py::bytes save() {
    idle();
    return py::bytes(engine_->save());
  }

  void restore(const std::string& bytes) {
    idle();
    const Busy busy(*this);
    const py::gil_scoped_release no_gil;
    engine_->restore(bytes);
  }

  void step() {
    if (idle().done()) throw std::runtime_error("the run is over: call finish()");
    const Busy busy(*this);
    const py::gil_scoped_release no_gil;
    engine_->step();
  }

  std::shared_ptr<RunResult> finish() {
    idle();
    const Busy busy(*this);
    const py::gil_scoped_release no_gil;
    auto engine = std::move(engine_);
    auto result = engine->finish();
    study::add_hardware_figures(hardware_, result);
    return make_result(std::move(result), since_s(start_));
  }

 private:
  static py::array_t<double> copy(std::span<const double> now) {  // the next step moves on
    return py::array_t<double>(static_cast<py::ssize_t>(now.size()), now.data());
  }

  // Both are read and set with the GIL held.
  struct Busy {
    explicit Busy(Stepper& s) : stepper(s) { stepper.busy_ = true; }
    ~Busy() { stepper.busy_ = false; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    Stepper& stepper;
  };

  static std::unique_ptr<sim::Engine> make(const sim::Scenario& scenario, std::size_t n_thread) {
    const py::gil_scoped_release no_gil;
    return std::make_unique<sim::Engine>(scenario, sim::RunOptions{n_thread, {}});
  }

  const sim::Engine& idle() const {
    if (busy_) throw std::runtime_error("another thread is stepping this engine");
    if (!engine_) throw std::runtime_error("this engine has finished");
    return *engine_;
  }

  study::HardwareFigures hardware_;
  Clock::time_point start_ = Clock::now();
  std::unique_ptr<sim::Engine> engine_;
  bool busy_ = false;
};

}  // namespace

void bind_run(py::module_& m) {
  const py::cpp_function join([] {
    const py::gil_scoped_release no_gil;
    join_background();
  });
  py::module_::import("atexit").attr("register")(join);
  m.def("run", &run, py::arg("scenario"), py::arg("n_thread"), py::arg("progress"), py::arg("gpu_hours"));
  m.def("interval", &interval, py::arg("scenario"), py::arg("base"), py::arg("n_draw"), py::arg("catalog_overlay"),
        py::arg("progress"));
  py::class_<Stepper>(m, "Engine")
      .def(py::init<const sim::Scenario&, std::size_t>(), py::arg("scenario"), py::arg("n_thread"))
      .def_property_readonly("done", &Stepper::done)
      .def_property_readonly("time_s", &Stepper::time_s)
      .def_property_readonly("die_K", &Stepper::die_K)
      .def_property_readonly("clock_Hz", &Stepper::clock_Hz)
      .def_property_readonly("inlet_K", &Stepper::inlet_K)
      .def("ports", &Stepper::ports)
      .def("read", &Stepper::read, py::arg("port"))
      .def("write", &Stepper::write, py::arg("port"), py::arg("value"))
      .def("release", &Stepper::release, py::arg("port"))
      .def("advance_to", &Stepper::advance_to, py::arg("t_s"))
      .def("save", &Stepper::save)
      .def("restore", &Stepper::restore, py::arg("saved"))
      .def("step", &Stepper::step)
      .def("finish", &Stepper::finish);
}

}  // namespace TIDEWATT_NAMESPACE::bindings
