// What one core of this machine can do: multiply-adds in registers by each instruction set and type, and a STREAM triad
// over arrays of several sizes. roofline.py compiles it, runs it beside each case, and takes the best of its answers.
//
//   peaks isa=avx512|avx2 [milliseconds=20] [threads=1] NAME…       NAME: f32, f64, bf16, s8, or triad:BYTES of all
//   three
//
// Printed is a line `NAME operations-or-bytes a second` for each; an addition and a multiplication count as two. bf16
// and s8 are by the widest that the set has: AMX, else AVX512-BF16 and VNNI, else what they are emulated by (f32; pairs
// of words).
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

constexpr int kRounds = 4000;

// Each runs kRounds rounds of the instruction on twelve registers, which hide its latency, and says how many operations
// these were. In the assembler's words, so that the compiler can neither sum up what it knows nor spill.
#define HLOIR_EACH(one) one(0) one(1) one(2) one(3) one(4) one(5) one(6) one(7) one(8) one(9) one(10) one(11)
#define HLOIR_PEAK(name, one, operations)                                                                           \
  double name() {                                                                                                   \
    __asm__ volatile("vzeroall" ::                                                                                  \
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
                           "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");                                            \
    for (int round = 0; round < kRounds; ++round) __asm__ volatile(HLOIR_EACH(one));                                \
    __asm__ volatile("vzeroupper");                                                                                 \
    return double(operations) * 12 * kRounds;                                                                       \
  }
#define HLOIR_YMM(mnemonic, i) mnemonic " %ymm15, %ymm14, %ymm" #i "\n"
#define HLOIR_ZMM(mnemonic, i) mnemonic " %zmm15, %zmm14, %zmm" #i "\n"
#define HLOIR_F32_AVX2(i) HLOIR_YMM("vfmadd231ps", i)
#define HLOIR_F64_AVX2(i) HLOIR_YMM("vfmadd231pd", i)
#define HLOIR_WORDS_AVX2(i) "vpmaddwd %ymm15, %ymm14, %ymm13\n vpaddd %ymm13, %ymm" #i ", %ymm" #i "\n"
#define HLOIR_F32_AVX512(i) HLOIR_ZMM("vfmadd231ps", i)
#define HLOIR_F64_AVX512(i) HLOIR_ZMM("vfmadd231pd", i)
#define HLOIR_WORDS_AVX512(i) "vpmaddwd %zmm15, %zmm14, %zmm13\n vpaddd %zmm13, %zmm" #i ", %zmm" #i "\n"
#define HLOIR_BYTES_AVX512(i) HLOIR_ZMM("vpdpbusd", i)
#define HLOIR_BF16_AVX512(i) HLOIR_ZMM("vdpbf16ps", i)
HLOIR_PEAK(F32Avx2, HLOIR_F32_AVX2, 16)
HLOIR_PEAK(F64Avx2, HLOIR_F64_AVX2, 8)
HLOIR_PEAK(WordsAvx2, HLOIR_WORDS_AVX2, 32)
HLOIR_PEAK(F32Avx512, HLOIR_F32_AVX512, 32)
HLOIR_PEAK(F64Avx512, HLOIR_F64_AVX512, 16)
HLOIR_PEAK(WordsAvx512, HLOIR_WORDS_AVX512, 64)
HLOIR_PEAK(BytesAvx512, HLOIR_BYTES_AVX512, 128)
HLOIR_PEAK(Bf16Avx512, HLOIR_BF16_AVX512, 64)

struct __attribute__((packed)) TileConfig {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t columns[16] = {};
  uint8_t rows[16] = {};
};
#define HLOIR_TILES(name, set, multiply, operations)                                        \
  __attribute__((target(set))) double name() {                                              \
    TileConfig config;                                                                      \
    for (int i = 0; i < 8; ++i) config.columns[i] = 64, config.rows[i] = 16;                \
    __asm__ volatile("" ::"r"(&config) : "memory"); /* g++ 12 says that it reads 8 bytes */ \
    _tile_loadconfig(&config);                                                              \
    _tile_zero(0);                                                                          \
    _tile_zero(1);                                                                          \
    _tile_zero(2);                                                                          \
    _tile_zero(3);                                                                          \
    _tile_zero(4);                                                                          \
    _tile_zero(5);                                                                          \
    _tile_zero(6);                                                                          \
    _tile_zero(7);                                                                          \
    for (int round = 0; round < kRounds; ++round) {                                         \
      multiply(0, 4, 6);                                                                    \
      multiply(1, 4, 7);                                                                    \
      multiply(2, 5, 6);                                                                    \
      multiply(3, 5, 7);                                                                    \
    }                                                                                       \
    _tile_release();                                                                        \
    return double(operations) * 4 * kRounds;                                                \
  }
HLOIR_TILES(BytesAmx, "amx-tile,amx-int8", _tile_dpbssd, 2 * 16 * 16 * 64)
HLOIR_TILES(Bf16Amx, "amx-tile,amx-bf16", _tile_dpbf16ps, 2 * 16 * 16 * 32)

// The kernel lets a process use the tiles, and the processor has them (leaf 7's register d).
bool HasTiles() {
  unsigned a = 7, b, c = 0, d;
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  return (d >> 22 & 1) && (d >> 24 & 1) && (d >> 25 & 1) && syscall(SYS_arch_prctl, 0x1023, 18) == 0;
}

double (*Find(const std::string& isa, const std::string& name))() {
  const bool wide = isa == "avx512";
  if (name == "f32") return wide ? F32Avx512 : F32Avx2;
  if (name == "f64") return wide ? F64Avx512 : F64Avx2;
  if (name == "bf16") {
    if (wide && HasTiles()) return Bf16Amx;
    return !wide ? F32Avx2 : __builtin_cpu_supports("avx512bf16") ? Bf16Avx512 : F32Avx512;
  }
  if (name == "s8") {
    if (wide && HasTiles()) return BytesAmx;
    return !wide ? WordsAvx2 : __builtin_cpu_supports("avx512vnni") ? BytesAvx512 : WordsAvx512;
  }
  return nullptr;
}

// a[i] = b[i] + s·c[i]; 24 bytes an element, as STREAM counts: a line that is written whole needs not be read where it
// is written past the caches, as here if the arrays are larger than these.
__attribute__((target("avx2,fma"))) void Triad(double* a, const double* b, const double* c, int64_t n, bool past) {
  const __m256d s = _mm256_set1_pd(3);
  if (past) {
    for (int64_t i = 0; i < n; i += 4)
      _mm256_stream_pd(a + i, _mm256_fmadd_pd(s, _mm256_load_pd(c + i), _mm256_load_pd(b + i)));
    _mm_sfence();
  } else {
    for (int64_t i = 0; i < n; i += 4)
      _mm256_store_pd(a + i, _mm256_fmadd_pd(s, _mm256_load_pd(c + i), _mm256_load_pd(b + i)));
  }
}

// The best rate of several short stretches: others' work only takes time away.
template <class F>
double Best(double seconds, F&& work) {
  double best = 0;
  for (const double end = Now() + seconds; Now() < end;) {
    const double start = Now();
    const double done = work();
    best = std::max(best, done / (Now() - start));
  }
  return best;
}

double Measure(const std::string& isa, const std::string& name, double seconds) {
  if (name.rfind("triad:", 0) != 0) {
    double (*peak)() = Find(isa, name);
    return peak == nullptr ? 0 : Best(seconds, peak);
  }
  const int64_t n = std::max<int64_t>(std::atoll(name.c_str() + 6) / 24 / 64 * 64, 64);
  double* arrays[3];
  for (double*& array : arrays) {
    array = static_cast<double*>(std::aligned_alloc(4096, static_cast<size_t>((n * 8 + 4095) / 4096 * 4096 + 4096)));
    for (int64_t i = 0; i < n; ++i) array[i] = 1;
  }
  const int64_t repeat = std::max<int64_t>(1, (1 << 18) / n);
  double best = 0;
  for (bool past : {false, true}) {
    best = std::max(best, Best(seconds / 2, [&] {
                      for (int64_t r = 0; r < repeat; ++r) Triad(arrays[0], arrays[1], arrays[2], n, past);
                      return 24.0 * static_cast<double>(n * repeat);
                    }));
  }
  for (double* array : arrays) std::free(array);
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  std::string isa = "avx512";
  double seconds = 0.02;
  int threads = 1;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("isa=", 0) == 0) isa = word.substr(4);
    else if (word.rfind("milliseconds=", 0) == 0) seconds = std::atof(word.c_str() + 13) / 1000;
    else if (word.rfind("threads=", 0) == 0) threads = std::atoi(word.c_str() + 8);
    else names.push_back(word);
  }
  for (const std::string& name : names) {
    std::vector<double> rates(static_cast<size_t>(threads));
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([&, t] { rates[static_cast<size_t>(t)] = Measure(isa, name, seconds); });
    double all = 0;
    for (int t = 0; t < threads; ++t) running[static_cast<size_t>(t)].join(), all += rates[static_cast<size_t>(t)];
    std::printf("%s %.6g\n", name.c_str(), all);
  }
}
