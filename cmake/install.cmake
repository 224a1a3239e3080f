# What `cmake --install` puts where, in components: runtime (the command, its man page and completion, the licence),
# shared (libhloir.so), dev (headers, static libraries, what find_package and pkg-config read), doc, corpus; the target
# `uninstall` takes away what was installed last; and `cpack`, which makes Debian packages of the components.
include(CMakePackageConfigHelpers)

set(hloir_installed hloir_hloir hloir_static)
foreach(name ${hloir_libraries})
  list(APPEND hloir_installed hloir_${name})
endforeach()
install(TARGETS ${hloir_installed} EXPORT hloir-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
if(HLOIR_SHARED)
  install(TARGETS hloir_shared EXPORT hloir-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT shared
    NAMELINK_COMPONENT dev)
endif()
if(HLOIR_MPI_FOUND)
  # A package of its own for what needs MPI.
  install(TARGETS hloir_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/hloir COMPONENT mpi)
endif()
install(DIRECTORY include/hloir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

set(hloir_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hloir)
install(EXPORT hloir-targets NAMESPACE hloir:: DESTINATION ${hloir_package_dir} COMPONENT dev)
configure_package_config_file(cmake/hloir-config.cmake.in hloir-config.cmake INSTALL_DESTINATION ${hloir_package_dir}
  PATH_VARS CMAKE_INSTALL_BINDIR)
# Before 1.0 a minor version may change interfaces.
write_basic_package_version_file(hloir-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hloir-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/hloir-config-version.cmake
  cmake/hloir-hlo-test.cmake DESTINATION ${hloir_package_dir} COMPONENT dev)

# pkg-config: libhloir.so, or the static libraries, users before what they use.
set(hloir_archives ${hloir_libraries})
list(REVERSE hloir_archives)
list(TRANSFORM hloir_archives PREPEND "-lhloir_")
list(JOIN hloir_archives " " hloir_archives)
if(BUILD_SHARED_LIBS)
  set(hloir_pc_libs "-lhloir")
  set(hloir_pc_requires "")
else()
  set(hloir_pc_libs "${hloir_archives} -lstdc++ -lm -ldl -pthread")
  if(HLOIR_Z3_LIBRARY)
    string(APPEND hloir_pc_libs " -lz3")
  endif()
  set(hloir_pc_requires "libzip zlib")
endif()
# From where it lies, so that the whole can be moved.
file(RELATIVE_PATH hloir_pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/hloir.pc.in hloir.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hloir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

if(HLOIR_BUILD_TOOLS)
  install(PROGRAMS tools/fuzz_xla.py tools/fuzz_ray.py DESTINATION ${CMAKE_INSTALL_DATADIR}/hloir COMPONENT runtime)
  install(FILES docs/hloir.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
  install(FILES tools/completion/hloir.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME hloir COMPONENT runtime)
  install(FILES tools/completion/_hloir DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT runtime)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT doc FILES_MATCHING PATTERN "*.md"
  PATTERN "lessons" EXCLUDE)
# Where `hloir lesson` looks for them.
install(DIRECTORY docs/lessons/ DESTINATION ${CMAKE_INSTALL_DATADIR}/hloir/lessons COMPONENT runtime USE_SOURCE_PERMISSIONS)
# Where --device looks for descriptions.
install(DIRECTORY docs/devices/ DESTINATION ${CMAKE_INSTALL_DATADIR}/hloir/devices COMPONENT runtime FILES_MATCHING PATTERN "*.json")
# 9 MB of modules with inputs and results; left out by `cmake --install … --component` lists without it.
install(DIRECTORY corpus/ DESTINATION ${CMAKE_INSTALL_DATADIR}/hloir/corpus COMPONENT corpus)

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
  -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)

include(cmake/deb.cmake)
