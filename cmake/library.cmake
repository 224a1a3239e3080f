# How a library of ours is made.

# hloir_library(name sources-glob…): one of the static libraries. It includes include/hloir and its own folder only.
# fmt, xsimd and our flags stay inside: an installed hloir asks nothing of its users.
function(hloir_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
  add_library(hloir_${name} STATIC ${sources})
  add_library(hloir::${name} ALIAS hloir_${name})
  target_include_directories(hloir_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # src/support is for all of ours and for nobody else; scripts/check-includes keeps the other rooms of src/ apart.
  target_include_directories(hloir_${name} PRIVATE src)
  target_compile_features(hloir_${name} PUBLIC cxx_std_20)
  target_link_libraries(hloir_${name} PRIVATE $<BUILD_INTERFACE:hloir_build_flags>)
  # The libraries alone: how much of the tests runs is not asked.
  if(HLOIR_COVERAGE)
    target_compile_options(hloir_${name} PRIVATE -fprofile-instr-generate -fcoverage-mapping)
  endif()
  # The graph's headers, which nearly every file includes, are read once for all libraries.
  if(name STREQUAL ir)
    target_precompile_headers(hloir_ir PRIVATE <hloir/module.h> <support/format.h> <algorithm>)
  else()
    target_precompile_headers(hloir_${name} REUSE_FROM hloir_ir)
  endif()
  # Many files in one compilation: the compiler need not tidy its memory, some hundreds of megabytes do.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(hloir_${name} PRIVATE "SHELL:--param ggc-min-heapsize=1048576" "SHELL:--param ggc-min-expand=400")
  endif()
  set_target_properties(hloir_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)  # but for what include/hloir declares
endfunction()
