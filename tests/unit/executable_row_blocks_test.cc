// Products that run block by block, so that attention's scores are never in memory as a whole
// (plan/lower/row_blocks.h): results against the reference and bit for bit against the plan without blocks, and cases
// without a change.
#include "tests/unit/check_module.h"

using namespace hloir;

namespace {

std::unique_ptr<HloExecutable> Prepared(const HloModule& module, int threads = 2) {
  ExecutableOptions options;
  options.threads = threads;
  auto executable = PrepareExecutable(module, options);
  REQUIRE(executable.status().message() == "");
  return std::move(*executable);
}

// The largest and the sum of each row, and the scores by them: s is f32[2,3,256,256].
const std::string kReducers =
    "largest { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT m = f32[] maximum(a, b) }\n"
    "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n";
std::string Module(const std::string& body) { return "HloModule m\n" + kReducers + "ENTRY e {\n" + body + "\n}\n"; }
const std::string kSoftmax = R"(
  low = f32[] constant(-inf)
  none = f32[] constant(0)
  m = f32[2,3,256] reduce(s, low), dimensions={3}, to_apply=largest
  mb = f32[2,3,256,256] broadcast(m), dimensions={0,1,2}
  d = f32[2,3,256,256] subtract(s, mb)
  e = f32[2,3,256,256] exponential(d)
  z = f32[2,3,256] reduce(e, none), dimensions={3}, to_apply=sum
  zb = f32[2,3,256,256] broadcast(z), dimensions={0,1,2}
  p = f32[2,3,256,256] divide(e, zb)
)";
const std::string kOperands = R"(
  q = f32[2,3,256,40] parameter(0)
  k = f32[2,3,256,40] parameter(1)
  v = f32[2,3,256,24] parameter(2)
  raw = f32[2,3,256,256] dot(q, k), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={3}
)";
const std::string kByValues =
    "dot(p, v), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={2}";
const std::string kScaled =
    "eighth = f32[] constant(0.125)\n by = f32[2,3,256,256] broadcast(eighth), dimensions={}\n"
    " s = f32[2,3,256,256] multiply(raw, by)\n";

constexpr int64_t kScores = 2 * 3 * 256 * 256 * 4;

// Runs by blocks and needs hardly any memory; the results are right, and the same bits for any number of threads and as
// where the scores are a result too, and so are made at once.
void CheckBlocks(const std::string& body, const std::string& root) {
  const std::string text = Module(body + " ROOT " + root);
  CheckModule(text, 1e-5);
  const auto module = Parse(text);
  const auto executable = Prepared(*module);
  CHECK(executable->ToString().find("6 blocks of dot") != std::string::npos);
  CHECK(executable->arena_bytes() < kScores / 10);  // a mask
  const std::string type = root.substr(root.find('=') + 1, root.find(']') - root.find('='));
  const auto whole_module =
      Parse(Module(body + " " + root + "\n ROOT both = (" + type + ", f32[2,3,256,256]) tuple(r, p)"));
  const auto whole = Prepared(*whole_module);
  CHECK(whole->ToString().find("blocks of") == std::string::npos);
  std::vector<Literal> inputs;
  std::vector<const Literal*> arguments;
  for (const HloInstruction* parameter : module->entry_computation()->parameters())
    inputs.push_back(Ramp(parameter->shape(), 7));
  for (const Literal& input : inputs) arguments.push_back(&input);
  const auto result = executable->Run(arguments), one = Prepared(*module, 1)->Run(arguments),
             other = whole->Run(arguments);
  REQUIRE(result.ok());
  REQUIRE(one.ok());
  REQUIRE(other.ok());
  CHECK(result->BitwiseEqual(*one));
  CHECK(result->BitwiseEqual(other->elements()[0]));
}

}  // namespace

TEST_CASE("attention runs head by head") {
  CheckBlocks(kOperands + kScaled + kSoftmax, "r = f32[2,3,256,24] " + kByValues);
}

TEST_CASE("what blocks read beside the products begins where they do") {
  // A mask for all heads, one by batch, a bias of each head, and one made of numbers.
  CheckBlocks(kOperands + R"(
  mask = pred[256,256] parameter(3)
  padding = f32[2,256] parameter(4)
  slopes = f32[3] parameter(5)
  rows = s32[256,256] iota(), iota_dimension=0
  columns = s32[256,256] iota(), iota_dimension=1
  causal = pred[256,256] compare(rows, columns), direction=GE
  seen = pred[256,256] and(mask, causal)
  seen.b = pred[2,3,256,256] broadcast(seen), dimensions={2,3}
  padding.b = f32[2,3,256,256] broadcast(padding), dimensions={0,3}
  slopes.b = f32[2,3,256,256] broadcast(slopes), dimensions={1}
  far = f32[] constant(-1000)
  far.b = f32[2,3,256,256] broadcast(far), dimensions={}
  padded = f32[2,3,256,256] add(raw, padding.b)
  tilted = f32[2,3,256,256] multiply(padded, slopes.b)
  s = f32[2,3,256,256] select(seen.b, tilted, far.b)
)" + kSoftmax,
              "r = f32[2,3,256,24] " + kByValues);
}

TEST_CASE("heads may lie among the rows, and the scores on the right") {
  const std::string operands = R"(
  x = f32[2,256,3,40] parameter(0)
  y = f32[2,256,3,40] parameter(1)
  v = f32[2,256,3,24] parameter(2)
  raw = f32[2,3,256,256] dot(x, y), lhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_batch_dims={0,2}, rhs_contracting_dims={3}
)";
  CheckBlocks(operands + kScaled + kSoftmax +
                  "out = f32[2,3,256,24] dot(p, v), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, "
                  "rhs_batch_dims={0,2}, rhs_contracting_dims={1}\n",
              "r = f32[2,256,3,24] transpose(out), dimensions={0,2,1,3}");
  CheckBlocks(operands + kScaled + kSoftmax,
              "r = f32[2,3,24,256] dot(v, p), lhs_batch_dims={0,2}, lhs_contracting_dims={1}, rhs_batch_dims={0,1}, "
              "rhs_contracting_dims={3}");
}

TEST_CASE("scores that somebody else reads, and small ones, are made at once") {
  auto plan = [](const std::string& text) { return Prepared(*Parse(text))->ToString(); };
  const std::string result = " r = f32[2,3,256,24] " + kByValues + "\n";
  const std::string attention = kOperands + kScaled + kSoftmax;
  auto has_blocks = [&](const std::string& text) { return plan(text).find("blocks of") != std::string::npos; };
  CHECK(has_blocks(Module(attention + " ROOT" + result)));
  for (const char* read : {"raw", "s", "e", "z"}) {
    INFO(read);
    const std::string shape = read == std::string("z") ? "f32[2,3,256]" : "f32[2,3,256,256]";
    CHECK_FALSE(has_blocks(Module(attention + result + " n = " + shape + " negate(" + read + ")\n ROOT t = (" + shape +
                                  ", f32[2,3,256,24]) tuple(n, r)")));
  }
  // The other operand is made from the scores.
  CHECK_FALSE(has_blocks(Module(attention + R"(
  taken = f32[2,3,256,24] slice(e), slice={[0:2], [0:3], [0:256], [0:24]}
  ROOT r = f32[2,3,256,24] dot(p, taken), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={2}
)")));
  // Sums that go across heads.
  CHECK_FALSE(has_blocks(Module(kOperands + R"(
  none = f32[] constant(0)
  z = f32[3,256,256] reduce(raw, none), dimensions={0}, to_apply=sum
  zb = f32[2,3,256,256] broadcast(z), dimensions={1,2,3}
  p = f32[2,3,256,256] divide(raw, zb)
  ROOT)" + result)));
  CHECK_FALSE(has_blocks(R"(HloModule small
ENTRY main {
  q = f32[2,3,64,40] parameter(0)
  raw = f32[2,3,64,64] dot(q, q), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={3}
  p = f32[2,3,64,64] exponential(raw)
  ROOT r = f32[2,3,64,40] dot(p, q), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={2}
}
)"));
}
