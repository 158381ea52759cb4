# Installation: the library with its headers, the command line, the Python package, the scenarios; and the files that
# let other projects say find_package(tidewatt).
include(CMakePackageConfigHelpers)
set(TIDEWATT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tidewatt)
# The command line looks for the package that draws its reports here, relative to itself.
set(TIDEWATT_PYTHON_DIR ${CMAKE_INSTALL_DATADIR}/tidewatt/python)

install(TARGETS tidewatt EXPORT tidewatt_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
if(TARGET tidewatt_shared)
  install(TARGETS tidewatt_shared EXPORT tidewatt_shared_targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
  install(EXPORT tidewatt_shared_targets NAMESPACE tidewatt:: FILE tidewattSharedTargets.cmake DESTINATION ${TIDEWATT_CMAKE_DIR}
          COMPONENT development)
endif()
install(DIRECTORY include/tidewatt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/tidewatt COMPONENT runtime
        FILES_MATCHING PATTERN "*.toml" PATTERN "*.csv" PATTERN "*.raw" PATTERN "*.dyr")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
if(TARGET tidewatt_cli)
  install(TARGETS tidewatt_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endif()

# The package, without the command of wheels. `python_system` is where Debian's own Python looks: for the .deb alone.
function(tidewatt_install_python folder)
  if(TARGET tidewatt_python)
    install(TARGETS tidewatt_python LIBRARY DESTINATION ${folder}/tidewatt ${ARGN})
    install(DIRECTORY python/tidewatt DESTINATION ${folder} ${ARGN}
            PATTERN "__pycache__" EXCLUDE PATTERN "*.so" EXCLUDE PATTERN "_command.py" EXCLUDE)
  endif()
endfunction()
tidewatt_install_python(${TIDEWATT_PYTHON_DIR} COMPONENT python)
tidewatt_install_python(lib/python3/dist-packages COMPONENT python_system EXCLUDE_FROM_ALL)

install(EXPORT tidewatt_targets NAMESPACE tidewatt:: FILE tidewattTargets.cmake DESTINATION ${TIDEWATT_CMAKE_DIR}
        COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tidewattConfig.cmake.in
  ${PROJECT_BINARY_DIR}/tidewattConfig.cmake INSTALL_DESTINATION ${TIDEWATT_CMAKE_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tidewattConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tidewattConfig.cmake ${PROJECT_BINARY_DIR}/tidewattConfigVersion.cmake
        DESTINATION ${TIDEWATT_CMAKE_DIR} COMPONENT development)

include(tidewatt_debian)
