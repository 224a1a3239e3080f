// See tune/calibrate.h. Each probe is a module dominated by one kind of operation; a rate is the count of the cost
// analysis divided by the best time. No probe is a case of bench/, which measures the quality of the predictions.
#include "tune/calibrate.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "hloir/check.h"
#include "hloir/cost.h"
#include "hloir/executable.h"
#include "hloir/parser.h"
#include "support/format.h"

namespace hloir {
namespace {

// The best time of a run, in seconds, and the cost of a run.
struct Measured {
  double seconds = 0;
  Cost cost;
};

class Machine {
 public:
  explicit Machine(const CalibrationOptions& options) : options_(options) {}

  StatusOr<Measured> Run(const std::string& text) {
    HLOIR_ASSIGN_OR_RETURN(const auto module, ParseModule("HloModule probe\n" + text));
    HLOIR_ASSIGN_OR_RETURN(const std::vector<Literal> inputs, MakeFakeInputs(*module, 2));
    ExecutableOptions options;
    options.threads = options_.threads;
    HLOIR_ASSIGN_OR_RETURN(const auto executable, PrepareExecutable(*module, options));
    std::vector<const Literal*> arguments;
    for (const Literal& input : inputs) arguments.push_back(&input);
    HLOIR_ASSIGN_OR_RETURN(Literal result, executable->Run(arguments));
    Measured best;
    best.seconds = std::numeric_limits<double>::infinity();
    best.cost = CostAnalysis(*module).total().repeated;
    double total = 0;
    int64_t batch = 1;  // number of runs per measurement, so that the clock's overhead is negligible
    for (int64_t runs = 0; runs < 8 || total < options_.seconds; ++runs) {
      const double start = Now();
      for (int64_t k = 0; k < batch; ++k) HLOIR_RETURN_IF_ERROR(executable->RunInto(arguments, &result));
      const double seconds = Now() - start;
      total += seconds;
      best.seconds = std::min(best.seconds, seconds / static_cast<double>(batch));
      if (seconds < 20e-6) batch *= 2;
    }
    return best;
  }

 private:
  // For one thread, its CPU time, which other load does not affect.
  double Now() const {
#ifdef CLOCK_THREAD_CPUTIME_ID
    timespec time{};
    if (options_.threads == 1 && clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
      return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
#endif
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  const CalibrationOptions& options_;
};

std::string Entry(const std::string& body) { return "ENTRY e {\n" + body + "}\n"; }
// A chain of `times` applications of `op` to a parameter.
std::string Chain(const std::string& type, int64_t elements, const std::string& op, int times) {
  const std::string shape = Format("{}[{}]", type, elements);
  std::string body = Format(" v0 = {} parameter(0)\n w = {} parameter(1)\n", shape, shape);
  for (int k = 1; k <= times; ++k) {
    std::string call = op;
    for (size_t at; (at = call.find('$')) != std::string::npos;) call.replace(at, 1, Format("v{}", k - 1));
    body += Format(" {}v{} = {} {}\n", k == times ? "ROOT " : "", k, shape, call);
  }
  return Entry(body);
}
// The same number of operations on floats and on integers, interleaved, as in loops of scalars.
std::string Loop(int operations) {
  const std::string state = "(s32[], f32[], s32[])";
  std::string body = "b { s = " + state + R"( parameter(0)
 i = s32[] get-tuple-element(s), index=0
 one = s32[] constant(1)
 j = s32[] add(i, one)
 x0 = f32[] get-tuple-element(s), index=1
 c = f32[] constant(0.999)
 y0 = s32[] get-tuple-element(s), index=2
)";
  for (int k = 1; k <= operations; ++k) {
    body += Format(" x{} = f32[] {}(x{}, c)\n", k, k % 2 ? "multiply" : "add", k - 1);
    body += Format(" y{} = s32[] {}(y{}, i)\n", k, k % 2 ? "add" : "xor", k - 1);
  }
  return "c { s = " + state + R"( parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(2000)
 ROOT r = pred[] compare(i, n), direction=LT }
)" + body +
         Format(" ROOT t = {} tuple(j, x{}, y{}) }}\n", state, operations, operations) +
         Entry(Format(" x = f32[] parameter(0)\n y = s32[] parameter(1)\n z = s32[] constant(0)\n"
                      " t = {} tuple(z, x, y)\n ROOT w = {} while(t), condition=c, body=b\n",
                      state, state));
}

// The rate of an opcode: operations a second, or bytes for data movement.
struct OpcodeProbe {
  const char* opcode;
  const char* text;  // computations before the entry, then '|' and the entry's body
};
constexpr OpcodeProbe kOpcodes[] = {
    {"convolution", R"(| x = f32[3,56,56,64] parameter(0)
 k = f32[3,3,64,64] parameter(1)
 ROOT r = f32[3,56,56,64] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
)"},
    {"transpose", R"(| x = f32[768,1024] parameter(0)
 ROOT r = f32[1024,768] transpose(x), dimensions={1,0}
)"},
    {"convert.bf16", R"(| x = bf16[8,512] parameter(0)
 ROOT r = f32[8,512] convert(x)
)"},
    {"convert.f16", R"(| x = f16[8,512] parameter(0)
 ROOT r = f32[8,512] convert(x)
)"},
    {"reduce", R"(add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b) }
| x = f32[64,512] parameter(0)
 z = f32[] constant(0)
 ROOT r = f32[64] reduce(x, z), dimensions={1}, to_apply=add
)"},
    {"tuple-reduce", R"(larger { a = f32[] parameter(0)
 i = s32[] parameter(1)
 b = f32[] parameter(2)
 j = s32[] parameter(3)
 gt = pred[] compare(a, b), direction=GT
 no = pred[] compare(a, a), direction=NE
 first = pred[] or(gt, no)
 eq = pred[] compare(a, b), direction=EQ
 lt = pred[] compare(i, j), direction=LT
 tie = pred[] and(eq, lt)
 second = pred[] or(first, tie)
 v = f32[] select(first, a, b)
 k = s32[] select(second, i, j)
 ROOT t = (f32[], s32[]) tuple(v, k) }
| x = f32[64,512] parameter(0)
 i = s32[64,512] iota(), iota_dimension=1
 z = f32[] constant(0)
 n = s32[] constant(0)
 ROOT r = (f32[64], s32[64]) reduce(x, i, z, n), dimensions={1}, to_apply=larger
)"},
    {"reduce-window", R"(add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] maximum(a, b) }
| x = f32[6,96,96,32] parameter(0)
 z = f32[] constant(0)
 ROOT r = f32[6,48,48,32] reduce-window(x, z), window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x0_1x0_1x0_0}, to_apply=add
)"},
    {"running-sum", R"(add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b) }
| x = f32[128,1024] parameter(0)
 z = f32[] constant(0)
 ROOT r = f32[128,1024] reduce-window(x, z), window={size=1x1024 pad=0_0x1023_0}, to_apply=add
)"},
    {"select-and-scatter", R"(ge { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = pred[] compare(a, b), direction=GE }
add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b) }
| x = f32[2,64,64,32] parameter(0)
 y = f32[2,32,32,32] parameter(1)
 z = f32[] constant(0)
 ROOT r = f32[2,64,64,32] select-and-scatter(x, y, z), window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x0_1x0_1x0_0}, select=ge, scatter=add
)"},
    {"grouped-convolution", R"(| x = f32[4,48,48,96] parameter(0)
 k = f32[3,3,1,96] parameter(1)
 ROOT r = f32[4,48,48,96] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=96
)"},
    {"topk", R"(| x = f32[32,4096] parameter(0)
 ROOT r = (f32[32,8], s32[32,8]) topk(x), k=8, largest=true
)"},
    {"gather", R"(| x = f32[4096,64] parameter(0)
 i = s32[2048,1] parameter(1)
 ROOT r = f32[2048,64] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}
)"},
    {"scatter", R"(add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b) }
| x = f32[2048,64] parameter(0)
 i = s32[2048,1] parameter(1)
 u = f32[2048,64] parameter(2)
 ROOT r = f32[2048,64] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
)"},
    {"sort", R"(less { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = pred[] compare(a, b), direction=LT, type=TOTALORDER }
| x = f32[65536] parameter(0)
 ROOT r = f32[65536] sort(x), dimensions={0}, to_apply=less
)"},
    {"fft", R"(| x = c64[64,512] parameter(0)
 ROOT r = c64[64,512] fft(x), fft_type=FFT, fft_length={512}
)"},
    {"concatenate", R"(| x = f32[256,384] parameter(0)
 y = f32[256,128] parameter(1)
 ROOT r = f32[256,512] concatenate(x, y), dimensions={1}
)"},
    {"pad", R"(| x = f32[256,384] parameter(0)
 z = f32[] constant(0)
 ROOT r = f32[264,400] pad(x, z), padding=4_4x8_8
)"},
    {"reverse", R"(| x = f32[256,512] parameter(0)
 ROOT r = f32[256,512] reverse(x), dimensions={1}
)"},
    {"rng-bit-generator", R"(| k = u64[2] parameter(0)
 ROOT r = (u64[2], u32[262144]) rng-bit-generator(k), algorithm=rng_philox
)"},
    {"cholesky", R"(| x = f32[128,128] parameter(0)
 ROOT r = f32[128,128] cholesky(x), lower=true
)"},
    {"triangular-solve", R"(| x = f32[128,128] parameter(0)
 b = f32[128,128] parameter(1)
 ROOT r = f32[128,128] triangular-solve(x, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
)"},
};
constexpr const char* kFunctions[] = {
    "exponential",           "tanh",   "log",  "sine", "cosine", "logistic", "erf", "sqrt", "rsqrt", "log-plus-one",
    "exponential-minus-one", "divide", "power"};
// Opcodes whose rate depends on the type, with "f32" in the text replaced.
constexpr std::pair<const char*, const char*> kTypedOpcodes[] = {{"reduce", "f64"}, {"reduce", "bf16"},
                                                                 {"reduce", "f16"}, {"reduce", "s32"},
                                                                 {"reduce", "c64"}, {"tuple-reduce", "bf16"}};
constexpr std::pair<const char*, const char*> kTypedFunctions[] = {
    {"exponential", "f64"}, {"tanh", "f64"},   {"log", "f64"},      {"sine", "f64"},
    {"cosine", "f64"},      {"sqrt", "f64"},   {"divide", "f64"},   {"power", "f64"},
    {"divide", "s32"},      {"divide", "u32"}, {"remainder", "s32"}};
constexpr const char* kTypes[] = {"f32", "f64", "bf16", "f16", "s8", "s32", "u32", "c64"};

}  // namespace

StatusOr<DeviceDescription> CalibrateThisMachine(const CalibrationOptions& options) {
  Machine machine(options);
  DeviceDescription device;
  device.name = "this machine";
  device.sources = {"measured: the best times of small modules, by hloir's engine"};
  const int64_t total =
      static_cast<int64_t>(6 + std::size(kTypes) + 7 + 15 + std::size(kFunctions) + std::size(kTypedFunctions) +
                           std::size(kOpcodes) + std::size(kTypedOpcodes));
  int64_t done = 0;
  Measured m;
  const auto measure = [&](const std::string& text) -> Status {
    HLOIR_ASSIGN_OR_RETURN(m, machine.Run(text));
    if (options.on_progress) options.on_progress(++done, total);
    return OkStatus();
  };
  const auto rate = [&](double work) {
    const double seconds = m.seconds - device.startup - device.overhead;
    return work / std::max(seconds, m.seconds / 10);
  };

  // Small steps that are not fused: the difference between many and one.
  std::string many = " v0 = f32[2,2] parameter(0)\n";
  for (int k = 1; k <= 33; ++k)
    many += Format(" {}v{} = f32[2,2] dot(v{}, v0), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n",
                   k == 33 ? "ROOT " : "", k, k - 1);
  HLOIR_RETURN_IF_ERROR(measure(Entry(many)));
  const double of_many = m.seconds;
  HLOIR_RETURN_IF_ERROR(measure(Chain("f32", 4, "add($, w)", 1)));
  device.overhead = std::max(0.0, (of_many - m.seconds) / 32);
  device.startup = std::max(0.0, m.seconds - device.overhead);
  HLOIR_RETURN_IF_ERROR(measure(Loop(1)));
  const double short_loop = m.seconds;
  HLOIR_RETURN_IF_ERROR(measure(Loop(33)));
  device.scalar_overhead = std::max(1e-12, (m.seconds - short_loop) / (2000 * 64));
  // An iteration compares, increments, multiplies and adds.
  device.loop_overhead = std::max(0.0, short_loop / 2000 - 4 * device.scalar_overhead);

  for (const char* type : kTypes) {
    HLOIR_RETURN_IF_ERROR(measure(Chain(type, 8192, "add($, w)", 32)));
    device.flops[type] = rate(m.cost.flops);
  }
  device.flops["default"] = device.flops["s32"];
  for (const auto& [type, n] :
       {std::pair{"f32", 512}, {"f64", 384}, {"bf16", 384}, {"s8", 384}, {"c64", 192}, {"f16", 320}, {"s32", 192}}) {
    const std::string shape = Format("[{},{}]", n, n);
    HLOIR_RETURN_IF_ERROR(measure(Entry(
        Format(" a = {}{} parameter(0)\n b = {}{} parameter(1)\n ROOT r = {}{} dot(a, b), lhs_contracting_dims={{1}}, "
               "rhs_contracting_dims={{0}}\n",
               type, shape, type, shape, std::string_view(type) == "s8" ? "s32" : type, shape))));
    device.products[type] = rate(m.cost.flops);
  }
  // a + s b, from sizes within the first-level cache to sizes beyond all caches.
  constexpr int64_t kLargest = int64_t{1} << 24;
  for (int64_t elements = int64_t{1} << 10; elements <= kLargest; elements *= 2) {
    const std::string shape = Format("f32[{}]", elements);
    HLOIR_RETURN_IF_ERROR(
        measure(Entry(Format(" a = {} parameter(0)\n b = {} parameter(1)\n s = f32[] constant(3)\n t = {} "
                             "broadcast(s), dimensions={{}}\n m = {} multiply(b, t)\n ROOT r = {} add(a, m)\n",
                             shape, shape, shape, shape, shape))));
    const double bytes = 12 * static_cast<double>(elements);
    const double bandwidth = rate(bytes);
    if (elements < kLargest) device.caches.push_back({bytes, bandwidth});
    else device.bandwidth = bandwidth;
  }
  for (const char* opcode : kFunctions) {
    const bool two = std::string_view(opcode) == "divide" || std::string_view(opcode) == "power";
    HLOIR_RETURN_IF_ERROR(measure(Chain("f32", 8192, std::string(opcode) + (two ? "($, w)" : "($)"), 4)));
    device.opcodes[opcode] = rate(m.cost.flops + m.cost.transcendentals);
  }
  for (const auto& [opcode, type] : kTypedFunctions) {
    const std::string name = opcode;
    const bool two = name == "divide" || name == "power" || name == "remainder";
    HLOIR_RETURN_IF_ERROR(measure(Chain(type, 8192, name + (two ? "($, w)" : "($)"), 4)));
    device.opcodes[name + "." + type] = rate(m.cost.flops + m.cost.transcendentals);
  }
  device.transcendentals = device.opcodes["tanh"];
  for (const auto& [opcode, type] : kTypedOpcodes) {
    std::string text;
    for (const OpcodeProbe& probe : kOpcodes)
      if (probe.opcode == std::string_view(opcode)) text = probe.text;
    for (size_t at; (at = text.find("f32")) != std::string::npos;) text.replace(at, 3, type);
    if (std::string_view(type) == "c64") text.replace(text.find("constant(0)"), 11, "constant((0, 0))");
    const size_t bar = text.find('|');
    HLOIR_RETURN_IF_ERROR(measure(text.substr(0, bar) + Entry(text.substr(bar + 1))));
    device.opcodes[std::string(opcode) + "." + type] = rate(m.cost.flops + m.cost.transcendentals);
  }
  for (const OpcodeProbe& probe : kOpcodes) {
    const std::string text = probe.text;
    const size_t bar = text.find('|');
    HLOIR_RETURN_IF_ERROR(measure(text.substr(0, bar) + Entry(text.substr(bar + 1))));
    double operations = m.cost.flops + m.cost.transcendentals;
    if (probe.opcode == std::string_view("running-sum")) operations = 2.0 * 128 * 1024;  // as a roofline counts them
    device.opcodes[probe.opcode] = rate(operations > 0 ? operations : m.cost.bytes);
  }
  HLOIR_RETURN_IF_ERROR(measure(Entry(R"( x = f32[32768] parameter(0)
 i = s32[32768,1] parameter(1)
 ROOT r = f32[32768] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
)")));
  device.slices["gather"] = rate(32768);
  HLOIR_RETURN_IF_ERROR(measure(R"(add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b) }
)" + Entry(R"( x = f32[8192] parameter(0)
 i = s32[32768,1] parameter(1)
 u = f32[32768] parameter(2)
 ROOT r = f32[8192] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
)")));
  device.slices["scatter"] = rate(32768);
  return device;
}

}  // namespace hloir
