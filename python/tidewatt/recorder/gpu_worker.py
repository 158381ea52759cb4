"""Matrix products on one GPU, switched on and off in waves: matrix_worker.py GPU SIZE CUDART CUBLAS COUNTER

Lines `BEGIN PERIOD ON_FRAC` on standard input say when (times of the monotonic clock); the end of the input ends it. Products and
seconds under load are added up in the shared file that it inherits as descriptor COUNTER.
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

COUNTER = struct.Struct("=qdd")  # products, time of their last one, seconds under load


def is_on(now_s: float, begin_s: float, period_s: float, on_frac: float) -> bool:
    """Whether at `now_s` a wave from `begin_s` is in the loaded part, `on_frac`, which comes first in each `period_s`."""
    if on_frac in (0.0, 1.0) or period_s <= 0.0:
        return on_frac >= 1.0 and now_s >= begin_s
    return now_s >= begin_s and (now_s - begin_s) % period_s < on_frac * period_s


class Worker:
    """Products on one GPU. Random numbers in ±[0.5, 2): zeros would take less power."""

    BF16, COMPUTE_FLOAT, DEFAULT_ALGORITHM, HOST_TO_DEVICE = 14, 68, -1, 1
    LONGEST_S = 4e-3  # of work handed over at once

    def __init__(self, gpu: int, size: int, cudart: str, cublas: str):
        self.cuda, self.blas, self.size = ctypes.CDLL(cudart), ctypes.CDLL(cublas), size
        self._must(self.cuda.cudaSetDevice(ctypes.c_int(gpu)), "cudaSetDevice")
        self.handle = ctypes.c_void_p()
        self._must(self.blas.cublasCreate_v2(ctypes.byref(self.handle)), "cublasCreate")
        self.a, self.b, self.c = self._matrix(True), self._matrix(True), self._matrix(False)
        self.multiply(2)
        begin = time.monotonic()
        self.multiply(8)
        self.one_s = (time.monotonic() - begin) / 8

    def multiply(self, n: int) -> None:
        """n products, finished when it returns."""
        rows, one, zero, bf16 = ctypes.c_int(self.size), ctypes.c_float(1.0), ctypes.c_float(0.0), ctypes.c_int(self.BF16)
        for _ in range(n):
            status = self.blas.cublasGemmEx(
                self.handle, ctypes.c_int(0), ctypes.c_int(0), rows, rows, rows, ctypes.byref(one), self.a, bf16, rows, self.b, bf16, rows,
                ctypes.byref(zero), self.c, bf16, rows, ctypes.c_int(self.COMPUTE_FLOAT), ctypes.c_int(self.DEFAULT_ALGORITHM))  # fmt: skip
            self._must(status, "cublasGemmEx")
        self._must(self.cuda.cudaDeviceSynchronize(), "cudaDeviceSynchronize")

    def run(self, orders: int, counter) -> None:
        """Follows the waves until its orders end; `counter` is the shared memory."""
        begin_s, period_s, on_frac, products, on_s = 0.0, 0.0, 0.0, 0, 0.0
        while True:
            now = time.monotonic()
            on = is_on(now, begin_s, period_s, on_frac)
            # At rest it looks at its orders often enough for the shortest half period.
            wait = 0.0 if on else min(0.02, max(2e-4, (1.0 - on_frac) * period_s / 50)) if 0.0 < on_frac < 1.0 else 0.02
            if select.select([orders], [], [], wait)[0]:
                text = os.read(orders, 4096).decode()
                if not text:
                    return
                begin_s, period_s, on_frac = map(float, text.splitlines()[-1].split())
                continue
            if on:
                room = self.LONGEST_S if on_frac >= 1.0 else min(self.LONGEST_S, on_frac * period_s / 10)
                n = max(1, int(room / self.one_s))
                self.multiply(n)
                products, on_s = products + n, on_s + time.monotonic() - now
                counter[:] = COUNTER.pack(products, time.monotonic(), on_s)

    def _must(self, status, what):
        if status != 0:
            raise RuntimeError(f"{what} failed with status {status}")

    def _matrix(self, random_numbers):
        n_byte, at = 2 * self.size * self.size, ctypes.c_void_p()
        self._must(self.cuda.cudaMalloc(ctypes.byref(at), ctypes.c_size_t(n_byte)), "cudaMalloc")
        if random_numbers:
            block = bytearray(os.urandom(1 << 20))
            block[1::2] = bytes(random.choice((0x3F, 0xBF)) for _ in range(1 << 19))  # sign and exponent of ±[0.5, 2)
            for begin in range(0, n_byte, len(block)):
                part = min(len(block), n_byte - begin)
                to = ctypes.c_void_p(at.value + begin)
                self._must(self.cuda.cudaMemcpy(to, bytes(block), ctypes.c_size_t(part), ctypes.c_int(self.HOST_TO_DEVICE)), "cudaMemcpy")
        return at


def main() -> None:
    """One worker."""
    gpu, size, cudart, cublas, counter = sys.argv[1:6]
    try:
        worker = Worker(int(gpu), int(size), cudart, cublas)
        print("ready", flush=True)
        worker.run(sys.stdin.fileno(), mmap.mmap(int(counter), COUNTER.size))
    except Exception as error:
        print(str(error).replace("\n", " "), flush=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
