# See debian-cross.cmake.
set(hloir_target s390x)
include(${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake)
