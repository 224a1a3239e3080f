// main() for fuzz targets of engines that have none. Compiled by AFL++ (afl-clang-fast++): persistent mode, with inputs
// from shared memory and without new processes. By other compilers: runs the files and folders on the command line once
// each, for seeds and for repeating findings: passes_replay FINDING. CMakeLists.txt selects one.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#if defined(__AFL_COMPILER) && !defined(HLOIR_REPLAY)
#include <unistd.h>  // AFL++'s macros read

__AFL_FUZZ_INIT();

int main() {
  __AFL_INIT();
  const uint8_t* const data = __AFL_FUZZ_TESTCASE_BUF;
  // Starts a new process from time to time, so that leaks and caches are bounded.
  while (__AFL_LOOP(10000)) LLVMFuzzerTestOneInput(data, static_cast<size_t>(__AFL_FUZZ_TESTCASE_LEN));
  return 0;
}

#else

namespace {

namespace fs = std::filesystem;

bool RunFile(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    return false;
  }
  const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  std::fprintf(stderr, "%s\n", path.c_str());  // the last line names the input that crashed it
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FILE|FOLDER…\n", argv[0]);
    return 2;
  }
  bool good = true;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      good &= RunFile(argv[i]);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(argv[i]))
      if (entry.is_regular_file()) good &= RunFile(entry.path());
  }
  return good ? 0 : 2;
}

#endif
