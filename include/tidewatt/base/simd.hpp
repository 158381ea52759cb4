#pragma once
#include "tidewatt/base/version.hpp"

/// Compiles a hot function once per instruction set and picks at load time by what the processor can do. All versions
/// give the same bits: the code uses explicit fma only and contraction is off.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#if __GNUC__ >= 12
#define TIDEWATT_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define TIDEWATT_CLONES __attribute__((target_clones("default", "fma", "avx512f")))
#endif
#else
#define TIDEWATT_CLONES
#endif

/// For small functions inside such loops: they must be compiled with their caller's instruction set.
#if defined(__GNUC__)
#define TIDEWATT_INLINE [[gnu::always_inline]] inline
#else
#define TIDEWATT_INLINE inline
#endif

/// Before a loop over few adjacent lanes, of which none reads what another writes: keeps it a loop, which the compiler makes vectors of,
/// instead of unrolling it. Without the promise it would have to compare more addresses than it is willing to.
#if defined(__clang__)
#define TIDEWATT_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TIDEWATT_LANE_LOOP _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#else
#define TIDEWATT_LANE_LOOP
#endif

namespace TIDEWATT_NAMESPACE {

/// Four doubles side by side, any unit, for recursions that the compiler does not make vectors of by itself. Arithmetic is per element, so
/// every instruction set gives the same bits. Not for function arguments: how they are passed depends on the instruction set.
typedef double Pack4 __attribute__((vector_size(32)));
/// Eight doubles, as two fours: on processors with registers of four, one vector of eight would pass through memory element by
/// element.
struct TIDEWATT_API Pack8 {
  Pack4 low, high;  ///< elements 0 to 3 and 4 to 7; any unit
};
/// Per element.
TIDEWATT_INLINE Pack8 operator+(const Pack8& a, const Pack8& b) { return {a.low + b.low, a.high + b.high}; }
/// Per element.
TIDEWATT_INLINE Pack8 operator-(const Pack8& a, const Pack8& b) { return {a.low - b.low, a.high - b.high}; }
/// Per element.
TIDEWATT_INLINE Pack8 operator*(const Pack8& a, const Pack8& b) { return {a.low * b.low, a.high * b.high}; }
/// Each element times `b`.
TIDEWATT_INLINE Pack8 operator*(const Pack8& a, double b) { return {a.low * b, a.high * b}; }
/// Per element.
TIDEWATT_INLINE Pack8& operator+=(Pack8& a, const Pack8& b) { return a.low += b.low, a.high += b.high, a; }

/// One element, any unit; for code that takes packs or what is left over.
TIDEWATT_INLINE void load(const double* from, double& to) { to = *from; }
/// One element, any unit.
TIDEWATT_INLINE void store(const double& from, double* to) { *to = from; }
/// `from` [4] of a plain array of any alignment, any unit, into `to`.
TIDEWATT_INLINE void load(const double* from, Pack4& to) { __builtin_memcpy(&to, from, sizeof to); }
/// `from` [8], as above.
TIDEWATT_INLINE void load(const double* from, Pack8& to) { load(from, to.low), load(from + 4, to.high); }
/// `from` into `to` [4] of a plain array of any alignment, any unit.
TIDEWATT_INLINE void store(const Pack4& from, double* to) { __builtin_memcpy(to, &from, sizeof from); }
/// `from` into `to` [8], as above.
TIDEWATT_INLINE void store(const Pack8& from, double* to) { store(from.low, to), store(from.high, to + 4); }
/// `x`, any unit, in every element.
TIDEWATT_INLINE void fill(double x, Pack4& to) { to = x - Pack4{}; }
/// `x`, any unit, in every element.
TIDEWATT_INLINE void fill(double x, Pack8& to) { fill(x, to.low), fill(x, to.high); }
/// Where `x` is larger, `x` into `most`.
TIDEWATT_INLINE void raise(const Pack4& x, Pack4& most) { most = x > most ? x : most; }
/// Where `x` is larger, `x` into `most`.
TIDEWATT_INLINE void raise(const Pack8& x, Pack8& most) { raise(x.low, most.low), raise(x.high, most.high); }
/// Where `x` is smaller, `x` into `least`.
TIDEWATT_INLINE void lower(const Pack4& x, Pack4& least) { least = x < least ? x : least; }
/// Where `x` is smaller, `x` into `least`.
TIDEWATT_INLINE void lower(const Pack8& x, Pack8& least) { lower(x.low, least.low), lower(x.high, least.high); }
/// |x|, into `to`.
TIDEWATT_INLINE void magnitude(const Pack4& x, Pack4& to) { to = x < 0.0 ? -x : x; }
/// |x|, into `to`.
TIDEWATT_INLINE void magnitude(const Pack8& x, Pack8& to) { magnitude(x.low, to.low), magnitude(x.high, to.high); }

}  // namespace TIDEWATT_NAMESPACE
