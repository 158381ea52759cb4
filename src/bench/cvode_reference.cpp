#include "cvode_reference.hpp"

#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "package_ode.hpp"
#include "sundials.hpp"
#include "tidewatt/base/error.hpp"
#include "timing.hpp"

namespace TIDEWATT_NAMESPACE::bench::detail {
namespace {

using sundials::done;

int rhs(double, N_Vector y, N_Vector f, void* self) {
  static_cast<const PackageOde*>(self)->rhs(NV_DATA_S(y), NV_DATA_S(f));
  return 0;
}

int jacobian(double, N_Vector y, N_Vector, SUNMatrix J, void* self, N_Vector, N_Vector, N_Vector) {
  static_cast<const PackageOde*>(self)->jacobian(NV_DATA_S(y), SUNSparseMatrix_IndexPointers(J),
                                                 SUNSparseMatrix_IndexValues(J), SUNSparseMatrix_Data(J));
  return 0;
}

/// CVODE with one of the two methods, freed in its destructor.
class Solver {
 public:
  Solver(PackageOde& ode, const CvodeSettings& s) {
    done(SUNContext_Create(sundials::no_communicator, &context_), "context");
    const auto n = static_cast<sunindextype>(ode.size());
    y_ = N_VNew_Serial(n, context_);
    ode.start(NV_DATA_S(y_));
    memory_ = CVodeCreate(s.adams ? CV_ADAMS : CV_BDF, context_);
    done(CVodeInit(memory_, rhs, 0.0, y_), "CVodeInit");
    done(CVodeSStolerances(memory_, 0.0, s.tolerance_K), "tolerances");
    done(CVodeSetUserData(memory_, &ode), "user data");
    done(CVodeSetMaxNumSteps(memory_, 100000), "step limit");
    if (s.adams) {
      iteration_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
      done(CVodeSetNonlinearSolver(memory_, iteration_), "fixed-point iteration");
    } else {
      matrix_ = SUNSparseMatrix(n, n, static_cast<sunindextype>(ode.n_nonzero()), CSC_MAT, context_);
      linear_ = SUNLinSol_KLU(y_, matrix_, context_);
      done(CVodeSetLinearSolver(memory_, linear_, matrix_), "KLU");
      done(CVodeSetJacFn(memory_, jacobian), "Jacobian");
    }
  }
  ~Solver() {
    CVodeFree(&memory_);
    if (linear_) SUNLinSolFree(linear_);
    if (iteration_) SUNNonlinSolFree(iteration_);
    if (matrix_) SUNMatDestroy(matrix_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  long segment(double duration_s, double first_step_s) {
    done(CVodeReInit(memory_, 0.0, y_), "CVodeReInit");
    done(CVodeSetInitStep(memory_, std::min(first_step_s, duration_s)), "first step");
    done(CVodeSetStopTime(memory_, duration_s), "stop time");
    double reached = 0.0;
    done(CVode(memory_, duration_s, y_, &reached, CV_NORMAL), "CVode");
    long steps = 0;
    done(CVodeGetNumSteps(memory_, &steps), "step count");
    return steps;
  }
  const double* values() const { return NV_DATA_S(y_); }

 private:
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  void* memory_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  SUNNonlinearSolver iteration_ = nullptr;
};

}  // namespace

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = a.size() == b.size() ? 0.0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

CvodeRun cvode_run(const KernelCase& c, const PackageCase& packages, const CvodeSettings& settings) {
  PackageOde ode(c.fleet.types[0].package, packages);
  Solver solver(ode, settings);
  CvodeRun out{0.0, 0, {}};
  for (const auto& s : c.segments) {
    ode.set_kind(s.kind);
    const double start = thread_s();
    out.steps += solver.segment(seconds(s.duration), settings.first_step_s);
    out.cpu_s += thread_s() - start;
    for (std::size_t g = 0; g < ode.n_package(); ++g) out.die_K.push_back(ode.air_K(g) + solver.values()[g]);
  }
  return out;
}

CvodeBest tune_cvode(const KernelCase& c, const fleet::StepGrading& reference, double error_K, bool quick) {
  CvodeBest best{{}, std::numeric_limits<double>::infinity(), 0.0, 0.0};
  for (const std::size_t n_block : {std::size_t{8}, std::size_t{64}}) {
    const PackageCase packages = package_case(c, n_block);
    const auto exact_K = kernel_trace(c, packages, reference);
    for (const bool adams : {false, true})
      for (const double first_step_s : {0.0, 0.001, 0.004})
        for (const double tolerance_K : {0.3, 0.1, 0.05, 0.03, 0.01, 0.003}) {
          const CvodeSettings s{adams, tolerance_K, first_step_s, n_block};
          auto run = cvode_run(c, packages, s);
          const double error = largest_difference(run.die_K, exact_K);
          if (!(error <= error_K)) continue;
          for (int i = 0; i < (quick ? 1 : 4); ++i) run.cpu_s = std::min(run.cpu_s, cvode_run(c, packages, s).cpu_s);
          const auto n = static_cast<double>(n_block * fleet::n_package_lane);
          const double rate = n * c.period_s() / run.cpu_s;
          if (rate > best.gpu_s_per_s) best = {s, error, n * static_cast<double>(run.steps) / run.cpu_s, rate};
          break;  // tighter tolerances are slower
        }
  }
  return best;
}

}  // namespace TIDEWATT_NAMESPACE::bench::detail
