# The namespace of include/tidewatt/base/version.hpp names this project's version.
set(TIDEWATT_NAMESPACE v${PROJECT_VERSION_MAJOR}_${PROJECT_VERSION_MINOR})
file(STRINGS include/tidewatt/base/version.hpp tidewatt_namespace_line REGEX "^#define TIDEWATT_VERSION_NAMESPACE ")
if(NOT tidewatt_namespace_line STREQUAL "#define TIDEWATT_VERSION_NAMESPACE ${TIDEWATT_NAMESPACE}")
  message(FATAL_ERROR "version.hpp needs '#define TIDEWATT_VERSION_NAMESPACE ${TIDEWATT_NAMESPACE}' in version ${PROJECT_VERSION}")
endif()

# A shared library from the objects of the static one: it costs a link and no compilation. What the objects hide stays hidden;
# the version script also hides what templates of the standard library leave in them, and functions that are compiled for several
# instruction sets, which GCC shows whatever their visibility, unless a public header declares them.
if(TIDEWATT_SHARED)
  set(exports ${PROJECT_BINARY_DIR}/tidewatt.exports)
  add_custom_command(OUTPUT ${exports} DEPENDS tidewatt ${PROJECT_SOURCE_DIR}/cmake/tidewatt_exports.cmake VERBATIM
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=$<TARGET_FILE:tidewatt> -DNAMESPACE=${TIDEWATT_NAMESPACE} -DHEADERS=${PROJECT_SOURCE_DIR}/include/tidewatt -DOUTPUT=${exports}
      -P ${PROJECT_SOURCE_DIR}/cmake/tidewatt_exports.cmake)
  add_custom_target(tidewatt_exports DEPENDS ${exports})
  add_library(tidewatt_shared SHARED $<TARGET_OBJECTS:tidewatt>)
  add_library(tidewatt::shared ALIAS tidewatt_shared)
  target_compile_features(tidewatt_shared INTERFACE cxx_std_20)
  # Before 1.0 a minor version may change the interface, so it is part of the soname.
  set_target_properties(tidewatt_shared PROPERTIES OUTPUT_NAME tidewatt EXPORT_NAME shared LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${exports})
  add_dependencies(tidewatt_shared tidewatt_exports)
  target_include_directories(tidewatt_shared INTERFACE
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(tidewatt_shared PRIVATE tidewatt)  # for what it links in turn: every object is there already
  target_link_options(tidewatt_shared PRIVATE -Wl,--version-script=${exports} -Wl,--no-undefined)
endif()
