# Debian's g++ for another architecture (g++-ARCH-linux-gnu), and qemu to run what it makes. Not to be used by itself:
# aarch64.cmake and its neighbours set hloir_target. scripts/test-cross makes the libraries that must be of the target.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${hloir_target})
set(CMAKE_C_COMPILER ${hloir_target}-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER ${hloir_target}-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${hloir_target}-static;-L;/usr/${hloir_target}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/${hloir_target}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# xsimd has headers alone, which serve every target, but its CMake files lie with those of the host's libraries.
file(GLOB hloir_xsimd_dirs /usr/lib/*/cmake/xsimd)
if(hloir_xsimd_dirs)
  list(GET hloir_xsimd_dirs 0 xsimd_DIR)
endif()
