// See programs.h. This file builds called computations (bodies, branches, loops) and the entry.
#include "fuzz/programs.h"

#include "hloir/parser.h"
#include "fuzz/ops.h"

namespace hloir::fuzz {
namespace {

class Generator : public RandomOps {
 public:
  using RandomOps::RandomOps;

  HloComputation* Entry() {
    Begin("main");
    for (int64_t k = 1 + Below(3); k > 0; --k) Parameter(RandomShape());
    Grow(4 + Below(18), /*depth=*/0);
    return End(/*tuple=*/true);
  }

 private:
  void Grow(int64_t steps, int depth) {
    for (int64_t tries = 0; steps > 0 && tries < 200; ++tries) {
      if (Step(depth)) --steps;
    }
  }

  Op Step(int depth) {
    const int64_t what = Below(100);
    if (what < 40) return Elementwise();
    if (what < 68) return Movement();
    if (what < 78) return Reduction();
    if (what < 84) return Contraction();
    if (what < 92) return Indexed();
    if (what < 94) return Whole();
    if (what < 96) return Plumbing();
    if (depth >= 2) return Elementwise();
    return Control(depth);
  }

  // A computation with these parameters and, if given, this result shape.
  HloComputation* Body(std::string_view name, const std::vector<Shape>& parameters, const std::vector<Shape>& results,
                       int depth, bool tuple_parameter, bool elementwise_only) {
    Begin(name);
    if (tuple_parameter) {
      Op p = computation()->AddParameter(0, Shape::Tuple(parameters), "p");
      for (size_t k = 0; k < parameters.size(); ++k)
        Make(HloOpcode::kGetTupleElement, {p}, GetTupleElementAttributes{static_cast<int64_t>(k)});
    } else {
      for (const Shape& shape : parameters) Parameter(shape);
    }
    if (elementwise_only) {
      for (int64_t k = 1 + Below(5); k > 0; --k) Chance(70) ? Elementwise() : Movement();
    } else {
      Grow(1 + Below(6), depth + 1);
    }
    if (values().empty()) Scalar(PrimitiveType::F32);
    if (results.empty()) {
      Op root = Any();
      values().push_back(root);
      return End(false);
    }
    Ops elements;
    for (size_t k = 0; k < results.size(); ++k)
      elements.push_back(k < values().size() && Chance(20) && values()[k]->shape().Compatible(results[k])
                             ? values()[k]
                             : Like(results[k]));
    for (size_t k = 0; k < results.size(); ++k) {
      if (elements[k] == nullptr) elements[k] = Splat(results[k]);
    }
    values().push_back(computation()->AddTuple(elements));
    return End(false);
  }

  // A fusion's body has no other users of its root, and no dead code.
  void MakeFusible(HloComputation* body, Ops& arguments) {
    if (body->root()->user_count() > 0 || body->root()->IsParameter() || body->root()->IsConstant()) {
      body->set_root(body->AddInstruction(HloOpcode::kCopy, body->root()->shape(), {body->root()}));
    }
    for (HloInstruction* i = body->last(); i != nullptr;) {
      HloInstruction* dead = i;
      i = i->prev();
      if (dead->user_count() == 0 && !dead->IsRoot() && !dead->IsParameter()) body->RemoveInstruction(dead);
    }
    for (int64_t k = body->parameter_count(); k-- > 0;) {
      if (body->parameter(k)->user_count() > 0) continue;
      body->RemoveParameter(k);
      arguments.erase(arguments.begin() + k);
    }
  }

  Op Control(int depth) {
    Ops arguments;
    std::vector<Shape> shapes;
    for (int64_t k = 1 + Below(3); k > 0; --k) {
      Op x = Any();
      arguments.push_back(x), shapes.push_back(Shape::Array(x->shape().element_type(), x->shape().dimensions()));
    }
    switch (Below(5)) {
      case 0:
        return Make(HloOpcode::kCall, arguments, CallAttributes{}, {Body("called", shapes, {}, depth, false, false)});
      case 1: {
        HloComputation* body = Body("fused", shapes, {}, depth, false, true);
        MakeFusible(body, arguments);
        const Shape result = body->root()->shape();
        return Make(HloOpcode::kFusion, arguments, FusionAttributes{FusionKind::kLoop, {}}, {body}, &result);
      }
      case 2: {
        // Branches with one operand and equal result shapes.
        const bool pred = Chance(60);
        std::vector<Shape> results;
        for (int64_t k = 1 + Below(2); k > 0; --k) results.push_back(RandomShape());
        std::vector<HloComputation*> branches;
        Ops operands{pred ? Like(Shape::Scalar(PrimitiveType::PRED)) : Like(Shape::Scalar(PrimitiveType::S32))};
        for (int64_t k = pred ? 2 : 1 + Below(3); k > 0; --k) {
          Op x = Any();
          operands.push_back(x);
          branches.push_back(Body("branch", {Shape::Array(x->shape().element_type(), x->shape().dimensions())}, results,
                                  depth, false, false));
        }
        if (pred && Chance(15)) branches[1] = branches[0], operands[2] = operands[1];
        return Elements(Make(HloOpcode::kConditional, operands, NoAttributes(), branches));
      }
      default: return Loop(arguments, shapes, depth);
    }
  }

  // for (i = start; i < limit; i += step) over a tuple of the counter and the arguments.
  Op Loop(Ops arguments, std::vector<Shape> shapes, int depth) {
    const PrimitiveType type = Chance(80) ? PrimitiveType::S32 : PrimitiveType::U32;
    const int64_t counter = Below(static_cast<int64_t>(shapes.size()) + 1), limit = Below(5);
    int64_t step = 1 + Below(2);
    const int64_t start = Chance(70) ? 0 : Below(3);
    if (portable_ && start < limit && start + step > limit)
      step = 1;  // XLA:CPU does not run such a loop
                 // (docs/findings.md)
    shapes.insert(shapes.begin() + counter, Shape::Scalar(type));
    arguments.insert(arguments.begin() + counter, Constant(type, static_cast<double>(start)));
    Begin("condition");
    Op p = computation()->AddParameter(0, Shape::Tuple(shapes), "p");
    Op i = Make(HloOpcode::kGetTupleElement, {p}, GetTupleElementAttributes{counter});
    Op less = Make(HloOpcode::kCompare, {i, Constant(type, static_cast<double>(limit))},
                   CompareAttributes{ComparisonDirection::kLt, ComparisonType::kDefault});
    computation()->set_root(less);
    HloComputation* condition = computation();
    frames_.pop_back();

    HloComputation* body = Body("body", shapes, shapes, depth, true, false);
    Op root = body->root();
    frames_.push_back({body, {}});
    Op read = body->AddGetTupleElement(body->parameter(0), counter);
    root->ReplaceOperandWith(counter, Make(HloOpcode::kAdd, {read, Constant(type, static_cast<double>(step))}));
    for (int64_t k = 0; k < static_cast<int64_t>(shapes.size()); ++k) {
      if (k != counter && Chance(25)) root->ReplaceOperandWith(k, body->AddGetTupleElement(body->parameter(0), k));
    }
    frames_.pop_back();
    Op init = computation()->AddTuple(arguments);
    return Elements(Make(HloOpcode::kWhile, {init}, NoAttributes(), {condition, body}));
  }
};

}  // namespace

namespace {

// Annotations beside the operation: sometimes a source location, frontend attributes, a sharding, a control dependency.
void Annotate(HloComputation& computation, Random& random) {
  const auto chance = [&](uint64_t percent) { return random.Chance(static_cast<int64_t>(percent)); };
  std::vector<HloInstruction*> earlier;
  for (HloInstruction* i = computation.first(); i != nullptr; i = i->next()) {
    const std::string number = std::to_string(earlier.size());
    if (chance(30)) {
      const std::string name = "op " + number;
      OpMetadata metadata;
      metadata.op_name = name;
      i->set_metadata(metadata);
    }
    if (chance(10)) {
      i->set_frontend_attributes({{"tag", number}});
      // In text these apply to the wrapped op as well (parser/async.cc).
      HloInstruction* begun = i;
      while (begun->opcode() == HloOpcode::kAsyncDone || begun->opcode() == HloOpcode::kAsyncUpdate)
        begun = begun->operand(0);
      if (begun->opcode() == HloOpcode::kAsyncStart)
        begun->called_computation(0)->root()->set_frontend_attributes({{"tag", number}});
    }
    if (i->shape().IsArray() && chance(10)) {
      StatusOr<Sharding> sharding = ParseSharding("{replicated}");
      if (sharding.ok()) i->set_sharding(*std::move(sharding));
    }
    if (!earlier.empty() && chance(5)) random.From(earlier)->AddControlDependencyTo(i);
    earlier.push_back(i);
  }
}

}  // namespace

std::unique_ptr<HloModule> RandomModule(uint64_t seed, const ProgramOptions& options) {
  Random random(seed);
  auto module = std::make_unique<HloModule>("random_" + std::to_string(seed));
  module->set_entry_computation(Generator(*module, random, options).Entry());
  // Removes unfinished computations.
  for (int64_t i = module->computation_count(); i-- > 0;) {
    HloComputation* computation = module->computations()[static_cast<size_t>(i)];
    if (computation == module->entry_computation() || !computation->callers().empty()) continue;
    module->RemoveComputation(computation);
    i = module->computation_count();  // its called computations may be unused now
  }
  if (random.Chance(25)) Annotate(*module->entry_computation(), random);
  return module;
}

}  // namespace hloir::fuzz
