"""Work on one GPU, switched on and off in waves: gpu_worker.py GPU SIZE CUDART CUBLAS CUDA NVRTC COUNTER

Lines on standard input: `prepare WORK`, answered by `ready` or by what is missing; then `wave BEGIN PERIOD ON_FRAC` (BEGIN is a time of the
monotonic clock). The end of the input ends it. Units of work done (products, copies, kernels) and seconds under load are added up in the
shared file that it inherits as descriptor COUNTER.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import random
import select
import struct
import sys
import time

COUNTER = struct.Struct("=qdd")  # units, time of the last one, seconds under load

# A collective whose peers are late: few blocks, one thread of each asks a word of memory again and again, the others wait for it.
WAIT_KERNEL = b"""
extern "C" __global__ void wait_for(const volatile unsigned* word, unsigned long long ns) {
  if (threadIdx.x == 0) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (*word == 0 && now - begin < ns);
  }
  __syncthreads();
}
"""


def is_on(now_s: float, begin_s: float, period_s: float, on_frac: float) -> bool:
    """Whether at `now_s` a wave from `begin_s` is in the loaded part, `on_frac`, which comes first in each `period_s`."""
    if on_frac in (0.0, 1.0) or period_s <= 0.0:
        return on_frac >= 1.0 and now_s >= begin_s
    return now_s >= begin_s and (now_s - begin_s) % period_s < on_frac * period_s


class Gpu:
    """CUDA's runtime on one GPU. Random numbers in ±[0.5, 2): zeros would take less power."""

    HOST_TO_DEVICE = 1

    def __init__(self, gpu: int, cudart: str):
        self.cuda = ctypes.CDLL(cudart)
        must(self.cuda.cudaSetDevice(ctypes.c_int(gpu)), "cudaSetDevice")

    def room(self, n_byte: int):
        """Memory of `n_byte`, filled with zeros."""
        at = ctypes.c_void_p()
        must(self.cuda.cudaMalloc(ctypes.byref(at), ctypes.c_size_t(n_byte)), "cudaMalloc")
        must(self.cuda.cudaMemset(at, ctypes.c_int(0), ctypes.c_size_t(n_byte)), "cudaMemset")
        return at

    def random(self, n_byte: int, width: int):
        """Memory of `n_byte` with random numbers of `width` bytes; `width` 1 is fp8 (E4M3), negative 2 fp16."""
        at, block = self.room(n_byte), bytearray(os.urandom(1 << 20))
        # The byte of sign and exponent, of numbers in ±[0.5, 2) whatever the bits after it.
        top = {1: None, 2: (0x3F, 0xBF), -2: (*range(0x38, 0x40), *range(0xB8, 0xC0)), 4: (0x3F, 0xBF)}[width]
        if top is None:
            block = bytearray((b & 0x87) | random.choice((0x30, 0x38)) for b in block)
        else:
            step = abs(width)
            block[step - 1 :: step] = bytes(random.choice(top) for _ in range(len(block) // step))
        for begin in range(0, n_byte, len(block)):
            part = min(len(block), n_byte - begin)
            to = ctypes.c_void_p(at.value + begin)
            must(self.cuda.cudaMemcpy(to, bytes(block), ctypes.c_size_t(part), ctypes.c_int(self.HOST_TO_DEVICE)), "cudaMemcpy")
        return at

    def finish(self) -> None:
        """Waits until all that was handed over is done."""
        must(self.cuda.cudaDeviceSynchronize(), "cudaDeviceSynchronize")


class Products:
    """Square matrix products of `size` rows by cuBLAS."""

    # Type, type of the sum, width in bytes.
    KINDS = {"bf16": (14, 68, 2), "zeros": (14, 68, 2), "fp16": (2, 68, -2), "tf32": (0, 77, 4), "fp32": (0, 68, 4)}
    DEFAULT_ALGORITHM = -1

    def __init__(self, gpu: Gpu, blas, handle, size: int, kind: str):
        self.blas, self.handle, self.rows = blas, handle, ctypes.c_int(size)
        number, self.sum, width = self.KINDS[kind]
        self.type, n_byte = ctypes.c_int(number), abs(width) * size * size
        self.a, self.b = (gpu.room(n_byte) if kind == "zeros" else gpu.random(n_byte, width) for _ in range(2))
        self.c, self.one, self.zero = gpu.room(n_byte), ctypes.c_float(1.0), ctypes.c_float(0.0)

    def __call__(self) -> None:
        """Hands one product over."""
        no, n, t = ctypes.c_int(0), self.rows, self.type
        must(self.blas.cublasGemmEx(
            self.handle, no, no, n, n, n, ctypes.byref(self.one), self.a, t, n, self.b, t, n,
            ctypes.byref(self.zero), self.c, t, n, ctypes.c_int(self.sum), ctypes.c_int(self.DEFAULT_ALGORITHM)), "cublasGemmEx")  # fmt: skip


class Fp8Products:
    """Square matrix products of fp8 (E4M3) with a bf16 result, by cuBLASLt, which alone has them."""

    FP8, BF16, SUM, FLOAT, TRANSPOSE_A, WORKSPACE = 28, 14, 68, 0, 3, 1
    WORKSPACE_BYTE = 32 << 20

    class _Algorithm(ctypes.Structure):
        _fields_ = (("algo", ctypes.c_uint64 * 8), ("workspace", ctypes.c_size_t), ("state", ctypes.c_int), ("waves", ctypes.c_float),
                    ("reserved", ctypes.c_int * 4))  # fmt: skip

    def __init__(self, gpu: Gpu, blas, handle, size: int):
        self.blas, self.handle = blas, handle
        self.a, self.b, self.c = gpu.random(size * size, 1), gpu.random(size * size, 1), gpu.room(2 * size * size)
        self.workspace, self.one, self.zero = gpu.room(self.WORKSPACE_BYTE), ctypes.c_float(1.0), ctypes.c_float(0.0)
        self.what = ctypes.c_void_p()
        must(blas.cublasLtMatmulDescCreate(ctypes.byref(self.what), self.SUM, self.FLOAT), "cublasLtMatmulDescCreate")
        yes = ctypes.c_int(1)
        must(blas.cublasLtMatmulDescSetAttribute(self.what, self.TRANSPOSE_A, ctypes.byref(yes), ctypes.c_size_t(4)), "transpose")
        self.in_, self.out = (self._layout(t, size) for t in (self.FP8, self.BF16))
        wish = ctypes.c_void_p()
        must(blas.cublasLtMatmulPreferenceCreate(ctypes.byref(wish)), "cublasLtMatmulPreferenceCreate")
        room = ctypes.c_size_t(self.WORKSPACE_BYTE)
        must(blas.cublasLtMatmulPreferenceSetAttribute(wish, self.WORKSPACE, ctypes.byref(room), ctypes.c_size_t(8)), "workspace")
        self.best, found = self._Algorithm(), ctypes.c_int()
        must(blas.cublasLtMatmulAlgoGetHeuristic(handle, self.what, self.in_, self.in_, self.out, self.out, wish, 1,
                                                 ctypes.byref(self.best), ctypes.byref(found)), "cublasLtMatmulAlgoGetHeuristic")  # fmt: skip
        if found.value < 1:
            raise RuntimeError("cuBLASLt has no fp8 product")

    def __call__(self) -> None:
        """Hands one product over."""
        must(self.blas.cublasLtMatmul(
            self.handle, self.what, ctypes.byref(self.one), self.a, self.in_, self.b, self.in_, ctypes.byref(self.zero), self.c, self.out,
            self.c, self.out, ctypes.byref(self.best), self.workspace, ctypes.c_size_t(self.WORKSPACE_BYTE), None), "cublasLtMatmul")  # fmt: skip

    def _layout(self, kind, size):
        at, n = ctypes.c_void_p(), ctypes.c_uint64(size)
        must(self.blas.cublasLtMatrixLayoutCreate(ctypes.byref(at), kind, n, n, ctypes.c_int64(size)), "cublasLtMatrixLayoutCreate")
        return at


class Copies:
    """Copies within the GPU's memory, of blocks far larger than its caches."""

    N_BYTE, DEVICE_TO_DEVICE = 512 << 20, 3

    def __init__(self, gpu: Gpu):
        self.cuda, self.a, self.b = gpu.cuda, gpu.random(self.N_BYTE, 2), gpu.room(self.N_BYTE)

    def __call__(self) -> None:
        """Hands one copy over."""
        must(self.cuda.cudaMemcpy(self.b, self.a, ctypes.c_size_t(self.N_BYTE), ctypes.c_int(self.DEVICE_TO_DEVICE)), "cudaMemcpy")


class Waits:
    """Kernels that poll for a word that does not come, each for a millisecond."""

    BLOCKS, THREADS, LENGTH_NS = 24, 512, 1_000_000

    def __init__(self, gpu: Gpu, cuda: str, nvrtc: str):
        self.cuda, compiler = ctypes.CDLL(cuda), ctypes.CDLL(nvrtc)
        program, n = ctypes.c_void_p(), ctypes.c_size_t()
        must(compiler.nvrtcCreateProgram(ctypes.byref(program), WAIT_KERNEL, b"wait.cu", 0, None, None), "nvrtcCreateProgram")
        must(compiler.nvrtcCompileProgram(program, 0, None), "nvrtcCompileProgram")
        must(compiler.nvrtcGetPTXSize(program, ctypes.byref(n)), "nvrtcGetPTXSize")
        text = ctypes.create_string_buffer(n.value)
        must(compiler.nvrtcGetPTX(program, text), "nvrtcGetPTX")
        self.module, self.kernel, self.word = ctypes.c_void_p(), ctypes.c_void_p(), gpu.room(256)
        must(self.cuda.cuModuleLoadData(ctypes.byref(self.module), text), "cuModuleLoadData")
        must(self.cuda.cuModuleGetFunction(ctypes.byref(self.kernel), self.module, b"wait_for"), "cuModuleGetFunction")
        self.length = ctypes.c_uint64(self.LENGTH_NS)
        self.arguments = (ctypes.c_void_p * 2)(ctypes.addressof(self.word), ctypes.addressof(self.length))

    def __call__(self) -> None:
        """Hands one kernel over."""
        must(self.cuda.cuLaunchKernel(self.kernel, self.BLOCKS, 1, 1, self.THREADS, 1, 1, 0, None, self.arguments, None), "cuLaunchKernel")


class Worker:
    """Kinds of work on one GPU, each made when first asked for."""

    LONGEST_S, LONGEST_OF_WAVE_S = 20e-3, 4e-3  # of work handed over at once

    def __init__(self, gpu: int, size: int, cudart: str, cublas: str, cuda: str, nvrtc: str):
        self.gpu, self.size, self.blas, self.libraries = Gpu(gpu, cudart), size, ctypes.CDLL(cublas), (cuda, nvrtc)
        self.handle = ctypes.c_void_p()
        must(self.blas.cublasCreate_v2(ctypes.byref(self.handle)), "cublasCreate")
        self.known = {}
        self.prepare("bf16")

    def prepare(self, kind: str) -> None:
        """The next work is of this `kind`. Raises RuntimeError, OSError, AttributeError: the GPU or a library does not have it."""
        if kind not in self.known:
            work = self._made(kind)
            self._do(work, 2)
            begin = time.monotonic()
            self._do(work, 8)
            self.known[kind] = work, (time.monotonic() - begin) / 8
        self.work, self.one_s = self.known[kind]

    def run(self, orders: int, counter) -> None:
        """Follows orders until they end; `counter` is the shared memory."""
        begin_s, period_s, on_frac, units, on_s = 0.0, 0.0, 0.0, 0, 0.0
        while True:
            now = time.monotonic()
            on = is_on(now, begin_s, period_s, on_frac)
            # At rest it looks at its orders often enough for the shortest half period.
            wait = 0.0 if on else min(0.02, max(2e-4, (1.0 - on_frac) * period_s / 50)) if 0.0 < on_frac < 1.0 else 0.02
            if select.select([orders], [], [], wait)[0]:
                text = os.read(orders, 4096).decode()
                if not text:
                    return
                for order, *rest in map(str.split, text.splitlines()):
                    if order == "wave":
                        begin_s, period_s, on_frac = map(float, rest)
                        continue
                    on_frac = 0.0
                    print(self._answer(rest[0]), flush=True)
                continue
            if on:
                room = self.LONGEST_S if on_frac >= 1.0 else min(self.LONGEST_OF_WAVE_S, on_frac * period_s / 10)
                n = max(1, int(room / self.one_s))
                self._do(self.work, n)
                units, on_s = units + n, on_s + time.monotonic() - now
                counter[:] = COUNTER.pack(units, time.monotonic(), on_s)

    def _answer(self, kind):
        try:
            self.prepare(kind)
        except (RuntimeError, OSError, AttributeError) as error:
            return str(error).replace("\n", " ")
        return "ready"

    def _made(self, kind):
        if kind == "fp8":
            return Fp8Products(self.gpu, self.blas_lt(), self.handle, self.size)
        if kind == "copy":
            return Copies(self.gpu)
        if kind == "wait":
            return Waits(self.gpu, *self.libraries)
        return Products(self.gpu, self.blas, self.handle, self.size, kind)

    def blas_lt(self):
        """cuBLASLt, which stands beside cuBLAS and is loaded with it."""
        path = self.blas._name
        return ctypes.CDLL(path.replace("libcublas.so", "libcublasLt.so"))

    def _do(self, work, n):
        for _ in range(n):
            work()
        self.gpu.finish()


def must(status: int, what: str) -> None:
    """Raises RuntimeError: `what` ended with a `status` other than 0."""
    if status != 0:
        raise RuntimeError(f"{what} failed with status {status}")


def main() -> None:
    """One worker."""
    gpu, size, cudart, cublas, cuda, nvrtc, counter = sys.argv[1:8]
    try:
        worker = Worker(int(gpu), int(size), cudart, cublas, cuda, nvrtc)
        print("ready", flush=True)
        worker.run(sys.stdin.fileno(), mmap.mmap(int(counter), COUNTER.size))
    except Exception as error:
        print(str(error).replace("\n", " "), flush=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
