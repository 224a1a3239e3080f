# See debian-cross.cmake.
set(hloir_target aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake)
