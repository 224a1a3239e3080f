# How a library of ours is made: hloir_library, and hloir_unity for a quick build from nothing.

# hloir_unity(target): with HLOIR_UNITY a folder's files are compiled some ten at a time. Two files that define the same
# name, each for itself, go into different batches; the names that every pass has (its table of rules) are made different.
function(hloir_unity target)
  if(NOT HLOIR_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${source})
    string(REGEX REPLACE "/[^/]*$" "" folder "${folder}")
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    # Lines at the left margin that define something: `Type Name(…`, `constexpr Type kName = …`, `struct Name`.
    file(STRINGS ${source} lines REGEX "^[A-Za-z].*[A-Za-z0-9_]+(\\(|\\[| =|{)")
    set(names "")
    foreach(line IN LISTS lines)
      if(line MATCHES "^(constexpr|const) ")
        string(REGEX MATCHALL "[A-Za-z0-9_]+((\\[[^]]*\\])? =|{)" found "${line}")
        list(TRANSFORM found REPLACE "((\\[.*)? =|{)" "")
        list(APPEND names ${found})
      elseif(line MATCHES "^(struct|class|enum class) ([A-Za-z0-9_]+)")
        list(APPEND names ${CMAKE_MATCH_2})
      elseif(line MATCHES "^([^(]*[ *&])([A-Za-z0-9_]+)\\(")
        list(APPEND names ${CMAKE_MATCH_2})
      endif()
    endforeach()
    list(REMOVE_ITEM names kRules kOptions)
    set(batch 0)
    while(TRUE)
      set(clash "")
      foreach(name ${names})
        if("${name}" IN_LIST names_${folder}_${batch})
          set(clash ${name})
        endif()
      endforeach()
      list(LENGTH files_${folder}_${batch} count)
      if(NOT clash AND count LESS 10)
        break()
      endif()
      math(EXPR batch "${batch} + 1")
    endwhile()
    list(APPEND names_${folder}_${batch} ${names})
    list(APPEND files_${folder}_${batch} ${source})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
  # The compiler need not tidy its memory: some hundreds of megabytes do for a batch.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-heapsize=1048576" "SHELL:--param ggc-min-expand=400")
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_UNIQUE_ID HLOIR_FILE
    UNITY_BUILD_CODE_BEFORE_INCLUDE
    "#define HLOIR_LOCAL_(name, file) name##_##file\n#define HLOIR_LOCAL(name, file) HLOIR_LOCAL_(name, file)
#define kRules HLOIR_LOCAL(Rules, HLOIR_FILE)\n#define kOptions HLOIR_LOCAL(Options, HLOIR_FILE)")
endfunction()

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
  hloir_unity(hloir_${name})
  set_target_properties(hloir_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)  # but for what include/hloir declares
endfunction()
