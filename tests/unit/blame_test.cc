// triage/blame.h: who is to blame, with a planted culprit of each kind; and ListDumps, which finds the programs.
#include "triage/blame.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "hloir/io.h"
#include "tests/unit/catch.h"
#include "triage/page.h"

using namespace hloir;

namespace {

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("hloir_blame_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = (path_ / name).string();
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    REQUIRE(WriteFile(path, text).ok());
    return path;
  }
  // in0, in1, … and out0.
  void WriteValues(const std::string& name, const std::vector<Literal>& inputs, const Literal& result) const {
    std::vector<NpzLeaves> all(2);
    all[0].prefix = "in", all[0].leaves = Pointers(inputs);
    all[1].prefix = "out", all[1].leaves = {&result};
    REQUIRE(WriteNpz((path_ / name).string(), all).ok());
  }
  std::vector<DumpFolder::Module> Programs() const {
    const std::string path = path_.string();
    const auto folder = ListDumps({&path, 1});
    REQUIRE(folder.ok());
    return folder->modules;
  }
  Finding BlameOne(const BlameOptions& options = {}) const {
    const std::vector<DumpFolder::Module> programs = Programs();
    REQUIRE(programs.size() == 1);
    return Blame(programs[0], options);
  }

 private:
  std::filesystem::path path_;
};

std::string Module(const std::string& body) { return "HloModule m\nENTRY e {\n" + body + "\n}\n"; }

Literal Vector(const std::vector<float>& values) {
  Literal literal(Shape::Array(PrimitiveType::F32, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) literal.SetFromDouble(static_cast<int64_t>(i), values[i]);
  return literal;
}

Literal Run(const std::string& text, const std::vector<Literal>& inputs) {
  auto file = ParseModuleFile(text);
  REQUIRE(file.ok());
  auto runner = Runner::Prepare(file->module(), {});
  REQUIRE(runner.ok());
  auto result = runner->Run(Pointers(inputs));
  REQUIRE(result.ok());
  return *std::move(result);
}

const std::string kAffine = Module(
    "  x = f32[4] parameter(0)\n  two = f32[] constant(2)\n  twos = f32[4] broadcast(two), dimensions={}\n"
    "  product = f32[4] multiply(x, twos)\n  ROOT sum = f32[4] add(product, x)");
// The same with a pass's work done.
const std::string kAffineRight =
    Module("  x = f32[4] parameter(0)\n  twice = f32[4] add(x, x)\n  ROOT sum = f32[4] add(twice, x)");
const std::string kAffineWrong =
    Module("  x = f32[4] parameter(0)\n  twice = f32[4] add(x, x)\n  ROOT sum = f32[4] add(twice, twice)");

}  // namespace

TEST_CASE("a stage that is wrong is a pass's fault, and the pass is named") {
  const Folder folder;
  folder.Write("module_0001.f.before_optimizations.txt", kAffine);
  folder.Write("module_0001.f.0001.p.after_right.before_wrong.txt", kAffineRight);
  folder.Write("module_0001.f.0002.p.after_wrong.before_dce.txt", kAffineWrong);
  folder.Write("module_0001.f.cpu_after_optimizations.txt", kAffineWrong);
  const Finding finding = folder.BlameOne();
  INFO(FindingReport(finding));
  CHECK(finding.kind == FindingKind::kFault);
  CHECK(finding.culprit == Culprit::kPass);
  CHECK(finding.pass == "p: wrong");
  CHECK(finding.partner == "sum");
  CHECK(finding.stages == 4);
  CHECK(finding.answer == "different");
  CHECK(finding.next.find("after_right") != std::string::npos);
}

TEST_CASE("a wrong pass is named on stored inputs, too, and whose the stored results are") {
  const Folder folder;
  folder.Write("f.before.hlo", kAffine);
  folder.Write("f.after.hlo", kAffineWrong);
  const std::vector<Literal> inputs = {Vector({1, 2, 3, 4})};
  folder.WriteValues("f.npz", inputs, Run(kAffineWrong, inputs));
  const Finding finding = folder.BlameOne();
  INFO(FindingReport(finding));
  CHECK(finding.culprit == Culprit::kPass);
  CHECK(finding.stored == 1);
  CHECK(std::find(finding.details.begin(), finding.details.end(), "the stored results are the last stage's") !=
        finding.details.end());
}

TEST_CASE("right passes and a wrong stored result are a kernel's fault") {
  const Folder folder;
  folder.Write("f.before.hlo", kAffine);
  folder.Write("f.after.hlo", kAffineRight);
  folder.WriteValues("f.npz", {Vector({1, 2, 3, 4})}, Vector({3, 6, 9, 13}));
  const Finding finding = folder.BlameOne();
  INFO(FindingReport(finding));
  CHECK(finding.kind == FindingKind::kFault);
  CHECK(finding.culprit == Culprit::kKernel);
  CHECK(finding.instruction == "sum");
  CHECK(finding.summary.find("12") != std::string::npos);
  CHECK(finding.summary.find("13") != std::string::npos);
}

TEST_CASE("stored results of a module alone are compared, from a snapshot too") {
  const Folder folder;
  const std::vector<Literal> inputs = {Vector({1, 2, 3, 4})};
  auto file = ParseModuleFile(kAffine);
  REQUIRE(file.ok());
  REQUIRE(SetStoredValues({inputs, {Vector({3, 6, 9, 13})}}, *file).ok());
  const auto bytes = SerializeModuleFile(*file, {.form = FileFormat::Form::kProto});
  REQUIRE(bytes.ok());
  for (const char* name : {"m.snapshot.0.pb", "m.pb"}) {
    const std::string path = folder.Write(name, *bytes);
    const Finding finding = folder.BlameOne();
    INFO(name << "\n" << FindingReport(finding));
    CHECK(finding.culprit == Culprit::kKernel);
    CHECK(finding.stored == 1);
    std::filesystem::remove(path);
  }
}

TEST_CASE("a program that gives NaN is to blame itself, from the instruction that makes it") {
  const std::string program = Module(
      "  x = f32[4] parameter(0)\n  zero = f32[] constant(0)\n  zeros = f32[4] broadcast(zero), dimensions={}\n"
      "  nothing = f32[4] multiply(x, zeros)\n  unused = f32[4] log(nothing)\n  quotient = f32[4] divide(nothing, "
      "nothing)\n"
      "  ROOT sum = f32[4] add(quotient, x)");
  const Folder folder;
  folder.Write("f.before.hlo", program);
  folder.Write("f.after.hlo", program);
  const std::vector<Literal> inputs = {Vector({1, 2, 3, 4})};
  folder.WriteValues("f.npz", inputs, Run(program, inputs));
  const Finding finding = folder.BlameOne();
  INFO(FindingReport(finding));
  CHECK(finding.culprit == Culprit::kProgram);
  CHECK(finding.instruction == "quotient");
  // A NaN that a finite program has not is no work of the program.
  folder.Write("f.before.hlo", kAffine);
  folder.Write("f.after.hlo", kAffineRight);
  CHECK(folder.BlameOne().culprit == Culprit::kKernel);
}

TEST_CASE("the NaN of a loop begins inside it") {
  const std::string program =
      "HloModule m\ncond {\n  s = (s32[], f32[]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  n = s32[] constant(3)\n  ROOT less = pred[] compare(i, n), direction=LT\n}\n"
      "body {\n  s = (s32[], f32[]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  x = f32[] get-tuple-element(s), index=1\n  one = s32[] constant(1)\n  next = s32[] add(i, one)\n"
      "  single = f32[] constant(1)\n  less = f32[] subtract(x, single)\n  root = f32[] sqrt(less)\n"
      "  ROOT t = (s32[], f32[]) tuple(next, root)\n}\n"
      "ENTRY e {\n  x = f32[] parameter(0)\n  zero = s32[] constant(0)\n  start = (s32[], f32[]) tuple(zero, x)\n"
      "  loop = (s32[], f32[]) while(start), condition=cond, body=body\n"
      "  ROOT r = f32[] get-tuple-element(loop), index=1\n}\n";
  const Folder folder;
  folder.Write("f.before.hlo", program);
  folder.Write("f.after.hlo", program);
  folder.WriteValues("f.npz", {Literal::Scalar(PrimitiveType::F32, 2)},
                     Literal::Scalar(PrimitiveType::F32, std::numeric_limits<double>::quiet_NaN()));
  const Finding finding = folder.BlameOne();
  INFO(FindingReport(finding));
  CHECK(finding.culprit == Culprit::kProgram);
  CHECK(finding.instruction == "root");
}

TEST_CASE("results that differ in the last bits are rounding's") {
  const std::string before = Module(
      "  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n  a = f32[4] add(x, y)\n  ROOT r = f32[4] add(a, x)");
  const std::string after = Module(
      "  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n  a = f32[4] add(x, x)\n  ROOT r = f32[4] add(a, y)");
  const Folder folder;
  folder.Write("f.before.hlo", before);
  folder.Write("f.after.hlo", after);
  CHECK(folder.BlameOne().kind == FindingKind::kRounding);
  const std::vector<Literal> inputs = {Vector({1, 2, 3, 4}), Vector({5, 6, 7, 8})};
  Literal stored = Run(before, inputs);
  folder.WriteValues("f.npz", inputs, stored);
  CHECK(folder.BlameOne().culprit == Culprit::kRounding);
  stored.SetFromDouble(0, std::nextafterf(static_cast<float>(stored.GetAsDouble(0)), 100.f));
  folder.WriteValues("f.npz", inputs, stored);
  const Finding finding = folder.BlameOne();
  INFO(FindingReport(finding));
  CHECK(finding.culprit == Culprit::kRounding);
  CHECK(finding.kind == FindingKind::kRounding);
  CHECK(finding.summary.find("rounding explains the stored results") == 0);
}

TEST_CASE("a machine's arithmetic explains what it computes, and no more") {
  const Folder folder;
  // Factors in TF32.
  const std::string dot = Module(
      "  x = f32[64] parameter(0)\n  y = f32[64] parameter(1)\n"
      "  ROOT r = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}");
  const std::string tf32 = Module(
      "  x = f32[64] parameter(0)\n  y = f32[64] parameter(1)\n"
      "  a = f32[64] reduce-precision(x), exponent_bits=8, mantissa_bits=10\n"
      "  b = f32[64] reduce-precision(y), exponent_bits=8, mantissa_bits=10\n"
      "  ROOT r = f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}");
  std::vector<float> x, y;
  for (int i = 0; i < 64; ++i)
    x.push_back(1 + 0.0137f * static_cast<float>(i)), y.push_back(2 - 0.0071f * static_cast<float>(i));
  const std::vector<Literal> inputs = {Vector(x), Vector(y)};
  folder.Write("f.before.hlo", dot);
  folder.Write("f.after.hlo", dot);
  folder.WriteValues("f.npz", inputs, Run(tf32, inputs));
  Finding finding = folder.BlameOne();
  INFO(FindingReport(finding));
  CHECK(finding.culprit == Culprit::kMachine);
  CHECK(finding.kind == FindingKind::kLessAccurate);
  CHECK(finding.summary.find("tf32-products") != std::string::npos);
  Literal wrong = Run(dot, inputs);
  wrong.SetFromDouble(0, wrong.GetAsDouble(0) * 1.1);
  folder.WriteValues("f.npz", inputs, wrong);
  CHECK(folder.BlameOne().culprit == Culprit::kKernel);

  // Denormals as zeros.
  const std::string quotient = Module(
      "  x = f32[2] parameter(0)\n  y = f32[2] parameter(1)\n  small = f32[2] multiply(x, y)\n"
      "  big = f32[] constant(1e+30)\n  bigs = f32[2] broadcast(big), dimensions={}\n"
      "  ROOT r = f32[2] multiply(small, bigs)");
  folder.Write("f.before.hlo", quotient);
  folder.Write("f.after.hlo", quotient);
  folder.WriteValues("f.npz", {Vector({1e-20f, 1}), Vector({1e-20f, 1})}, Vector({0, 1e30f}));
  finding = folder.BlameOne();
  // 1e-40 · 1e30 is 1e-10, far below the largest element: rounding, as far as that is told from the largest.
  folder.WriteValues("f.npz", {Vector({1e-20f, 1e-20f}), Vector({1e-20f, 1e-20f})}, Vector({0, 0}));
  finding = folder.BlameOne();
  INFO(FindingReport(finding));
  CHECK(finding.culprit == Culprit::kMachine);
  CHECK(finding.kind == FindingKind::kUndefined);
  CHECK(finding.summary.find("flush-denormals") != std::string::npos);

  // x · x - y, rounded once.
  const std::string difference = Module(
      "  x = f32[1] parameter(0)\n  y = f32[1] parameter(1)\n  square = f32[1] multiply(x, x)\n"
      "  ROOT r = f32[1] subtract(square, y)");
  const float one = 1 + 0x1p-12f, square = one * one;
  folder.Write("f.before.hlo", difference);
  folder.Write("f.after.hlo", difference);
  folder.WriteValues("f.npz", {Vector({one}), Vector({square})}, Vector({std::fma(one, one, -square)}));
  finding = folder.BlameOne();
  INFO(FindingReport(finding));
  CHECK(finding.culprit != Culprit::kKernel);
  CHECK(finding.kind >= FindingKind::kUndefined);
}

TEST_CASE("a known fault is named, with the pass that shows it") {
  const std::string product = Module(
      "  x = f32[4] parameter(0)\n  p = pred[4] parameter(1)\n  c = f32[4] convert(p)\n  ROOT r = f32[4] multiply(x, "
      "c)");
  const std::string select = Module(
      "  x = f32[4] parameter(0)\n  p = pred[4] parameter(1)\n  zero = f32[] constant(0)\n"
      "  zeros = f32[4] broadcast(zero), dimensions={}\n  ROOT r = f32[4] select(p, x, zeros)");
  const Folder folder;
  folder.Write("module_0001.f.before_optimizations.txt", product);
  folder.Write("module_0001.f.0001.p.after_algsimp.before_dce.txt", select);
  folder.Write("module_0001.f.cpu_after_optimizations.txt", select);
  const Finding finding = folder.BlameOne();
  INFO(FindingReport(finding));
  CHECK(finding.kind == FindingKind::kFault);
  REQUIRE(finding.faults.size() == 1);
  CHECK(finding.faults[0].name == "predicate-product");
  CHECK(finding.pass == "p: algsimp");
}

TEST_CASE("fewer digits, another order, and files that cannot be read") {
  const Folder folder;
  const std::string x = "  x = f32[4] parameter(0)\n";
  folder.Write("less.before.hlo", Module(x + "  ROOT r = f32[4] log-plus-one(x)"));
  folder.Write("less.after.hlo", Module(x + "  one = f32[] constant(1)\n  ones = f32[4] broadcast(one), dimensions={}\n"
                                            "  s = f32[4] add(x, ones)\n  ROOT r = f32[4] log(s)"));
  const std::string random = Module(x +
                                    "  a = f32[] constant(0)\n  b = f32[] constant(1)\n"
                                    "  n = f32[4] rng(a, b), distribution=rng_uniform\n  ROOT r = f32[4] add(n, x)");
  folder.Write("random.before.hlo", random);
  folder.Write("random.after.hlo", random);
  folder.WriteValues("random.npz", {Vector({0, 0, 0, 0})}, Vector({0.9f, 0.1f, 0.5f, 0.3f}));
  folder.Write("same.before.hlo", kAffine);
  folder.Write("same.after.hlo", kAffine);
  folder.Write("single.before.hlo", kAffine);
  folder.Write("unread.before.hlo", kAffine);
  folder.Write("unread.after.hlo",
               "HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n  ROOT r = f32[4] adde(x, x)\n}\n");
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const DumpFolder::Module& program : folder.Programs())
    kinds.emplace_back(program.name, FindingKindName(Blame(program).kind));
  CHECK(kinds == std::vector<std::pair<std::string, std::string>>{{"less", "less-accurate"},
                                                                  {"random", "undefined"},
                                                                  {"same", "fine"},
                                                                  {"single", "doubt"},
                                                                  {"unread", "doubt"}});
}

TEST_CASE("programs are found by the names of their files") {
  const Folder folder;
  for (const char* name :
       {"a.before.hlo", "a.after.hlo", "b-before.hlo", "b_after.hlo", "c.hlo", "c.opt.hlo",
        "runs/module_0001.f.before_optimizations.txt", "runs/module_0001.f.cpu_after_optimizations.txt",
        "runs/module_0001.f.cpu_after_optimizations-buffer-assignment.txt", "a.npz", "a.gpu.npz", "before.hlo",
        "runs/module_0001.f.snapshot.0.pb"})
    folder.Write(name, "");
  std::string found;
  for (const DumpFolder::Module& program : folder.Programs()) {
    found += program.name + ":";
    for (const DumpFolder::Stage& stage : program.stages) found += " " + stage.name;
    found += " " + std::to_string(program.values.size()) + " " + std::to_string(program.snapshots.size()) + "\n";
  }
  CHECK(found ==
        "a: before after 2 0\nb: before after 0 0\nbefore: module 0 0\nc: module opt 0 0\n"
        "runs/module_0001.f: before_optimizations cpu_after_optimizations 0 1\n");
  const std::string none = "/no/such/file.hlo";
  CHECK_FALSE(ListDumps({&none, 1}).ok());
}

TEST_CASE("a finding is read back from JSON, and a page holds no markup of names") {
  Finding finding = UnknownFinding("</script><b>x", "why\n\"so\"");
  finding.kind = FindingKind::kUndefined, finding.culprit = Culprit::kMachine;
  finding.details = {"one", "two"}, finding.pass = "p: algsimp", finding.stages = 3, finding.bug = true;
  finding.faults.push_back({"name", "what", "before", "after", "issue"});
  const auto read = ParseFinding(FindingJson(finding));
  REQUIRE(read.ok());
  CHECK(FindingJson(*read) == FindingJson(finding));
  for (const char* text : {"", "[]", "{}", "{\"class\": 1}", "{\"class\": \"fine\", \"details\": 3}"})
    CHECK_FALSE(ParseFinding(text).ok());
  const std::string page = TriagePage("<i>", {&finding, 1});
  CHECK(page.find("<b>x") == std::string::npos);
  CHECK(page.find("<i>") == std::string::npos);
  CHECK(page.find("\\u003cb\\u003ex") != std::string::npos);
}
