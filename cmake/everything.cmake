# What is everything: hloir::static, over the static libraries of ${hloir_libraries}; with HLOIR_SHARED hloir::shared,
# libhloir.so, which is made of the same objects; and hloir::hloir, which is the one or, with BUILD_SHARED_LIBS, the other.
add_library(hloir_static INTERFACE)
add_library(hloir::static ALIAS hloir_static)
set_target_properties(hloir_static PROPERTIES EXPORT_NAME static)
foreach(name ${hloir_libraries})
  target_link_libraries(hloir_static INTERFACE hloir_${name})
endforeach()
add_library(hloir_hloir INTERFACE)
add_library(hloir::hloir ALIAS hloir_hloir)
set_target_properties(hloir_hloir PROPERTIES EXPORT_NAME hloir)

if(HLOIR_SHARED)
  add_library(hloir_shared SHARED)
  add_library(hloir::shared ALIAS hloir_shared)
  foreach(name ${hloir_libraries})
    get_target_property(rooms hloir_${name} hloir_rooms)
    foreach(room ${rooms})
      target_sources(hloir_shared PRIVATE $<TARGET_OBJECTS:hloir_${room}_objects>)
    endforeach()
  endforeach()
  target_include_directories(hloir_shared PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(hloir_shared PUBLIC cxx_std_20)
  target_link_libraries(hloir_shared PRIVATE Threads::Threads ${CMAKE_DL_LIBS} ${libzip_LINK_LIBRARIES} ${ZLIB_LIBRARIES}
    $<$<BOOL:${HLOIR_Z3_LIBRARY}>:${HLOIR_Z3_LIBRARY}>
    $<BUILD_INTERFACE:hloir_build_flags>)
  if(NOT HLOIR_SANITIZE)
    target_link_options(hloir_shared PRIVATE LINKER:--no-undefined LINKER:--gc-sections)
  endif()
  # Before 1.0 a minor version may change the interface, so the name has both numbers: libhloir.so.0.1.
  set_target_properties(hloir_shared PROPERTIES OUTPUT_NAME hloir EXPORT_NAME shared LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()
if(BUILD_SHARED_LIBS)
  target_link_libraries(hloir_hloir INTERFACE hloir_shared)
else()
  target_link_libraries(hloir_hloir INTERFACE hloir_static)
endif()
