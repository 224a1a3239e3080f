# What `cmake --install` puts where: headers, libraries, and the files by which find_package(hloir) finds them.
include(CMakePackageConfigHelpers)

install(TARGETS hloir_ir hloir_passes hloir_cpu hloir_hloir EXPORT hloir-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/hloir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

set(hloir_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hloir)
install(EXPORT hloir-targets NAMESPACE hloir:: DESTINATION ${hloir_package_dir})
configure_package_config_file(cmake/hloir-config.cmake.in hloir-config.cmake INSTALL_DESTINATION ${hloir_package_dir})
# Before 1.0 a minor version may change interfaces.
write_basic_package_version_file(hloir-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hloir-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/hloir-config-version.cmake
  DESTINATION ${hloir_package_dir})
