// The verifier. Rules that text can violate are in tests/verifier_errors/*.hlo: each illegal line ends in `// error:
// WORDS`, and the verifier must report exactly these errors, each on its line; errors of the module are on its header's
// line. Lines without an error are legal counterparts. Other rules are tested here in C++.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "hloir/builder.h"
#include "hloir/parser.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"

namespace hloir {
namespace {

struct Expected {
  int line;
  std::string words;
  bool seen = false;
};

std::vector<Expected> ExpectedErrors(const std::string& text) {
  std::vector<Expected> expected;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (size_t at = line.find("// error: "); at != std::string::npos)
      expected.push_back({number, line.substr(at + 10)});
  }
  return expected;
}

// The parts between `// -----` lines, each with the number of lines before it.
std::vector<std::pair<int, std::string>> Parts(const std::string& text) {
  std::vector<std::pair<int, std::string>> parts{{0, ""}};
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line == "// -----") parts.emplace_back(number, "");
    else parts.back().second += line + "\n";
  }
  return parts;
}

void CheckFile(const std::filesystem::path& path) {
  VerifierOptions options;
  options.max_errors = 1000;
  for (const auto& [lines_before, part] : Parts(TextOf(path))) {
    std::vector<Expected> expected = ExpectedErrors(part);
    auto module = ParseModule(part);
    INFO(path.string() << " from line " << lines_before + 1);
    INFO((module.ok() ? "" : module.status().message()));
    CHECK(module.ok());
    if (!module.ok()) continue;
    for (const VerifierError& error : VerifyModuleAll(**module, options)) {
      int line = error.instruction != nullptr ? error.instruction->line() : 1;
      bool matched = false;
      for (Expected& e : expected) {
        if (e.seen || e.line != line || error.message.find(e.words) == std::string::npos) continue;
        matched = e.seen = true;
        break;
      }
      INFO("line " << lines_before + line << ": " << error.message);
      CHECK(matched);
    }
    for (const Expected& e : expected) {
      INFO("line " << lines_before + e.line << " should give: " << e.words);
      CHECK(e.seen);
    }
  }
}

TEST_CASE("each rule that a text can break") {
  for (const std::filesystem::path& path : FilesIn(std::string(kTestsFolder) + "/verifier_errors")) {
    CheckFile(path);
  }
}

const Shape kVector = Shape::Array(PrimitiveType::F32, {4});

// A module main(x) = -(-x) to break.
struct Chain {
  HloModule module{"chain"};
  HloInstruction *x, *first, *second;
  Chain() {
    HloBuilder b(module, "main");
    x = b.Named("x", b.Parameter(0, kVector));
    first = b.Named("first", b.Negate(x));
    second = b.Named("second", b.Negate(first));
    REQUIRE(b.BuildEntry(second).ok());
  }
};

std::vector<std::string> Messages(const HloModule& module, const VerifierOptions& options = {}) {
  std::vector<std::string> messages;
  for (const VerifierError& error : VerifyModuleAll(module, options)) messages.push_back(error.message);
  return messages;
}
using Strings = std::vector<std::string>;

TEST_CASE("a legal module has no errors") {
  Chain c;
  CHECK(Messages(c.module).empty());
  CHECK(VerifyModule(c.module).ok());
}

TEST_CASE("no instruction depends on itself") {
  SECTION("by operands") {
    Chain c;
    c.first->ReplaceOperandWith(0, c.second);
    CHECK(Messages(c.module) == Strings{"depends on itself: first <- second <- first"});
  }
  SECTION("by control edges") {
    Chain c;
    c.second->AddControlDependencyTo(c.first);
    CHECK(Messages(c.module) == Strings{"depends on itself: first <- second <- first"});
  }
}

TEST_CASE("no computation calls itself") {
  Chain c;
  HloInstruction* call =
      c.module.entry_computation()->AddInstruction(HloOpcode::kCall, kVector, {c.x}, CallAttributes{}, "again");
  call->AddCalledComputation(c.module.entry_computation());
  CHECK(Messages(c.module) == Strings{"computation main calls itself, by way of main"});
}

TEST_CASE("a chain as long as memory allows is no trouble") {
  HloModule module("long");
  HloBuilder b(module, "main");
  HloInstruction* x = b.Parameter(0, kVector);
  for (int i = 0; i < 200000; ++i) x = b.Negate(x);
  REQUIRE(b.BuildEntry(x).ok());
  CHECK(VerifyModuleAll(module).empty());
}

TEST_CASE("the entry and roots must be there") {
  HloModule module("empty");
  CHECK(Messages(module) == Strings{"the module has no entry computation"});
  HloComputation* main = module.AddComputation("main");
  module.set_entry_computation(main);
  CHECK(Messages(module) == Strings{"computation main has no root"});
}

TEST_CASE("parameters are numbered without gaps") {
  Chain c;
  c.module.entry_computation()->AddParameter(2, kVector, "third");
  CHECK(Messages(c.module) == Strings{"computation main has 3 parameters, but 2 parameter instructions"});
  c.module.entry_computation()->AddParameter(1, kVector, "another");
  CHECK(Messages(c.module).empty());
  c.module.entry_computation()->AddParameter(1, kVector, "again");
  CHECK(Messages(c.module).size() == 2);
}

TEST_CASE("a schedule respects dependencies") {
  Chain c;
  c.module.entry_computation()->MoveBefore(c.second, c.first);
  CHECK(Messages(c.module).empty());
  c.module.config().is_scheduled = true;
  CHECK(Messages(c.module) == Strings{"is scheduled before its operand first"});
  c.module.entry_computation()->MoveBefore(c.first, c.second);
  CHECK(Messages(c.module).empty());
  c.second->AddControlDependencyTo(c.module.entry_computation()->AddConstant(Literal::Zero(PrimitiveType::F32)));
  CHECK(Messages(c.module).empty());
}

TEST_CASE("layouts count when asked for") {
  const Shape rows = Shape::Array(PrimitiveType::F32, {2, 3});
  Shape columns = rows;
  columns.set_layout(Layout({0, 1}));
  HloModule module("layouts");
  HloBuilder b(module, "main");
  HloInstruction* x = b.Parameter(0, rows);
  HloInstruction* y = b.Negate(x);
  HloInstruction* t = b.Tuple({y});
  HloInstruction* e = b.GetTupleElement(t, 0);
  REQUIRE(b.BuildEntry(b.Copy(e)).ok());
  VerifierOptions strict;
  strict.layout_sensitive = true;
  CHECK(Messages(module, strict).empty());
  module.entry_computation()->root()->set_shape(columns);  // a copy may change the layout
  CHECK(Messages(module, strict).empty());
  y->set_shape(columns);
  CHECK(Messages(module).empty());
  CHECK(Messages(module, strict) ==
        Strings{"must not change the layout of its operand, f32[2,3]{1,0}, to f32[2,3]{0,1}",
                "hands a buffer on, but changes its layout from f32[2,3]{0,1} to f32[2,3]{1,0}"});
}

TEST_CASE("what moves elements keeps their layout when asked to") {
  const Shape rows = Shape::Array(PrimitiveType::F32, {2, 3});
  Shape columns = rows;
  columns.set_layout(Layout({0, 1}));
  HloModule module("layouts");
  HloBuilder b(module, "main");
  HloInstruction *x = b.Parameter(0, rows), *y = b.Parameter(1, columns), *zero = b.Constant(int32_t{0});
  HloInstruction* reversed = b.Reverse(x, {0});
  HloInstruction* updated = b.DynamicUpdateSlice(x, y, {zero, zero});
  HloInstruction* flat = b.Reshape(y, {6});  // may reorder
  REQUIRE(b.BuildEntry(b.Tuple({reversed, updated, flat})).ok());
  VerifierOptions strict;
  strict.layout_sensitive = true;
  const std::string message = "must not change the layout of its operand, f32[2,3]{";
  CHECK(Messages(module, strict) == Strings{message + "0,1}, to f32[2,3]{1,0}"});
  reversed->set_shape(columns);
  module.entry_computation()->root()->set_shape(Shape::Tuple({columns, rows, flat->shape()}));
  CHECK(Messages(module).empty());
  CHECK(Messages(module, strict) == Strings{message + "1,0}, to f32[2,3]{0,1}", message + "0,1}, to f32[2,3]{1,0}"});
}

TEST_CASE("a bitcast keeps its bytes") {
  HloModule module("bitcast");
  HloBuilder b(module, "main");
  HloInstruction* x = b.Parameter(0, kVector);
  REQUIRE(b.BuildEntry(b.Tuple({b.Bitcast(x, Shape::Array(PrimitiveType::F64, {2})),
                                b.Bitcast(x, Shape::Array(PrimitiveType::F64, {3}))}))
              .ok());
  VerifierOptions strict;
  strict.layout_sensitive = true;
  for (const VerifierOptions& options : {VerifierOptions(), strict})
    CHECK(Messages(module, options) ==
          Strings{"bitcast from f32[4] to f64[3] changes the number of bytes from 16 to 24"});
}

TEST_CASE("a layout names each dimension once") {
  for (const DimVector& order : {DimVector{0, 0}, DimVector{0}, DimVector{1, 2}}) {
    Shape shape = Shape::Array(PrimitiveType::F32, {2, 3});
    shape.set_layout(Layout(order));
    HloModule module("layouts");
    HloBuilder b(module, "main");
    REQUIRE(b.BuildEntry(b.Parameter(0, shape)).ok());
    std::vector<std::string> messages = Messages(module);
    REQUIRE(messages.size() == 1);
    CHECK(messages[0].find("does not name each of its 2 dimensions once") != std::string::npos);
  }
}

TEST_CASE("what names a layout for others names each dimension once") {
  const Shape good = Shape::Array(PrimitiveType::F32, {6, 1});
  Shape bad = good;
  bad.set_layout(Layout({5, 1}));
  const std::string message = "the layout of f32[6,1]{5,1} does not name each of its 2 dimensions once";
  HloModule module("layouts");
  HloBuilder b(module, "main");
  HloInstruction* call = b.CustomCall("f", good, {b.Parameter(0, good)});
  REQUIRE(b.BuildEntry(call).ok());
  call->mutable_attributes<CustomCallAttributes>().operand_layout_constraints = std::vector<Shape>{bad};
  CHECK(Messages(module) == Strings{message});
  call->mutable_attributes<CustomCallAttributes>().operand_layout_constraints = std::vector<Shape>{good};
  CHECK(Messages(module).empty());
  module.config().entry_computation_layout = ProgramShape{{bad}, good};
  CHECK(Messages(module) == Strings{message});
  module.config().entry_computation_layout = ProgramShape{{good}, bad};
  CHECK(Messages(module) == Strings{message});
}

TEST_CASE("iota replica groups hold each device once") {
  HloModule module("groups");
  HloBuilder b(module, "main");
  AllGatherAttributes attributes;
  attributes.replica_groups.form = ReplicaGroups::Form::kIota;
  attributes.replica_groups.num_groups = 2;
  attributes.replica_groups.group_size = 4;
  attributes.replica_groups.iota.iota_reshape_dims = {8};
  attributes.replica_groups.iota.iota_transpose_perm = {0};
  auto good = b.AllGather(b.Parameter(0, kVector), 0, 4, attributes);
  attributes.replica_groups.group_size = INT64_MAX;
  auto bad = b.AllGather(good, 0, 4, attributes);
  REQUIRE(b.BuildEntry(bad).ok());
  CHECK(Messages(module) ==
        Strings{"replica_groups needs 2 groups of 9223372036854775807, from another number of devices"});
}

TEST_CASE("the first error as a status names the instruction and its line") {
  auto module = ParseModule("HloModule m\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[5] negate(x)\n}\n");
  REQUIRE(module.ok());
  Status status = VerifyModule(**module);
  CHECK(status.code() == StatusCode::kInvalidArgument);
  CHECK(status.message() == "line 5: negate y: has shape f32[5], but its operands and attributes give f32[4]");
}

TEST_CASE("errors stop at the limit") {
  auto module = ParseModule(
      "HloModule m\n\nENTRY main {\n  x = f32[4] parameter(0)\n  a = f32[5] negate(x)\n  b = f32[5] negate(x)\n"
      "  ROOT c = f32[5] negate(x)\n}\n");
  REQUIRE(module.ok());
  VerifierOptions options;
  options.max_errors = 2;
  std::vector<VerifierError> errors = VerifyModuleAll(**module, options);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].instruction->name() == "a");
  CHECK(errors[1].instruction->name() == "b");
}

}  // namespace
}  // namespace hloir
