// Two GPUs for tests of the recorder: NVML, CUDA's runtime and cuBLAS in one library, as far as the recorder calls them. Its state lives
// in the file that $TIDEWATT_FAKE_GPU names, so that all processes see the same. 60 W at rest, 85 W with a program, and under load
// 500 W at 1,980 MHz with the square of the clock, which gives way to the power limit. The die follows 30 °C + 0.06 K/W with 3 s.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int n_gpu = 2;
constexpr double top_MHz = 1980.0, rest_W = 60.0, context_W = 25.0, load_W = 500.0, product_s = 0.5e-3;

struct State {
  unsigned limit_mW, locked_MHz;
  int program;  // process that holds the GPU
  double busy_until_s, at_s, energy_J, die_degC;
};

/// A handle is a place in here.
char handles[n_gpu];
int current = 0;

double now_s() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The state, brought up to now, for as long as it stands.
class Gpu {
 public:
  explicit Gpu(const void* handle) {
    file_ = ::open(std::getenv("TIDEWATT_FAKE_GPU"), O_RDWR | O_CREAT, 0600);
    ::flock(file_, LOCK_EX);
    if (::ftruncate(file_, size) != 0) std::abort();
    all_ = static_cast<State*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0));
    s_ = all_ + (static_cast<const char*>(handle) - handles);
    if (s_->limit_mW == 0) *s_ = {700000, 0, 0, 0.0, now_s(), 1000.0, 33.0};
    advance();
  }
  ~Gpu() {
    ::munmap(all_, size);
    ::close(file_);
  }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  State& operator*() { return *s_; }
  State* operator->() { return s_; }
  double clock_MHz() const {
    const double set = s_->locked_MHz ? s_->locked_MHz : top_MHz, room_W = 1e-3 * s_->limit_mW - rest_W - context_W;
    return std::min(set, top_MHz * std::sqrt(room_W / load_W));
  }
  double loaded_W() const { return load_W * std::pow(clock_MHz() / top_MHz, 2); }
  double rest() const { return rest_W + (s_->program && ::kill(s_->program, 0) == 0 ? context_W : 0.0); }
  double power_W() const { return rest() + (now_s() < s_->busy_until_s ? loaded_W() : 0.0); }

 private:
  void advance() {
    const double now = now_s(), d = now - s_->at_s, busy = std::clamp(s_->busy_until_s - s_->at_s, 0.0, d);
    const double J = rest() * d + loaded_W() * busy;
    if (d > 0.0) s_->die_degC += (30.0 + 0.06 * J / d - s_->die_degC) * -std::expm1(-d / 3.0);
    s_->energy_J += J;
    s_->at_s = now;
  }
  static constexpr std::size_t size = n_gpu * sizeof(State);
  int file_;
  State *all_, *s_;
};

int text(const char* what, char* out, unsigned size) {
  std::snprintf(out, size, "%s", what);
  return 0;
}
/// Half a millisecond at the highest clock is handed over.
int work() {
  Gpu gpu(handles + current);
  gpu->busy_until_s = std::max(gpu->busy_until_s, now_s()) + product_s * top_MHz / gpu.clock_MHz();
  return 0;
}
bool may_change() { return !std::getenv("TIDEWATT_FAKE_GPU_GUARDED"); }

}  // namespace

extern "C" {
struct FieldValue {
  unsigned field, scope;
  long long stamp, latency;
  unsigned type, status;
  unsigned long long value;
};

int nvmlInit_v2() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* n) { return *n = n_gpu, 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void** at) { return *at = handles + i, 0; }
int nvmlDeviceGetName(void*, char* out, unsigned size) { return text("Fake GPU", out, size); }
int nvmlDeviceGetUUID(void*, char* out, unsigned size) { return text("GPU-0", out, size); }
int nvmlSystemGetDriverVersion(char* out, unsigned size) { return text("1.0", out, size); }
int nvmlDeviceGetPowerManagementLimitConstraints(void*, unsigned* low, unsigned* high) {
  return *low = 200000, *high = 700000, 0;
}
int nvmlDeviceGetPowerManagementLimit(void* at, unsigned* mW) { return *mW = Gpu(at)->limit_mW, 0; }
int nvmlDeviceGetEnforcedPowerLimit(void* at, unsigned* mW) { return *mW = Gpu(at)->limit_mW, 0; }
int nvmlDeviceGetMaxClockInfo(void*, int, unsigned* MHz) { return *MHz = 1980, 0; }
int nvmlDeviceGetPowerUsage(void* at, unsigned* mW) { return *mW = static_cast<unsigned>(1e3 * Gpu(at).power_W()), 0; }
int nvmlDeviceGetTemperature(void* at, int, unsigned* degC) {
  return *degC = static_cast<unsigned>(std::lround(Gpu(at)->die_degC)), 0;
}
int nvmlDeviceGetClockInfo(void* at, int kind, unsigned* MHz) {
  return *MHz = kind == 1 ? static_cast<unsigned>(Gpu(at).clock_MHz()) : 2619, 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void* at, unsigned long long* mJ) {
  return *mJ = static_cast<unsigned long long>(1e3 * Gpu(at)->energy_J), 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* at, unsigned long long* bits) {
  Gpu gpu(at);
  return *bits = gpu->locked_MHz ? 2 : gpu.clock_MHz() < top_MHz ? 4 : 0, 0;
}
int nvmlDeviceGetFieldValues(void* at, int, FieldValue* v) {
  const bool board = v->field == 186 && v->scope == 0;
  v->value = board ? static_cast<unsigned long long>(1e3 * Gpu(at).power_W()) : 0;
  v->status = board ? 0 : 3;
  return 0;
}
int nvmlDeviceSetPowerManagementLimit(void* at, unsigned mW) { return may_change() ? (Gpu(at)->limit_mW = mW, 0) : 4; }
int nvmlDeviceSetGpuLockedClocks(void* at, unsigned, unsigned MHz) {
  return may_change() ? (Gpu(at)->locked_MHz = MHz, 0) : 4;
}
int nvmlDeviceResetGpuLockedClocks(void* at) { return may_change() ? (Gpu(at)->locked_MHz = 0, 0) : 4; }

int cudaSetDevice(int i) { return current = i, 0; }
int cudaMalloc(void** at, size_t) { return *at = at, 0; }
int cudaMemset(void*, int, size_t) { return 0; }
/// Copies within the GPU take as long as a product.
int cudaMemcpy(void*, const void*, size_t, int kind) { return kind == 3 ? work() : 0; }
int cublasCreate_v2(void** handle) { return Gpu(handles + current)->program = ::getpid(), *handle = handle, 0; }
int cublasGemmEx(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int, const void*,
                 void*, int, int, int, int) {
  return work();
}
int nvrtcCreateProgram(void** at, const char*, const char*, int, const char**, const char**) { return *at = at, 0; }
int nvrtcCompileProgram(void*, int, const char**) { return 0; }
int nvrtcGetPTXSize(void*, size_t* n) { return *n = 8, 0; }
int nvrtcGetPTX(void*, char* out) { return text("kernel", out, 8); }
int cuModuleLoadData(void** at, const void*) { return *at = at, 0; }
int cuModuleGetFunction(void** at, void*, const char*) { return *at = at, 0; }
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**) {
  return work();
}
int cudaDeviceSynchronize() {
  const double left_s = Gpu(handles + current)->busy_until_s - now_s();
  if (left_s > 0.0) ::usleep(static_cast<unsigned>(1e6 * left_s));
  return 0;
}
}
