# The files of each instruction set that this architecture has, as backend_cpu/isa/isas.def lists them, under the options
# that stand there. HLOIR_ISAS: their names.
set(hloir_isas_def ${PROJECT_SOURCE_DIR}/backend_cpu/isa/isas.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${hloir_isas_def})
# The compiler's preprocessor knows what it compiles for.
separate_arguments(hloir_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
if(CMAKE_CXX_COMPILER_TARGET)
  list(APPEND hloir_flags --target=${CMAKE_CXX_COMPILER_TARGET})
endif()
execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${hloir_flags} -E -P -x c++ ${hloir_isas_def}
  OUTPUT_VARIABLE hloir_rows COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "HLOIR_ISA\\([A-Za-z0-9]+,[ \n]*\"[^\"]+\",[ \n]*\"[^\"]+\"" hloir_rows "${hloir_rows}")
set(HLOIR_ISAS)
foreach(row ${hloir_rows})
  string(REGEX MATCH "\"([^\"]+)\"[^\"]*\"([^\"]+)\"" _ "${row}")
  set(isa ${CMAKE_MATCH_1})
  separate_arguments(options UNIX_COMMAND "${CMAKE_MATCH_2}")
  list(APPEND HLOIR_ISAS ${isa})
  file(GLOB sources CONFIGURE_DEPENDS backend_cpu/isa/${isa}.cc backend_cpu/isa/${isa}_*.cc)
  target_sources(hloir_cpu PRIVATE ${sources})
  # Only templates on the instruction set may be compiled for it: nothing shared, so no precompiled headers either.
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON)
endforeach()
if(NOT HLOIR_ISAS)
  message(FATAL_ERROR "${hloir_isas_def} has no row for this architecture")
endif()
