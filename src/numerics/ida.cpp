#include "ida.hpp"

#include <fmt/format.h>
#include <ida/ida.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>

#include "sundials.hpp"

namespace TIDEWATT_NAMESPACE::numerics {

using namespace sundials;

struct Ida::Impl {
  DaeShape shape;
  long steps = 0;
  SUNContext context = nullptr;
  N_Vector y = nullptr, slope = nullptr, tolerance = nullptr, kind = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  void* memory = nullptr;
  const DaeSystem* system = nullptr;
  std::vector<double> base, shifted_y, shifted;

  explicit Impl(DaeShape s) : shape(std::move(s)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();
  void make();
  void begin(const DaeSystem& dae, std::span<const double> from, double duration_s, double time_s);
  std::string worst() const;
  static int residual(double t, N_Vector y, N_Vector slope, N_Vector r, void* self);
  static int jacobian(double t, double cj, N_Vector y, N_Vector slope, N_Vector r, SUNMatrix J, void* self, N_Vector,
                      N_Vector, N_Vector);
};

Ida::Impl::~Impl() {
  if (memory) IDAFree(&memory);
  if (linear) SUNLinSolFree(linear);
  if (matrix) SUNMatDestroy(matrix);
  for (N_Vector v : {y, slope, tolerance, kind})
    if (v) N_VDestroy(v);
  if (context) SUNContext_Free(&context);
}

int Ida::Impl::residual(double t, N_Vector y, N_Vector slope, N_Vector r, void* self) {
  Impl& me = *static_cast<Impl*>(self);
  const auto out = values(r), rate = values(slope);
  me.system->equations(t, values(y), out);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (me.shape.differential[i]) out[i] -= rate[i];
  return all_finite(out) ? 0 : 1;  // 1: recoverable, a shorter step is tried
}

int Ida::Impl::jacobian(double t, double cj, N_Vector y, N_Vector, N_Vector, SUNMatrix J, void* self, N_Vector,
                        N_Vector, N_Vector) {
  Impl& me = *static_cast<Impl*>(self);
  const auto at = values(y);
  const std::size_t n = at.size();
  me.system->equations(t, at, me.base);
  me.shifted_y.assign(at.begin(), at.end());
  for (std::size_t j = 0; j < n; ++j) {
    const double size = std::max(std::abs(at[j]), me.shape.typical[j]);
    me.shifted_y[j] = at[j] + 1.5e-8 * size;  // about the square root of the rounding unit
    const double step = me.shifted_y[j] - at[j];
    me.system->equations(t, me.shifted_y, me.shifted);
    me.shifted_y[j] = at[j];
    double* column = SM_COLUMN_D(J, static_cast<sunindextype>(j));
    for (std::size_t i = 0; i < n; ++i) column[i] = (me.shifted[i] - me.base[i]) / step;
    if (me.shape.differential[j]) column[j] -= cj;
    if (!all_finite({column, n})) return 1;
  }
  return 0;
}

void Ida::Impl::make() {
  const std::size_t size = shape.names.size();
  const auto n = static_cast<sunindextype>(size);
  done(SUNContext_Create(no_communicator, &context), "context");
  for (N_Vector* v : {&y, &slope, &tolerance, &kind}) {
    *v = made(N_VNew_Serial(n, context), "vector");
    N_VConst(0.0, *v);
  }
  for (std::size_t i = 0; i < size; ++i) {
    values(tolerance)[i] = shape.rtol * shape.typical[i];
    values(kind)[i] = shape.differential[i] ? 1.0 : 0.0;
  }
  matrix = made(SUNDenseMatrix(n, n, context), "matrix");
  linear = made(SUNLinSol_Dense(y, matrix, context), "linear solver");
  memory = made(IDACreate(context), "integrator");
#if SUNDIALS_VERSION_MAJOR < 7
  // The library does not print: the return code reports errors.
  done(IDASetErrHandlerFn(memory, [](int, const char*, const char*, char*, void*) {}, nullptr), "error handler");
#else
  done(SUNContext_ClearErrHandlers(context), "error handler");
#endif
  done(IDAInit(memory, residual, 0.0, y, slope), "IDAInit");
  done(IDASVtolerances(memory, shape.rtol, tolerance), "tolerances");
  done(IDASetUserData(memory, this), "user data");
  done(IDASetMaxNumSteps(memory, shape.max_steps), "step limit");
  done(IDASetId(memory, kind), "kinds");
  done(IDASetLinearSolver(memory, linear, matrix), "linear solver");
  done(IDASetJacFn(memory, jacobian), "Jacobian");
  base.resize(size);
  shifted.resize(size);
}

void Ida::Impl::begin(const DaeSystem& dae, std::span<const double> from, double duration_s, double time_s) {
  if (from.size() != shape.names.size() || !(duration_s > 0.0) || !all_finite(from))
    throw SolverError(fmt::format("at {:.6f} s: a step needs {} finite values and a positive length, got {} and {} s",
                                  time_s, shape.names.size(), from.size(), duration_s));
  std::copy(from.begin(), from.end(), values(y).begin());
  system = &dae;
  dae.equations(0.0, values(y), base);
  for (std::size_t i = 0; i < base.size(); ++i) values(slope)[i] = shape.differential[i] ? base[i] : 0.0;
  done(IDAReInit(memory, 0.0, y, slope), "IDAReInit");
  done(IDASetStopTime(memory, duration_s), "stop time");
  const int status = IDACalcIC(memory, IDA_YA_YDP_INIT, duration_s);
  if (status < 0)
    throw SolverError(fmt::format("at {:.6f} s: no algebraic values fit the inputs (IDACalcIC code {}); worst: {}",
                                  time_s, status, worst()));
  done(IDAGetConsistentIC(memory, y, slope), "consistent values");
}

// The three largest residuals in units of tolerance per second or of tolerance.
std::string Ida::Impl::worst() const {
  std::vector<double> out(shape.names.size());
  system->equations(0.0, values(y), out);
  std::vector<std::pair<double, std::size_t>> ranked;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double r = out[i] - (shape.differential[i] ? values(slope)[i] : 0.0);
    ranked.emplace_back(std::isfinite(r) ? std::abs(r) / shape.typical[i] : 1e300, i);
  }
  return three_worst(std::move(ranked), shape.names, "");
}

Ida::Ida(DaeShape shape) {
  const std::size_t n = shape.names.size();
  const bool fits = n > 0 && shape.typical.size() == n && shape.differential.size() == n && shape.max_steps > 0;
  const bool positive =
      std::all_of(shape.typical.begin(), shape.typical.end(), [](double x) { return x > 0.0 && std::isfinite(x); });
  const bool moves = std::count(shape.differential.begin(), shape.differential.end(), true) > 0;
  if (!fits || !positive || !moves || !(shape.rtol >= 1e-10 && shape.rtol <= 1e-2))
    throw InputError("differential-algebraic equations: names, typical sizes, kinds and tolerance do not fit together");
  impl_ = std::make_unique<Impl>(std::move(shape));
  impl_->make();
}

Ida::~Ida() = default;
Ida::Ida(Ida&&) noexcept = default;
Ida& Ida::operator=(Ida&&) noexcept = default;

long Ida::steps() const { return impl_->steps; }

void Ida::make_consistent(const DaeSystem& system, std::span<double> y, double time_s) {
  Impl& me = *impl_;
  me.begin(system, y, 1e-3, time_s);
  std::copy(values(me.y).begin(), values(me.y).end(), y.begin());
}

void Ida::advance(const DaeSystem& system, std::span<double> y, double duration_s, double time_s) {
  Impl& me = *impl_;
  me.begin(system, y, duration_s, time_s);
  double reached = 0.0;
  const int status = IDASolve(me.memory, duration_s, &reached, me.y, me.slope, IDA_NORMAL);
  IDAGetNumSteps(me.memory, &me.steps);
  if (status < 0 || reached != duration_s || !all_finite(values(me.y)))
    throw SolverError(
        fmt::format("at {:.6f} s: IDA stopped with code {} after {} steps, {:.6g} s into a step of {:.6g} s; worst: {}",
                    time_s, status, me.steps, reached, duration_s, me.worst()));
  std::copy(values(me.y).begin(), values(me.y).end(), y.begin());
}

std::vector<double> dae_jacobian(const DaeSystem& system, double t_s, std::span<const double> y,
                                 std::span<const double> typical) {
  const std::size_t n = y.size();
  std::vector<double> J(n * n), up(n), down(n), at(y.begin(), y.end());
  for (std::size_t j = 0; j < n; ++j) {
    const double h = 1e-5 * typical[j];
    at[j] = y[j] + h;
    const double above = at[j];
    system.equations(t_s, at, up);
    at[j] = y[j] - h;
    const double step = above - at[j];
    system.equations(t_s, at, down);
    at[j] = y[j];
    for (std::size_t i = 0; i < n; ++i) J[i * n + j] = (up[i] - down[i]) / step;
  }
  return J;
}

}  // namespace TIDEWATT_NAMESPACE::numerics
