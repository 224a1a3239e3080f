// The call graph and reachability: all queries on small modules. Users and callers, names, and the cached properties of
// a computation.
#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "hloir/builder.h"
#include "hloir/analysis.h"
#include "hloir/parser.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"

namespace hloir {
namespace {

constexpr char kModule[] = R"(HloModule m

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

inner {
  p = f32[4] parameter(0)
  z = f32[] constant(0)
  r = f32[] reduce(p, z), dimensions={0}, to_apply=add
  ROOT b = f32[4] broadcast(r), dimensions={}
}

alone {
  p = f32[4] parameter(0)
  ROOT c = f32[4] call(p), to_apply=inner
}

middle {
  p = f32[4] parameter(0)
  ROOT c = f32[4] call(p), to_apply=inner
}

ENTRY main {
  a = f32[4] parameter(0)
  one = f32[4] call(a), to_apply=middle
  two = f32[4] negate(a)
  three = f32[] parameter(1)
  four = f32[] call(three, three), to_apply=add
  five = f32[4] broadcast(four), dimensions={}
  six = f32[4] add(one, two), control-predecessors={five}
  ROOT t = (f32[4], f32[4]) tuple(six, two)
}
)";

std::unique_ptr<HloModule> Module() {
  StatusOr<std::unique_ptr<HloModule>> module = ParseModule(kModule);
  REQUIRE(module.ok());
  return *std::move(module);
}

TEST_CASE("call graph") {
  const std::unique_ptr<HloModule> module = Module();
  const CallGraph graph(*module);
  const auto computation = [&](std::string_view name) -> const HloComputation& {
    return *module->FindComputation(name);
  };
  const auto node = [&](std::string_view name) -> const CallGraph::Node& { return graph.node(computation(name)); };
  CHECK(node("main").context == CallContext::kControlFlow);
  CHECK(node("middle").context == CallContext::kControlFlow);
  CHECK(node("inner").context == CallContext::kControlFlow);
  CHECK(node("add").context == CallContext::kBoth);  // called by main, applied by inner
  CHECK(node("alone").context == CallContext::kNone);
  CHECK(node("main").depth == 0);
  CHECK(node("add").depth == 3);
  CHECK(node("main").call_sites.size() == 2);
  CHECK(node("add").caller_sites.size() == 2);
  CHECK(node("inner").callers == std::vector<const HloComputation*>{&computation("alone"), &computation("middle")});
  CHECK(node("main").callees == std::vector<const HloComputation*>{&computation("middle"), &computation("add")});

  CHECK(graph.Dominates(computation("main"), computation("add")));
  CHECK(graph.Dominates(computation("middle"), computation("inner")));
  CHECK_FALSE(graph.Dominates(computation("inner"), computation("add")));
  CHECK(graph.Dominates(computation("add"), computation("add")));
  CHECK_FALSE(graph.Dominates(computation("add"), computation("main")));
  CHECK(graph.IsNestedIn(*computation("inner").root(), computation("main")));
  CHECK_FALSE(graph.IsNestedIn(*computation("main").root(), computation("inner")));
}

TEST_CASE("reachability: the table says what the graph says") {
  const std::unique_ptr<HloModule> module = Module();
  const HloComputation& main = *module->entry_computation();
  StatusOr<Reachability> table = Reachability::Make(main);
  REQUIRE(table.ok());
  const auto i = [&](std::string_view name) -> const HloInstruction& { return *main.FindInstruction(name); };
  CHECK(table->IsReachable(i("a"), i("t")));
  CHECK(table->IsReachable(i("four"), i("six")));  // by the control edge
  CHECK_FALSE(table->IsReachable(i("six"), i("four")));
  CHECK(table->AreConnected(i("six"), i("four")));
  CHECK_FALSE(table->AreConnected(i("two"), i("five")));
  CHECK_FALSE(table->IsReachable(*module->FindComputation("add")->root(), i("t")));
  for (const HloInstruction* from : main.instructions()) {
    for (const HloInstruction* to : main.instructions()) {
      INFO(from->name() << " to " << to->name());
      CHECK(table->IsReachable(*from, *to) == DependsOn(*to, *from));
    }
  }
  CHECK(Reachability::Make(main, 8).status().code() == StatusCode::kResourceExhausted);
}

TEST_CASE("users and callers are found and removed however many there are") {
  HloModule module("m");
  HloBuilder b(module, "main");
  HloInstruction* x = b.Parameter(0, Shape::Scalar(PrimitiveType::F32));
  HloInstruction* other = b.Parameter(1, Shape::Scalar(PrimitiveType::F32));
  HloComputation* body = MakeReducer(module, HloOpcode::kAdd, PrimitiveType::F32);
  std::vector<HloInstruction*> calls;
  for (int k = 0; k < 500; ++k) calls.push_back(b.Call(body, {x, x}));
  REQUIRE(b.BuildEntry(b.Tuple({x})).ok());
  CHECK(x->user_count() == 501);
  CHECK(std::equal(calls.begin(), calls.end(), body->callers().begin(), body->callers().end()));
  // Every way of leaving and coming back, in an order that touches all places of the table.
  std::set<const HloInstruction*> left(calls.begin(), calls.end());
  for (size_t k = 0; k < calls.size(); ++k) {
    HloInstruction* call = calls[k * 211 % calls.size()];
    call->ReplaceOperandWith(0, other);
    CHECK(x->IsUsedBy(call));
    call->ReplaceOperandWith(1, other);
    CHECK_FALSE(x->IsUsedBy(call));
    if (k % 3 == 0) {
      call->ReplaceOperandWith(1, x);
      continue;
    }
    module.entry_computation()->RemoveInstruction(call);
    left.erase(call);
    CHECK(std::set<const HloInstruction*>(body->callers().begin(), body->callers().end()) == left);
  }
  CHECK(body->callers().size() == left.size());
  CHECK(x->user_count() == static_cast<int64_t>(left.size()) + 1);
  for (const HloInstruction* call : left) CHECK(x->IsUsedBy(call));
}

std::vector<std::string> NamesOf(const std::vector<HloInstruction*>& order) {
  std::vector<std::string> names;
  for (const HloInstruction* i : order) names.emplace_back(i->name());
  return names;
}
std::vector<std::string> NamesOf(const std::vector<HloComputation*>& order) {
  std::vector<std::string> names;
  for (const HloComputation* computation : order) names.emplace_back(computation->name());
  return names;
}

TEST_CASE("a post-order that was kept is that of the graph as it is now") {
  const std::unique_ptr<HloModule> module = Module();
  HloComputation& main = *module->entry_computation();
  const auto find = [&](std::string_view name) { return main.FindInstruction(name); };
  const Shape shape = find("a")->shape();
  // That of a small computation is not kept, but made by another walk.
  const int64_t size = GENERATE(0, 40);
  for (HloInstruction* last = find("a"); main.instruction_count() < size;)
    last = main.AddInstruction(HloOpcode::kNegate, shape, {last});
  // A clone has never been asked before.
  const auto check = [&] {
    const std::unique_ptr<HloModule> clone = module->Clone();
    CHECK(NamesOf(main.PostOrder()) == NamesOf(clone->entry_computation()->PostOrder()));
    CHECK(NamesOf(main.PostOrder()) == NamesOf(main.PostOrder()));
    CHECK(NamesOf(module->PostOrder()) == NamesOf(clone->PostOrder()));
  };
  check();
  HloInstruction* added = main.AddInstruction(HloOpcode::kNegate, shape, {find("a")});
  check();
  find("six")->ReplaceOperandWith(0, find("two"));
  check();
  find("six")->ReplaceOperandWith(1, added);
  check();
  find("t")->AppendOperand(find("one"));
  check();
  find("t")->RemoveOperandsFrom(1);
  check();
  find("five")->RemoveControlDependencyTo(find("six"));
  check();
  find("three")->AddControlDependencyTo(find("two"));
  check();
  find("three")->DropAllControlDependencies();
  check();
  main.MoveBefore(find("five"), main.first());
  check();
  find("one")->set_called_computation(0, module->FindComputation("inner"));
  check();
  main.RemoveInstruction(find("one"));
  check();
  main.MoveBefore(find("four"), nullptr);
  check();
  for (HloComputation* entry : {module->FindComputation("alone"), &main}) {
    module->set_entry_computation(entry);
    CHECK(module->PostOrder().back() == entry);
  }
  module->RemoveComputations(std::vector{module->FindComputation("alone"), module->FindComputation("middle")});
  check();
  CHECK(module->computation_count() == 3);
  CHECK(module->FindComputation("middle") == nullptr);
  HloComputation* copy = module->CloneComputation(*module->FindComputation("inner"));
  check();
  main.AddInstruction(HloOpcode::kCall, shape, {find("a")}, CallAttributes())->AddCalledComputation(copy);
  check();
}

TEST_CASE("the post-order is that of a walk over operands, whatever the stored order and whatever is unused") {
  std::mt19937 random(7);
  const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
  for (int round = 0; round < 2000; ++round) {
    // Chains with a few steps aside are in post-order now and then; so are inserted instructions.
    HloModule module("m");
    HloComputation& main = *module.AddComputation("main");
    const Shape shape = Shape::Array(PrimitiveType::F32, {2});
    std::vector<HloInstruction*> made{main.AddParameter(0, shape, "p")};
    const size_t count = 2 + below(round % 10 == 0 ? 60 : 8);
    while (made.size() < count) {
      const auto operand = [&] { return below(3) != 0 ? made.back() : made[below(made.size())]; };
      HloInstruction* const one = operand();
      made.push_back(below(2) != 0 ? main.AddInstruction(HloOpcode::kNegate, shape, {one})
                                   : main.AddInstruction(HloOpcode::kAdd, shape, {one, operand()}));
    }
    main.set_root(made.back());
    std::vector<HloInstruction*> expected;
    const std::function<void(HloInstruction*)> visit = [&](HloInstruction* i) {
      if (std::find(expected.begin(), expected.end(), i) != expected.end()) return;
      for (HloInstruction* operand : i->operands()) visit(operand);
      expected.push_back(i);
    };
    for (HloInstruction* i : made)
      if (i->users().empty()) visit(i);
    CHECK(main.PostOrder() == expected);
  }
}

TEST_CASE("edges agree in both directions, however many operands there are and whichever are replaced") {
  const std::unique_ptr<HloModule> module = Module();
  HloComputation& main = *module->entry_computation();
  HloInstruction* a = main.FindInstruction("a");
  std::vector<HloInstruction*> values;
  for (int k = 0; k < 60; ++k) values.push_back(main.AddInstruction(HloOpcode::kNegate, a->shape(), {a}));
  uint64_t random = 1;
  const auto below = [&](size_t n) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>((random >> 33) % n);
  };
  for (const size_t count : {size_t{8}, size_t{63}, size_t{64}, size_t{300}}) {
    std::vector<HloInstruction*> operands;
    for (size_t k = 0; k < count; ++k) operands.push_back(values[below(40)]);
    HloInstruction* tuple = main.AddTuple(operands);
    const auto check = [&] {
      REQUIRE(std::equal(operands.begin(), operands.end(), tuple->operands().begin(), tuple->operands().end()));
      for (HloInstruction* value : values) {
        const bool used = std::find(operands.begin(), operands.end(), value) != operands.end();
        REQUIRE(value->IsUsedBy(tuple) == used);
        REQUIRE(std::count(value->users().begin(), value->users().end(), tuple) == (used ? 1 : 0));
      }
    };
    for (int step = 0; step < 400; ++step) {
      HloInstruction *from = values[below(values.size())], *to = values[below(values.size())];
      if (step % 3 == 0) {
        const size_t at = below(operands.size());
        tuple->ReplaceOperandWith(static_cast<int64_t>(at), to);
        operands[at] = to;
      } else if (step % 3 == 1) {
        from->ReplaceUseWith(tuple, to);
        std::replace(operands.begin(), operands.end(), from, to);
      } else if (step % 30 == 2) {
        tuple->AppendOperand(to);
        operands.push_back(to);
      } else if (step % 70 == 5) {
        operands.resize(operands.size() - 3);
        tuple->RemoveOperandsFrom(static_cast<int64_t>(operands.size()));
      }
      check();
    }
    main.RemoveInstruction(tuple);
    operands.clear();
    for (HloInstruction* value : values) CHECK(value->user_count() == 0);
  }
}

TEST_CASE("names are found and free again however many there are, and so is the memory of what was freed") {
  const std::unique_ptr<HloModule> module = Module();
  HloComputation& main = *module->entry_computation();
  HloInstruction* a = main.FindInstruction("a");
  std::vector<HloInstruction*> made;
  for (int k = 0; k < 1000; ++k)
    made.push_back(main.AddInstruction(HloOpcode::kNegate, a->shape(), {a}, NoAttributes(), "n"));
  CHECK(made[0]->name() == "n");
  CHECK(made[999]->name() == "n.999");
  CHECK(main.FindInstruction("n.500") == made[500]);
  made[500]->set_name("other");
  CHECK(main.FindInstruction("n.500") == nullptr);
  CHECK(main.FindInstruction("other") == made[500]);
  main.RemoveInstruction(made[1]);
  CHECK(main.FindInstruction("n.1") == nullptr);
  for (int k = 2; k < 1000; ++k) main.FreeInstruction(made[k]);
  CHECK(main.FindInstruction("n.2") == nullptr);
  const size_t bytes = module->memory_bytes();
  std::set<HloInstruction*> freed(made.begin() + 2, made.end());
  // In a computation of few names as well as in one of many.
  for (HloComputation* computation : {&main, module->FindComputation("inner")}) {
    HloInstruction* p = computation->parameter(0);
    for (int k = 0; k < 400; ++k) {
      HloInstruction* again =
          computation->AddInstruction(HloOpcode::kAdd, p->shape(), {p, p}, NoAttributes(), "m." + std::to_string(k));
      CHECK(freed.erase(again) == 1);
      CHECK(computation->FindInstruction("m." + std::to_string(k)) == again);
      CHECK(again->operand(1) == p);
      CHECK(again->user_count() == 0);
    }
  }
  CHECK(main.AddInstruction(HloOpcode::kNegate, a->shape(), {a}, NoAttributes(), "n.700")->name() == "n.700");
  CHECK(main.AddInstruction(HloOpcode::kNegate, a->shape(), {a}, NoAttributes(), "m.7")->name() == "m.400");
  // The names are new, the instructions are not.
  CHECK(module->memory_bytes() < bytes + 800 * sizeof(HloInstruction) / 2);
}

TEST_CASE("a computation knows whether something is unused") {
  const std::unique_ptr<HloModule> module = Module();
  HloComputation &main = *module->entry_computation(), &other = *module->AddComputation("other");
  const auto check = [&] {
    for (const HloComputation* computation : {&main, &other}) {
      bool unused = false;
      for (const HloInstruction* i : computation->instructions())
        unused = unused || (i->user_count() == 0 && !i->IsRoot());
      REQUIRE(computation->HasUnused() == unused);
    }
  };
  check();
  const Shape shape = main.parameter(0)->shape();
  HloInstruction* p = other.AddParameter(0, shape, "p");
  check();
  const auto add = [&](HloComputation& to, HloInstruction* a, HloInstruction* b) {
    HloInstruction* made = to.AddInstruction(HloOpcode::kAdd, shape, {a, b});
    check();
    return made;
  };
  HloInstruction* x = add(other, p, p);
  other.set_root(x), check();
  HloInstruction *y = add(other, x, p), *tuple = other.AddTuple(std::vector{x, y, x});
  check();
  tuple->AppendOperand(p), check();
  y->ReplaceOperandWith(0, p), check();
  tuple->RemoveOperandsFrom(0), check();
  other.RemoveInstruction(tuple), check();
  x->ReplaceAllUsesWith(y), check();
  other.FreeInstruction(x), check();
  HloInstruction* z = add(other, y, y);
  other.set_root(z), check();
  // As in the creation of a fusion: its members move, and their users use its result.
  HloInstruction *a = main.parameter(0), *first = add(main, a, a), *second = add(main, first, a);
  HloInstruction* inside[] = {z, p};
  const HloInstruction* moved = second;
  first->ReplaceUseWith(second, a), check();
  other.Take(second, inside), check();
  CHECK(moved->parent() == &other);
  main.RemoveInstruction(first), check();
  const std::unique_ptr<HloModule> copy = module->Clone();
  CHECK(copy->FindComputation("other")->HasUnused());
}

TEST_CASE("a module knows the shapes that it had") {
  const std::unique_ptr<HloModule> module = Module();
  const auto is_empty = [](const Shape& shape) { return shape.IsArray() && shape.ElementCount() == 0; };
  CHECK(!module->AnyShape(is_empty));
  module->entry_computation()->AddConstant(Literal(Shape::Array(PrimitiveType::F32, {0})));
  CHECK(module->AnyShape(is_empty));
}

TEST_CASE("users leave in whatever order, and the last takes the place of one of many") {
  for (const char* order : {"forwards", "backwards", "every third", "at random"}) {
    for (const int count : {5, 31, 32, 33, 100}) {
      HloModule module("m");
      HloComputation* main = module.AddComputation("main");
      HloInstruction* value = main->AddParameter(0, Shape::Scalar(PrimitiveType::F32), "p");
      HloInstruction* other = main->AddParameter(1, Shape::Scalar(PrimitiveType::F32), "q");
      std::vector<HloInstruction*> model, left;
      for (int i = 0; i < count; ++i)
        model.push_back(main->AddInstruction(HloOpcode::kNegate, value->shape(), {value}));
      left = model;
      uint32_t seed = 1;
      const auto next = [&]() -> size_t {
        seed = seed * 1664525 + 1013904223;
        switch (order[0]) {
          case 'f': return 0;
          case 'b': return left.size() - 1;
          case 'e': return 2 % left.size();
          default: return seed / 65536 % left.size();
        }
      };
      bool many = false;  // the last takes the gap
      while (!left.empty()) {
        const size_t at = next();
        HloInstruction* leaves = left[at];
        left.erase(left.begin() + static_cast<ptrdiff_t>(at));
        leaves->ReplaceOperandWith(0, other);
        many = many || model.size() >= 32;
        const auto found = std::find(model.begin(), model.end(), leaves);
        if (many) *found = model.back(), model.pop_back();
        else model.erase(found);
        INFO(order << ", " << count << " users, " << left.size() << " left");
        REQUIRE(std::vector<HloInstruction*>(value->users().begin(), value->users().end()) == model);
        REQUIRE_FALSE(value->IsUsedBy(leaves));
        if (!model.empty()) REQUIRE(value->IsUsedBy(model.back()));
        if (left.size() % 7 == 3) {  // some come back
          leaves->ReplaceOperandWith(0, value);
          REQUIRE(value->users().back() == leaves);
          model.push_back(leaves);
        }
      }
    }
  }
}

TEST_CASE("an instruction moves to another computation as it is") {
  const std::unique_ptr<HloModule> module = Module();
  HloComputation& main = *module->entry_computation();
  HloInstruction *a = main.FindInstruction("a"), *one = main.FindInstruction("one"), *two = main.FindInstruction("two");
  HloComputation* body = module->AddComputation("body");
  HloInstruction* p = body->AddParameter(0, a->shape(), "two");
  const int64_t count = main.instruction_count();
  body->Take(one, std::vector{p});
  main.FindInstruction("six")->ReplaceOperandWith(0, a);
  body->Take(two, std::vector{one});
  const std::vector<HloInstruction*> users(two->users().begin(), two->users().end());
  for (HloInstruction* user : users) two->ReplaceUseWith(user, a);
  body->set_root(two);
  CHECK(one->parent() == body);
  CHECK(body->FindInstruction("one") == one);
  CHECK(main.FindInstruction("one") == nullptr);
  CHECK(two->name() == "two.1");
  CHECK(body->instruction_count() == 3);
  CHECK(main.instruction_count() == count - 2);
  CHECK(body->calling_count() == 1);
  CHECK(main.calling_count() == 1);
  CHECK(body->MayHave(HloOpcode::kCall));
  CHECK_FALSE(a->IsUsedBy(one));
  CHECK_FALSE(a->IsUsedBy(two));
  CHECK(one->users().size() == 1);
  CHECK(body->PostOrder() == std::vector{p, one, two});
  CHECK(main.PostOrder().size() == static_cast<size_t>(count - 2));
  CHECK(VerifyModule(*module).ok());
}

TEST_CASE("attributes that several instructions share are each one's own once they change") {
  HloModule module("m");
  HloComputation &one = *module.AddComputation("one"), &two = *module.AddComputation("two");
  const Shape shape = Shape::Array(PrimitiveType::F32, {2});
  const auto first = [](HloInstruction* constant) -> float& {
    return constant->mutable_attributes<ConstantAttributes>().literal.data<float>()[0];
  };
  HloInstruction* original = one.AddConstant(Literal(shape));
  HloInstruction *clone = two.AddClone(*original, {}), *clones_clone = two.AddClone(*clone, {});
  CHECK(&clone->literal() == &original->literal());
  first(clone) = 1;
  CHECK(original->literal().IsAll(0));
  CHECK(clones_clone->literal().IsAll(0));
  first(original) = 2;
  CHECK(first(original) == 2);
  CHECK(first(clone) == 1);
  CHECK(first(clones_clone) == 0);
  // Common ones are shared by all modules.
  for (HloComputation* computation : {&one, &two}) {
    for (int64_t k = 0; k < 3; ++k) computation->AddParameter(k, shape, "p");
  }
  one.RemoveParameter(0);
  CHECK(one.parameter(1)->parameter_number() == 1);
  CHECK(two.parameter(2)->parameter_number() == 2);
  CHECK(HloModule("other").AddComputation("c")->AddParameter(0, shape, "p")->parameter_number() == 0);
  const auto add_fusion = [&] {
    return two.AddInstruction(HloOpcode::kFusion, shape, {}, FusionAttributes{FusionKind::kInput, {}});
  };
  add_fusion()->mutable_attributes<FusionAttributes>().kind = FusionKind::kOutput;
  CHECK(add_fusion()->attributes<FusionAttributes>().kind == FusionKind::kInput);
}

TEST_CASE("what a computation may have") {
  const std::unique_ptr<HloModule> module = Module();
  HloComputation& main = *module->entry_computation();
  CHECK(main.MayHave(HloOpcode::kCall));
  CHECK(main.calling_count() == 2);
  CHECK_FALSE(main.MayHave(HloOpcode::kReduce));
  CHECK(module->FindComputation("add")->calling_count() == 0);
  main.FindInstruction("four")->ClearCalledComputations();
  CHECK(main.calling_count() == 1);
  main.AddInstruction(HloOpcode::kSin, main.FindInstruction("a")->shape(), {main.FindInstruction("a")});
  CHECK(main.MayHave(HloOpcode::kSin));
  CHECK(module->Clone()->entry_computation()->MayHave(HloOpcode::kSin));
}

}  // namespace
}  // namespace hloir
