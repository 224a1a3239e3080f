# hloir_isas(target tree): gives the target the files of each instruction set that this architecture has, as the tree's
# backend_cpu/isa/isas.def lists them, under the options that stand there. HLOIR_ISAS: their names.
function(hloir_isas target tree)
  set(isas_def ${tree}/backend_cpu/isa/isas.def)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${isas_def})
  # The compiler's preprocessor knows what it compiles for.
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
  if(CMAKE_CXX_COMPILER_TARGET)
    list(APPEND flags --target=${CMAKE_CXX_COMPILER_TARGET})
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${flags} -E -P -x c++ ${isas_def}
    OUTPUT_VARIABLE rows COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "HLOIR_ISA\\([A-Za-z0-9]+,[ \n]*\"[^\"]+\",[ \n]*\"[^\"]+\"" rows "${rows}")
  set(names)
  foreach(row ${rows})
    string(REGEX MATCH "\"([^\"]+)\"[^\"]*\"([^\"]+)\"" _ "${row}")
    set(isa ${CMAKE_MATCH_1})
    separate_arguments(options UNIX_COMMAND "${CMAKE_MATCH_2}")
    list(APPEND names ${isa})
    file(GLOB sources CONFIGURE_DEPENDS ${tree}/backend_cpu/isa/${isa}.cc ${tree}/backend_cpu/isa/${isa}_*.cc)
    target_sources(${target} PRIVATE ${sources})
    # Only templates on the instruction set may be compiled for it: nothing shared, so no precompiled headers either.
    set_source_files_properties(${sources} PROPERTIES
      COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  if(NOT names)
    message(FATAL_ERROR "${isas_def} has no row for this architecture")
  endif()
  set(HLOIR_ISAS ${names} PARENT_SCOPE)
endfunction()
