# How the library is made of rooms: hloir_room, one folder, compiled by itself; hloir_libraries, the static libraries
# that are installed. Which rooms there are is rooms.cmake.

set_property(GLOBAL PROPERTY hloir_libraries)

# hloir_collect_less(target): g++ collects garbage from a heap of 1 GB on, not of 128 MB, which saves it 8 % of its time.
function(hloir_collect_less target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE
      "SHELL:--param ggc-min-heapsize=1048576" "SHELL:--param ggc-min-expand=400")
  endif()
endfunction()

# See rooms.cmake. It makes hloir_NAME_objects, and hloir_NAME_room, which has the include directory of the room's private
# headers and links no other room: a room finds the private headers of the rooms in its own USES alone.
function(hloir_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "OUTSIDE" "LIBRARY;FOLDER;OPTION" "HEADERS;USES;ALWAYS")
  if(NOT room_LIBRARY)
    set(room_LIBRARY ${name})
  endif()
  # Where the room's headers are seen from: a folder of its own with one link, NAME. backend_cpu and passes hold folders
  # that their includes name, so these are seen from there.
  add_library(hloir_${name}_room INTERFACE)
  if(room_FOLDER)
    set(folder ${PROJECT_SOURCE_DIR}/${room_FOLDER})
    target_include_directories(hloir_${name}_room INTERFACE ${folder})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cc)
    list(FILTER sources EXCLUDE REGEX "/backend_cpu/isa/")  # by hloir_isas, each with options of its own
  else()
    set(folder ${PROJECT_SOURCE_DIR}/src/${name})
    set(root ${PROJECT_BINARY_DIR}/rooms/${name})
    file(MAKE_DIRECTORY ${root})
    file(CREATE_LINK ${folder} ${root}/${name} SYMBOLIC)
    target_include_directories(hloir_${name}_room INTERFACE ${root})
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
  endif()
  if(room_OPTION)
    if(${room_OPTION})
      list(FILTER sources EXCLUDE REGEX "/off\\.cc$")
    else()
      set(sources ${folder}/off.cc)
      foreach(file ${room_ALWAYS})
        list(APPEND sources ${folder}/${file})
      endforeach()
    endif()
  endif()

  add_library(hloir_${name}_objects OBJECT ${sources})
  target_include_directories(hloir_${name}_objects PRIVATE ${PROJECT_SOURCE_DIR}/include)
  # fmt, xsimd and our flags stay inside: an installed hloir asks nothing of its users.
  target_link_libraries(hloir_${name}_objects PRIVATE hloir_${name}_room hloir_build_flags)
  if(NOT room_OUTSIDE)
    foreach(other ${room_USES})
      target_link_libraries(hloir_${name}_objects PRIVATE hloir_${other}_room)
    endforeach()
  endif()
  target_include_directories(hloir_${name}_objects SYSTEM PRIVATE ${hloir_packages})
  # The libraries alone: how much of the tests runs is not asked.
  if(HLOIR_COVERAGE)
    target_compile_options(hloir_${name}_objects PRIVATE -fprofile-instr-generate -fcoverage-mapping)
  endif()
  # The graph's headers, which nearly every file includes, are read once for all rooms but the one below the graph.
  if(name STREQUAL ir)
    target_precompile_headers(hloir_ir_objects PRIVATE <hloir/module.h> <support/format.h> <algorithm>)
  elseif(NOT name STREQUAL support)
    target_precompile_headers(hloir_${name}_objects REUSE_FROM hloir_ir_objects)
  endif()
  hloir_collect_less(hloir_${name}_objects)
  set_target_properties(hloir_${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)  # but for what include/hloir declares

  # The library: made by its first room, filled by each.
  if(NOT TARGET hloir_${room_LIBRARY})
    add_library(hloir_${room_LIBRARY} STATIC)
    add_library(hloir::${room_LIBRARY} ALIAS hloir_${room_LIBRARY})
    target_include_directories(hloir_${room_LIBRARY} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_compile_features(hloir_${room_LIBRARY} PUBLIC cxx_std_20)
    set_target_properties(hloir_${room_LIBRARY} PROPERTIES EXPORT_NAME ${room_LIBRARY} LINKER_LANGUAGE CXX)
    set_property(GLOBAL APPEND PROPERTY hloir_libraries ${room_LIBRARY})
  endif()
  target_sources(hloir_${room_LIBRARY} PRIVATE $<TARGET_OBJECTS:hloir_${name}_objects>)
  set_property(TARGET hloir_${name}_objects PROPERTY hloir_library ${room_LIBRARY})
  set_property(TARGET hloir_${room_LIBRARY} APPEND PROPERTY hloir_rooms ${name})
  foreach(other ${room_USES})
    get_target_property(library hloir_${other}_objects hloir_library)
    if(NOT library STREQUAL room_LIBRARY)
      get_target_property(linked hloir_${room_LIBRARY} LINK_LIBRARIES)
      if(NOT hloir_${library} IN_LIST linked)
        target_link_libraries(hloir_${room_LIBRARY} PUBLIC hloir_${library})
      endif()
    endif()
  endforeach()
endfunction()

# What a room's files need beside the rooms: packages and options. The packages are linked by what is made of the room.
function(hloir_room_needs name)
  cmake_parse_arguments(PARSE_ARGV 1 need "" "" "HEADERS;OPTIONS;LIBRARIES")
  target_include_directories(hloir_${name}_objects SYSTEM PRIVATE ${need_HEADERS})
  target_compile_options(hloir_${name}_objects PRIVATE ${need_OPTIONS})
  get_target_property(library hloir_${name}_objects hloir_library)
  foreach(target hloir_${name}_objects hloir_${library})
    target_link_libraries(${target} PRIVATE ${need_LIBRARIES})
  endforeach()
endfunction()
