# Warnings for our own targets. -Wfloat-equal is left out: exact comparison is how bit-for-bit tests speak.
function(tidewatt_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wdouble-promotion)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    # GCC 12 and 13 report strings inside thrown temporaries as uninitialised, joined strings as overlapping and, behind a precompiled
    # header, literals pushed into vectors as out of bounds; valgrind, clang and the address sanitizer see none.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
      -Wno-stringop-overread)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # std::stable_sort of GCC 12's library uses a function that the library itself calls deprecated.
    target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
  endif()
  if(TIDEWATT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
