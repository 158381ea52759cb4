#pragma once

/// Compiles a hot function once per instruction set and picks at load time. All versions give the same bits: the code
/// uses explicit fma only and contraction is off.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TIDEWATT_CLONES __attribute__((target_clones("default", "arch=haswell", "arch=skylake-avx512")))
#else
#define TIDEWATT_CLONES
#endif

/// For small functions inside such loops: they must be compiled with their caller's instruction set.
#if defined(__GNUC__)
#define TIDEWATT_INLINE [[gnu::always_inline]] inline
#else
#define TIDEWATT_INLINE inline
#endif
