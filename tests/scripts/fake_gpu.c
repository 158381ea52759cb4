/* NVML, the CUDA runtime and cuBLAS as far as scripts/record_gpu calls them: two GPUs that take 650 W while matrix
   products arrive and 110 W otherwise. The second one does not know its energy. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile double busy_until;
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static int busy(void) { return now() < busy_until; }

int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *n) { *n = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **h) { *h = (void *)(size_t)(i + 1); return i < 2 ? 0 : 2; }
int nvmlDeviceGetName(void *h, char *name, unsigned n) { (void)h; strncpy(name, "Fake GPU", n); return 0; }
int nvmlDeviceGetPowerUsage(void *h, unsigned *mW) { (void)h; *mW = busy() ? 650000 : 110000; return 0; }
int nvmlDeviceGetTemperature(void *h, int sensor, unsigned *t) { *t = busy() ? 60 : 35; return h && sensor == 0 ? 0 : 2; }
int nvmlDeviceGetClockInfo(void *h, int which, unsigned *MHz) { (void)h; *MHz = which == 1 ? (busy() ? 1605 : 1980) : 2619; return 0; }
int nvmlDeviceGetEnforcedPowerLimit(void *h, unsigned *mW) { (void)h; *mW = 700000; return 0; }
int nvmlDeviceGetTotalEnergyConsumption(void *h, unsigned long long *mJ) { *mJ = 5000; return h == (void *)1 ? 0 : 3; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void *h, unsigned long long *bits) { (void)h; *bits = busy() ? 0x4 | 0x20 : 0x1; return 0; }

int cudaSetDevice(int i) { return i < 2 ? 0 : 101; }
int cudaMalloc(void **p, size_t n) { *p = malloc(n); return *p ? 0 : 2; }
int cudaMemcpy(void *to, const void *from, size_t n, int kind) { memcpy(to, from, n); return kind == 1 ? 0 : 21; }
int cudaDeviceSynchronize(void) { return 0; }
int cublasCreate_v2(void **h) { *h = (void *)7; return 0; }
/* Arguments in a wrong place, zeros instead of random numbers or numbers outside ±[0.5, 2) are errors. */
int cublasGemmEx(void *h, int ta, int tb, int m, int n, int k, const float *alpha, const unsigned short *a, int at, int lda,
                 const unsigned short *b, int bt, int ldb, const float *beta, void *c, int ct, int ldc, int compute, int algo) {
  if (h != (void *)7 || ta || tb || m != n || n != k || lda != m || ldb != m || ldc != m || !c) return 7;
  if (*alpha != 1.0f || *beta != 0.0f || at != 14 || bt != 14 || ct != 14 || compute != 68 || algo != -1) return 7;
  int alike = 0;
  for (int i = 0; i < m * n; ++i) {
    const unsigned exponent = (a[i] >> 7) & 0xff;
    if (exponent != 126 && exponent != 127) return 8;
    alike += a[i] == b[i];
  }
  if (alike > m * n / 10) return 8;
  busy_until = now() + 0.03;
  const struct timespec pause = {0, 2000000};
  nanosleep(&pause, NULL);
  return 0;
}
