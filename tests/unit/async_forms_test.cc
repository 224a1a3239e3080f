// Both engines run all legal asynchronous forms with equal results, or return an error with the reason: links of async
// chains that bind operands and results early or late and pass through tuples, barriers, calls and loops; and random
// rewirings of each form. scripts/sanitize runs it under AddressSanitizer.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/catch.h"

#include "hloir/hloir.h"

using namespace hloir;

namespace {

struct Counts {
  int legal = 0, ran = 0;
};

bool IsRefusal(const Status& status) {
  return status.code() == StatusCode::kUnimplemented || status.code() == StatusCode::kInvalidArgument;
}

// Runs a module of f32[4] parameters, if the verifier accepts it. `expected`: its result, if known.
void RunIfLegal(const HloModule& module, Counts& counts, const std::vector<float>* expected = nullptr) {
  if (!VerifyModule(module).ok()) return;
  INFO(PrintModule(module));
  ++counts.legal;
  std::vector<Literal> values;
  std::vector<const Literal*> arguments;
  for (int64_t p = 0; p < module.entry_computation()->parameter_count(); ++p) {
    Literal value(module.entry_computation()->parameter(p)->shape());
    for (int64_t i = 0; i < value.element_count(); ++i) value.SetFromDouble(i, static_cast<double>(10 * p + i + 1));
    values.push_back(std::move(value));
  }
  for (const Literal& value : values) arguments.push_back(&value);
  const auto reference =
      MakeReferenceEvaluator()->EvaluateComputation(*module.entry_computation(), {arguments.data(), arguments.size()});
  if (!reference.ok()) INFO(reference.status().message());
  CHECK((reference.ok() || IsRefusal(reference.status())));
  auto executable = PrepareExecutable(module);
  CHECK((executable.ok() || IsRefusal(executable.status())));
  if (!executable.ok()) return;
  const auto fast = (*executable)->Run({arguments.data(), arguments.size()});
  CHECK((fast.ok() || IsRefusal(fast.status())));
  if (!reference.ok() || !fast.ok()) return;
  ++counts.ran;
  CHECK(fast->BitwiseEqual(*reference));
  if (expected == nullptr || reference->shape().IsTuple()) return;
  REQUIRE(reference->element_count() == static_cast<int64_t>(expected->size()));
  for (size_t i = 0; i < expected->size(); ++i) CHECK(reference->data<float>()[i] == (*expected)[i]);
}

void RunIfLegal(const std::string& text, Counts& counts, const std::vector<float>* expected = nullptr) {
  INFO(text);
  const auto module = ParseModule(text);
  REQUIRE(module.status().message() == "");
  RunIfLegal(**module, counts, expected);
}

// The ways on which a link may come to the next one: `{in}` and `{out}` are names, `{type}` the link's shape.
const std::vector<std::string> kWays = {
    "",
    "  {out}.t = ({type}) tuple({in})\n  {out} = {type} get-tuple-element({out}.t), index=0\n",
    "  {out} = {type} opt-barrier({in})\n",
    "  {out} = {type} copy({in})\n",
    "  {out} = {type} call({in}), to_apply={out}.passes\n",
    "  {out} = {type} while({in}), condition={out}.never, body={out}.passes\n",
    "  {out}.p = pred[] constant(true)\n"
    "  {out} = {type} conditional({out}.p, {in}, {in}), true_computation={out}.passes, false_computation={out}.also\n",
};

std::string Filled(std::string text, const std::string& name, const std::string& by) {
  for (size_t at; (at = text.find("{" + name + "}")) != std::string::npos;) text.replace(at, name.size() + 2, by);
  return text;
}

// Appends the instructions of a link to `body`, and its computations to `called`; returns the name of its result.
std::string GoOn(const std::string& way, const std::string& in, const std::string& type, std::string& body,
                 std::string& called) {
  if (way.empty()) return in;
  const std::string out = in + ".on";
  body += Filled(Filled(Filled(way, "in", in), "out", out), "type", type);
  for (const char* pass : {".passes", ".also"}) {
    if (way.find(pass) != std::string::npos)
      called += out + pass + " {\n  ROOT p" + out + pass + " = " + type + " parameter(0)\n}\n";
  }
  if (way.find("never") != std::string::npos)
    called +=
        out + ".never {\n  q" + out + " = " + type + " parameter(0)\n  ROOT n" + out + " = pred[] constant(false)\n}\n";
  return out;
}

}  // namespace

TEST_CASE("async chains bind operands and results on every way that the verifier accepts") {
  const std::string kResults[] = {"f32[4]", "()"};
  const std::vector<float> sums = {12, 14, 16, 18};
  Counts counts, direct;
  for (size_t at_start = 0; at_start <= 2; ++at_start) {
    for (const std::string& results : kResults) {
      for (const std::string& first : kWays) {
        for (const std::string& second : kWays) {
          const std::string operands[] = {"()", "(f32[4])", "(f32[4], f32[4])"};
          const std::string given[] = {"", "x", "x, y"}, rest[] = {", x, y", ", y", ""};
          const std::string start = "(" + operands[at_start] + ", " + results + ", s32[])",
                            update = "((f32[4], f32[4]), f32[4], s32[])";
          std::string body = "  s = " + start + " async-start(" + given[at_start] + "), calls=work\n", called;
          const std::string taken = GoOn(first, "s", start, body, called);
          body += "  u = " + update + " async-update(" + taken + rest[at_start] + ")\n";
          const std::string last = GoOn(second, "u", update, body, called);
          RunIfLegal(
              "HloModule m\nwork {\n  a = f32[4] parameter(0)\n  b = f32[4] parameter(1)\n"
              "  ROOT c = f32[4] add(a, b)\n}\n" +
                  called + "ENTRY e {\n  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n" + body +
                  "  ROOT d = f32[4] async-done(" + last + ")\n}\n",
              first.empty() && second.empty() ? direct : counts, &sums);
        }
      }
    }
  }
  // Without detours all are legal and run. Late ones with detours are refused.
  CHECK(direct.legal == 6);
  CHECK(direct.ran == 6);
  CHECK(counts.legal > 150);
  CHECK(counts.ran >= 40);
}

namespace {

constexpr char kForms[] = R"(HloModule forms
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
product { p1 = f32[4] parameter(0)  q1 = f32[4] parameter(1)  n1 = f32[4] negate(q1)  ROOT r1 = f32[4] multiply(p1, n1) }
work { p = f32[4] parameter(0)  q = f32[4] parameter(1)  ROOT r = f32[4] call(p, q), to_apply=product }
pair { p4 = f32[4] parameter(0)  m4 = f32[4] negate(p4)  ROOT t4 = (f32[4], f32[4]) tuple(p4, m4) }
two { p2 = f32[4] parameter(0)  ROOT t2 = (f32[4], f32[4]) call(p2), to_apply=pair }
work.2 { p3 = f32[4] parameter(0)  q3 = f32[4] parameter(1)  ROOT r3 = f32[4] subtract(p3, q3) }
passes { ROOT link = ((f32[4]), f32[4], u32[]) parameter(0) }
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  gs = (f32[4], f32[4]) all-gather-start(x), replica_groups={{0}}, dimensions={0}
  g = f32[4] all-gather-done(gs)
  cs = (f32[4], f32[4], u32[]) copy-start(y)
  c = f32[4] copy-done(cs)
  ps = (f32[4], f32[4], u32[], u32[]) collective-permute-start(g), source_target_pairs={{0,0}}
  p = f32[4] collective-permute-done(ps)
  rs = f32[4] all-reduce-start(c), replica_groups={}, to_apply=add
  r = f32[4] all-reduce-done(rs)
  ws = ((f32[4], f32[4]), f32[4], s32[]) async-start(x, r), calls=work
  wu = ((f32[4], f32[4]), f32[4], s32[]) async-update(ws)
  w = f32[4] async-done(wu)
  ls = ((f32[4]), (), s32[]) async-start(p), calls=work.2
  lu = ((f32[4], f32[4]), f32[4], s32[]) async-update(ls, w)
  l = f32[4] async-done(lu)
  ts = ((f32[4]), (f32[4]), s32[]) async-start(l), calls=two
  tu = ((f32[4]), (f32[4], f32[4]), s32[]) async-update(ts)
  t = (f32[4], f32[4]) async-done(tu)
  t0 = f32[4] get-tuple-element(t), index=0
  ns = ((f32[4]), f32[4], u32[]) negate-start(t0)
  no = ((f32[4]), f32[4], u32[]) call(ns), to_apply=passes
  n = f32[4] negate-done(no)
  ready = token[] after-all()
  ss = (f32[4], u32[], token[]) send(n, ready), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,0}}}
  vs = (f32[4], u32[], token[]) recv(ready), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,0}}}
  sd = token[] send-done(ss), channel_id=1
  v = (f32[4], token[]) recv-done(vs), channel_id=1
  v0 = f32[4] get-tuple-element(v), index=0
  both = f32[4] add(v0, n)
  ROOT all = (f32[4], f32[4], f32[4]) tuple(both, w, r)
}
)";

class Rewiring {
 public:
  explicit Rewiring(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}

  // Another operand, operand list or way for one instruction of the entry.
  void Change(HloModule& module) {
    HloComputation& entry = *module.entry_computation();
    const std::vector<HloInstruction*> all = entry.PostOrder();
    HloInstruction* i = all[Below(all.size())];
    if (i->operand_count() == 0) return;
    const auto k = static_cast<int64_t>(Below(static_cast<size_t>(i->operand_count())));
    HloInstruction* operand = i->operand(k);
    switch (Below(6)) {
      case 0: return i->ReplaceOperandWith(k, PassedOn(entry, operand, HloOpcode::kOptimizationBarrier));
      case 1: return i->ReplaceOperandWith(k, PassedOn(entry, operand, HloOpcode::kCopy));
      case 2: return i->ReplaceOperandWith(k, entry.AddGetTupleElement(entry.AddTuple({&operand, 1}), 0));
      case 3:
        if (i->opcode() == HloOpcode::kAsyncStart || i->opcode() == HloOpcode::kAsyncUpdate) MoveLastOperand(*i);
        return;
      default: break;
    }
    // Another value of that shape that comes before it.
    std::vector<HloInstruction*> others;
    for (HloInstruction* other : all) {
      if (other == i) break;
      if (other != operand && other->shape() == operand->shape()) others.push_back(other);
    }
    if (!others.empty()) i->ReplaceOperandWith(k, others[Below(others.size())]);
  }

 private:
  size_t Below(size_t limit) {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return static_cast<size_t>(state_ % limit);
  }
  static HloInstruction* PassedOn(HloComputation& entry, HloInstruction* x, HloOpcode opcode) {
    return entry.AddInstruction(opcode, x->shape(), {x});
  }
  // From a start or an update to the update after it, with the shapes that follow.
  static void MoveLastOperand(HloInstruction& link) {
    const int64_t first = link.opcode() == HloOpcode::kAsyncUpdate ? 1 : 0;
    if (link.operand_count() == first || link.user_count() != 1) return;
    HloInstruction* next = link.users()[0];
    if (next->opcode() != HloOpcode::kAsyncUpdate) return;
    HloInstruction* moved = link.operand(link.operand_count() - 1);
    link.RemoveOperandsFrom(link.operand_count() - 1);
    next->AppendOperand(moved);
    std::vector<Shape> elements = link.shape().tuple_shapes(), operands = elements[0].tuple_shapes();
    operands.pop_back();
    elements[0] = Shape::Tuple(std::move(operands));
    link.set_shape(Shape::Tuple(std::move(elements)));
  }

  uint64_t state_;
};

}  // namespace

TEST_CASE("rewired modules of every asynchronous form run in both engines or are refused") {
  const auto base = ParseModule(kForms);
  REQUIRE(base.status().message() == "");
  REQUIRE(VerifyModule(**base).message() == "");
  Counts counts;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const std::unique_ptr<HloModule> module = (*base)->Clone();
    Rewiring rewiring(seed);
    for (uint64_t change = 0; change <= seed % 3; ++change) rewiring.Change(*module);
    RunIfLegal(*module, counts);
  }
  CHECK(counts.legal > 500);
  CHECK(counts.ran > 300);
}
