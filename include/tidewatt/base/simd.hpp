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

namespace TIDEWATT_NAMESPACE {

/// n doubles side by side, for recursions that the compiler does not make vectors of by itself. Arithmetic is per element, so
/// every instruction set gives the same bits. Not for function arguments: how they are passed depends on the instruction set.
template <int n>
struct TIDEWATT_API PackOf {
  /// Any unit.
  typedef double type __attribute__((vector_size(8 * n)));
};
using Pack4 = PackOf<4>::type;
using Pack8 = PackOf<8>::type;
/// `from` [n] of a plain array of any alignment, any unit, into `to`.
template <class Pack>
TIDEWATT_INLINE void load(const double* from, Pack& to) {
  __builtin_memcpy(&to, from, sizeof to);
}
/// `from` into `to` [n] of a plain array of any alignment, any unit.
template <class Pack>
TIDEWATT_INLINE void store(const Pack& from, double* to) {
  __builtin_memcpy(to, &from, sizeof from);
}

}  // namespace TIDEWATT_NAMESPACE
