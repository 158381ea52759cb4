#include "cvode.hpp"

#include <cvode/cvode.h>
#include <fmt/format.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>

#include "sundials.hpp"

namespace TIDEWATT_NAMESPACE::bench {

using namespace sundials;
using numerics::OdeShape;
using numerics::OdeSystem;

struct Cvode::Impl {
  OdeShape shape;
  SUNContext context = nullptr;
  N_Vector y = nullptr, tolerance = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  void* memory = nullptr;
  const OdeSystem* system = nullptr;
  std::vector<double> shifted_y, shifted_f;
  std::vector<double> slope;           // df/dy: one column of all values per coupled one
  std::vector<double> lu, meter_rows;  // of I - γ df/dy: coupled block, rows of the meters; column-major
  std::vector<std::size_t> pivot;

  explicit Impl(OdeShape s) : shape(std::move(s)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();
  void make();
  std::string worst() const;
  int factor();
  int solve(N_Vector x, N_Vector b) const;
  static SUNLinearSolver make_block_solver(SUNContext context, Impl& self);
  static int rhs(double t, N_Vector y, N_Vector f, void* self);
  bool find_slope(double t, std::span<const double> base_y, std::span<const double> base_f);
  static int newton_matrix(double t, N_Vector y, N_Vector f, SUNMatrix, sunbooleantype keep, sunbooleantype* found,
                           double gamma, void* self, N_Vector, N_Vector, N_Vector);
};

Cvode::Impl::~Impl() {
  if (memory) CVodeFree(&memory);
  if (linear) SUNLinSolFree(linear);
  if (matrix) SUNMatDestroy(matrix);
  if (y) N_VDestroy(y);
  if (tolerance) N_VDestroy(tolerance);
  if (context) SUNContext_Free(&context);
}

int Cvode::Impl::rhs(double t, N_Vector y, N_Vector f, void* self) {
  Impl& me = *static_cast<Impl*>(self);
  me.system->rhs(t, values(y), values(f));
  return all_finite(values(f)) ? 0 : 1;  // 1: recoverable, a shorter step is tried
}

// Difference quotients of the coupled columns only: f does not depend on the meters, so their columns are zero.
bool Cvode::Impl::find_slope(double t, std::span<const double> base_y, std::span<const double> base_f) {
  const std::size_t all = shape.names.size();
  shifted_y.assign(base_y.begin(), base_y.end());
  for (std::size_t j = 0; j < shape.n_coupled; ++j) {
    const double size = std::max(std::abs(base_y[j]), shape.typical[j]);
    shifted_y[j] = base_y[j] + 1.5e-8 * size;  // about the square root of the rounding unit
    const double step = shifted_y[j] - base_y[j];
    system->rhs(t, shifted_y, shifted_f);
    shifted_y[j] = base_y[j];
    double* column = &slope[j * all];
    for (std::size_t i = 0; i < all; ++i) column[i] = (shifted_f[i] - base_f[i]) / step;
    if (!all_finite({column, all})) return false;
  }
  return true;
}

// The Newton matrix is block triangular, [A 0; B I]: meters enter no rate. It is formed where it is factored: the dense
// matrices that CVODE would form, copy and scale over all values took more time than the equations.
int Cvode::Impl::newton_matrix(double t, N_Vector y, N_Vector f, SUNMatrix, sunbooleantype keep, sunbooleantype* found,
                               double gamma, void* self, N_Vector, N_Vector, N_Vector) {
  Impl& me = *static_cast<Impl*>(self);
  *found = keep ? SUNFALSE : SUNTRUE;
  if (!keep && !me.find_slope(t, values(y), values(f))) return 1;
  const std::size_t n = me.shape.n_coupled, meters = me.shape.names.size() - n;
  for (std::size_t j = 0; j < n; ++j) {
    const double* column = &me.slope[j * (n + meters)];
    for (std::size_t i = 0; i < n; ++i) me.lu[j * n + i] = -gamma * column[i];
    me.lu[j * n + j] += 1.0;
    for (std::size_t i = 0; i < meters; ++i) me.meter_rows[j * meters + i] = -gamma * column[n + i];
  }
  return 0;
}

int Cvode::Impl::factor() {
  const std::size_t n = shape.n_coupled;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(lu[k * n + i]) > std::abs(lu[k * n + p])) p = i;
    pivot[k] = p;
    if (lu[k * n + p] == 0.0) return 1;
    if (p != k)
      for (std::size_t j = 0; j < n; ++j) std::swap(lu[j * n + k], lu[j * n + p]);
    const double inverse = 1.0 / lu[k * n + k];
    for (std::size_t i = k + 1; i < n; ++i) lu[k * n + i] *= inverse;
    for (std::size_t j = k + 1; j < n; ++j) {
      const double factor = lu[j * n + k];
      if (factor == 0.0) continue;
      for (std::size_t i = k + 1; i < n; ++i) lu[j * n + i] -= factor * lu[k * n + i];
    }
  }
  return 0;
}

int Cvode::Impl::solve(N_Vector x_vector, N_Vector b_vector) const {
  const std::size_t n = shape.n_coupled, meters = shape.names.size() - n;
  const auto x = values(x_vector), b = values(b_vector);
  if (x.data() != b.data()) std::copy(b.begin(), b.end(), x.begin());
  for (std::size_t k = 0; k < n; ++k) std::swap(x[k], x[pivot[k]]);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) x[i] -= x[k] * lu[k * n + i];
  for (std::size_t k = n; k-- > 0;) {
    x[k] /= lu[k * n + k];
    for (std::size_t i = 0; i < k; ++i) x[i] -= x[k] * lu[k * n + i];
  }
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < meters; ++i) x[n + i] -= x[j] * meter_rows[j * meters + i];
  return 0;
}

SUNLinearSolver Cvode::Impl::make_block_solver(SUNContext context, Impl& self) {
  SUNLinearSolver solver = SUNLinSolNewEmpty(context);
  if (!solver) return nullptr;
  solver->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  solver->ops->setup = [](SUNLinearSolver s, SUNMatrix) { return static_cast<Impl*>(s->content)->factor(); };
  solver->ops->solve = [](SUNLinearSolver s, SUNMatrix, N_Vector x, N_Vector b, sunrealtype) {
    return static_cast<Impl*>(s->content)->solve(x, b);
  };
  solver->ops->free = [](SUNLinearSolver s) {
    s->content = nullptr;  // owned by Impl
    SUNLinSolFreeEmpty(s);
    return 0;
  };
  solver->content = &self;
  return solver;
}

void Cvode::Impl::make() {
  const auto n = static_cast<sunindextype>(shape.names.size());
  done(SUNContext_Create(no_communicator, &context), "context");
  y = made(N_VNew_Serial(n, context), "vector");
  tolerance = made(N_VNew_Serial(n, context), "vector");
  for (std::size_t i = 0; i < shape.typical.size(); ++i) values(tolerance)[i] = shape.rtol * shape.typical[i];
  N_VConst(0.0, y);
  matrix = made(SUNDenseMatrix(n, n, context), "matrix");
  const std::size_t coupled = shape.n_coupled;
  lu.resize(coupled * coupled);
  meter_rows.resize(coupled * (shape.names.size() - coupled));
  pivot.resize(coupled);
  linear = made(make_block_solver(context, *this), "linear solver");
  memory = made(CVodeCreate(CV_BDF, context), "integrator");
#if SUNDIALS_VERSION_MAJOR < 7
  // The library does not print: the return code reports errors.
  done(CVodeSetErrHandlerFn(memory, [](int, const char*, const char*, char*, void*) {}, nullptr), "error handler");
#else
  done(SUNContext_ClearErrHandlers(context), "error handler");
#endif
  done(CVodeInit(memory, rhs, 0.0, y), "CVodeInit");
  done(CVodeSVtolerances(memory, shape.rtol, tolerance), "tolerances");
  done(CVodeSetUserData(memory, this), "user data");
  done(CVodeSetMaxNumSteps(memory, shape.max_steps), "step limit");
  done(CVodeSetLinearSolver(memory, linear, matrix), "linear solver");
  done(CVodeSetLinSysFn(memory, newton_matrix), "Newton matrix");
  slope.resize(coupled * shape.names.size());
  shifted_f.resize(shape.names.size());
}

// The three components with the largest error estimates, in units of their tolerance.
std::string Cvode::Impl::worst() const {
  N_Vector error = N_VClone(y), weight = N_VClone(y);
  std::string text;
  if (error && weight && CVodeGetEstLocalErrors(memory, error) == 0 && CVodeGetErrWeights(memory, weight) == 0) {
    std::vector<std::pair<double, std::size_t>> ranked;
    ranked.reserve(shape.names.size());
    for (std::size_t i = 0; i < shape.names.size(); ++i)
      ranked.emplace_back(std::abs(values(error)[i]) * values(weight)[i], i);
    text = three_worst(std::move(ranked), shape.names, " tolerances");
  }
  if (error) N_VDestroy(error);
  if (weight) N_VDestroy(weight);
  return text;
}

Cvode::Cvode(OdeShape shape) {
  const std::size_t n = shape.names.size();
  const bool sizes_fit = n > 0 && shape.typical.size() == n && shape.n_coupled <= n && shape.max_steps > 0;
  const bool positive =
      std::all_of(shape.typical.begin(), shape.typical.end(), [](double x) { return x > 0.0 && std::isfinite(x); });
  if (!sizes_fit || !positive || !(shape.rtol >= 1e-12 && shape.rtol <= 1e-2))
    throw InputError("differential equations: names, typical sizes and tolerance do not fit together");
  impl_ = std::make_unique<Impl>(std::move(shape));
  impl_->make();
}

Cvode::~Cvode() = default;
Cvode::Cvode(Cvode&&) noexcept = default;
Cvode& Cvode::operator=(Cvode&&) noexcept = default;

void Cvode::advance(const OdeSystem& system, std::span<double> y, double duration_s, double time_s) {
  Impl& me = *impl_;
  if (y.size() != me.shape.names.size() || !(duration_s > 0.0) || !all_finite(y))
    throw SolverError(
        fmt::format("at {:.6f} s: a step needs {} finite values and a positive length, got {} values and {} s", time_s,
                    me.shape.names.size(), y.size(), duration_s));
  std::copy(y.begin(), y.end(), values(me.y).begin());
  me.system = &system;
  done(CVodeReInit(me.memory, 0.0, me.y), "CVodeReInit");
  // Release 6.4.1 keeps the stop time of an earlier call; every step sets its own, later than its start.
  done(CVodeSetStopTime(me.memory, duration_s), "stop time");
  double reached = 0.0;
  const int status = CVode(me.memory, duration_s, me.y, &reached, CV_NORMAL);
  me.system = nullptr;
  long steps = 0;
  CVodeGetNumSteps(me.memory, &steps);
  if (status < 0 || reached != duration_s || !all_finite(values(me.y)))
    throw SolverError(fmt::format(
        "at {:.6f} s: CVODE stopped with code {} after {} steps, {:.6g} s into a step of {:.6g} s; worst: {}", time_s,
        status, steps, reached, duration_s, me.worst()));
  std::copy(values(me.y).begin(), values(me.y).end(), y.begin());
}

}  // namespace TIDEWATT_NAMESPACE::bench
