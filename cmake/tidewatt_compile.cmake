# What keeps a build from nothing short. Half of the work of a small file is reading the standard library's headers, so each
# target reads them once (CMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without); and what no simulation waits for is compiled
# at -O1, which costs a third less than -O3 and, without fast-math, gives the same bits.
set(TIDEWATT_STANDARD_HEADERS <algorithm> <array> <bit> <charconv> <cmath> <complex> <cstddef> <cstdint> <cstdio> <cstring> <deque> <filesystem>
    <functional> <iterator> <limits> <map> <memory> <numbers> <numeric> <optional> <set> <span> <stdexcept> <string> <string_view> <tuple>
    <type_traits> <utility> <variant> <vector> <fmt/format.h>)

# tidewatt_not_hot(file...): sources of the library, in the calling folder, whose time nobody notices.
function(tidewatt_not_hot)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY tidewatt PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")
endfunction()

# ccache takes sources behind a precompiled header only if it may leave their macros and times out of its keys.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$" AND NOT DEFINED ENV{CCACHE_SLOPPINESS})
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# The same bits everywhere: no contraction, no vectorised Eigen (its bits change with the instruction set). Traps and errno are never
# read: without the two switches a comparison or a root keeps a loop from being vectorised.
function(tidewatt_same_bits target)
  target_compile_definitions(${target} PRIVATE EIGEN_DONT_VECTORIZE EIGEN_MPL2_ONLY)
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-trapping-math -fno-math-errno)
endfunction()
