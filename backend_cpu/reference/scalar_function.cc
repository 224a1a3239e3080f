// Preparing and calling computations on scalars. The kernels are those of the elementwise ops.
#include "support/format.h"
#include "reference/scalar_function.h"

#include <cstring>
#include <optional>
#include <unordered_map>

#include "wide/pairs.h"

namespace hloir::reference {
namespace {

constexpr int kMaxInlineDepth = 16;

// Conversions between storage (the elements of a Literal) and slot (the compute type).
void ToSlot(PrimitiveType type, const std::byte* storage, std::byte* slot) {
  if (type == ComputeType(type) || IsInteger(type)) std::memcpy(slot, storage, static_cast<size_t>(StorageBytes(type)));
  else ConvertElements(type, storage, PrimitiveType::F32, slot, 1);
}

// Rounds a slot to its type: narrow floats round, integers under a byte wrap.
void RoundSlot(const KernelArgs& args) {
  alignas(16) std::byte narrow[16];
  ConvertElements(args.from, args.in[0], args.to, narrow, 1);
  ToSlot(args.to, narrow, args.out);
}

// The same, from double-double or to it.
void RoundPairSlot(const KernelArgs& args) {
  alignas(16) std::byte narrow[16];
  ConvertPairElements(args.from, args.in[0], args.to, narrow, 1);
  ToSlot(args.to, narrow, args.out);
}

void CopySlot(const KernelArgs& args) { std::memcpy(args.out, args.in[0], sizeof(Slot)); }

}  // namespace

void LoadElement(PrimitiveType type, const std::byte* array, int64_t i, PrimitiveType slot_type, Slot& slot) {
  const std::byte* at = array + i * StorageBytes(type);
  if (ComputeType(type) == ComputeType(slot_type)) ToSlot(type, at, slot.bytes);
  else ConvertElements(type, at, ComputeType(slot_type), slot.bytes, 1);
}

void StoreElement(const Slot& slot, PrimitiveType slot_type, PrimitiveType type, std::byte* array, int64_t i) {
  std::byte* at = array + i * StorageBytes(type);
  if (type == ComputeType(slot_type)) std::memcpy(at, slot.bytes, static_cast<size_t>(StorageBytes(type)));
  else ConvertElements(ComputeType(slot_type), slot.bytes, type, at, 1);
}

void ScalarFunction::Load(size_t k, PrimitiveType type, const std::byte* array, int64_t i) {
  LoadElement(type, array, i, argument_types_[k], slots_[k]);
}
void ScalarFunction::Store(size_t k, Literal& literal, int64_t i) const {
  StoreElement(result(k), result_types_[k], literal, i);
}

// Builds the list of steps; false if there is anything other than scalar arithmetic.
class ScalarCompiler {
 public:
  ScalarCompiler(ScalarFunction& function, bool pairs) : function_(function), pairs_(pairs) {}

  bool Compile(const HloComputation& computation) {
    std::vector<size_t> arguments;
    for (const HloInstruction* parameter : computation.parameters()) {
      if (!parameter->shape().IsScalar()) return false;
      arguments.push_back(NewSlot());
    }
    if (!Emit(computation, arguments, &function_.results_, 0)) return false;
    function_.slots_.resize(slot_count_);
    for (auto& [slot, literal] : constants_)
      LoadElement(*literal, 0, literal->shape().element_type(), function_.slots_[slot]);
    for (Pending& p : pending_) {
      for (size_t i = 0; i < 3; ++i) p.step.args.in[i] = function_.slots_[p.in[i]].bytes;
      p.step.args.out = function_.slots_[p.out].bytes;
      function_.steps_.push_back(p.step);
    }
    const HloInstruction* root = computation.root();
    const bool one_op =
        pending_.size() == 1 || (pending_.size() == 2 && pending_[1].out == pending_[0].out);  // and its rounding
    if (one_op && root->operand_count() == 2 && pending_[0].in[0] == 0 && pending_[0].in[1] == 1) {
      function_.binary_ = root->opcode();
    }
    return true;
  }

 private:
  struct Pending {
    ScalarFunction::Step step;
    size_t in[3] = {};
    size_t out = 0;
  };

  size_t NewSlot() { return slot_count_++; }

  bool Emit(const HloComputation& computation, const std::vector<size_t>& arguments, std::vector<size_t>* results,
            int depth) {
    if (depth > kMaxInlineDepth || computation.root() == nullptr) return false;
    std::unordered_map<const HloInstruction*, std::vector<size_t>> slots;
    for (const HloInstruction* instruction : computation.PostOrder()) {
      std::vector<size_t>& mine = slots[instruction];
      switch (instruction->opcode()) {
        case HloOpcode::kParameter:
          if (!instruction->shape().IsScalar()) return false;
          mine = {arguments[static_cast<size_t>(instruction->parameter_number())]};
          continue;
        case HloOpcode::kConstant:
          if (!instruction->shape().IsScalar() || instruction->literal().elided()) return false;
          mine = {NewSlot()};
          constants_.push_back({mine[0], &instruction->literal()});
          continue;
        case HloOpcode::kTuple:
          for (const HloInstruction* operand : instruction->operands()) {
            if (!operand->shape().IsScalar()) return false;
            mine.push_back(slots[operand][0]);
          }
          continue;
        case HloOpcode::kGetTupleElement:
          if (!instruction->shape().IsScalar()) return false;
          mine = {slots[instruction->operand(0)][static_cast<size_t>(instruction->tuple_index())]};
          continue;
        case HloOpcode::kCall:
        case HloOpcode::kFusion: {
          std::vector<size_t> inner;
          for (int64_t i = 0; i < instruction->operand_count(); ++i) {
            const HloInstruction* operand = instruction->operand(i);
            if (!operand->shape().Compatible(instruction->called_computations()[0]->parameter(i)->shape()))
              return false;
            inner.push_back(slots[operand][0]);
          }
          if (!Emit(*instruction->called_computations()[0], inner, &mine, depth + 1)) return false;
          continue;
        }
        default: break;  // elementwise, or EmitElementwise refuses it
      }
      if (!EmitElementwise(*instruction, slots, &mine)) return false;
    }
    *results = slots[computation.root()];
    return true;
  }

  bool EmitElementwise(const HloInstruction& instruction,
                       std::unordered_map<const HloInstruction*, std::vector<size_t>>& slots,
                       std::vector<size_t>* mine) {
    if (!instruction.shape().IsScalar() || instruction.operand_count() > 3 || instruction.operand_count() == 0)
      return false;
    Pending pending;
    for (size_t i = 0; i < instruction.operands().size(); ++i) {
      const HloInstruction* operand = instruction.operands()[i];
      if (!operand->shape().IsScalar()) return false;
      pending.in[i] = slots[operand][0];
      pending.step.args.bits = BitWidth(operand->shape().element_type());
    }
    *mine = {pending.out = NewSlot()};
    const PrimitiveType type = instruction.shape().element_type();
    if (instruction.opcode() == HloOpcode::kConvert) {
      const PrimitiveType from = instruction.operand(0)->shape().element_type();
      const bool pair = pairs_ && (from == PrimitiveType::C128 || type == PrimitiveType::C128);
      pending.step.kernel = from == type ? CopySlot : pair ? RoundPairSlot : RoundSlot;
      pending.step.args.from = ComputeType(from);
      pending.step.args.to = type;
      pending_.push_back(pending);
      return true;
    }
    // Mixed precision is left to the full evaluation.
    const PrimitiveType computed = ComputeType(instruction.operands().back()->shape().element_type());
    for (size_t i = instruction.opcode() == HloOpcode::kSelect ? 1 : 0; i < instruction.operands().size(); ++i) {
      if (ComputeType(instruction.operands()[i]->shape().element_type()) != computed) return false;
    }
    if (IsFloat(type) && IsFloat(computed) && ComputeType(type) != computed) return false;
    pending.step.kernel = FindKernel(instruction, computed, pairs_);
    if (pending.step.kernel == nullptr) return false;
    pending_.push_back(pending);
    const bool narrow =
        ComputeType(type) != type && !instruction.Is(kMovesData) && instruction.opcode() != HloOpcode::kSelect;
    if (narrow) {
      Pending round;
      round.in[0] = round.out = pending.out;
      round.step.kernel = RoundSlot;
      round.step.args.from = ComputeType(type);
      round.step.args.to = type;
      pending_.push_back(round);
    }
    return true;
  }

  ScalarFunction& function_;
  const bool pairs_;
  size_t slot_count_ = 0;
  std::vector<Pending> pending_;
  std::vector<std::pair<size_t, const Literal*>> constants_;
};

StatusOr<ScalarFunction> ScalarFunction::Prepare(Evaluation& run, const HloComputation& computation) {
  ScalarFunction function;
  function.run_ = &run;
  if (computation.root() == nullptr) return InvalidArgument(Format("computation {} has no root", computation.name()));
  for (const HloInstruction* parameter : computation.parameters()) {
    if (!parameter->shape().IsScalar()) {
      return Unimplemented(Format("computation {} is called per element, but takes arrays", computation.name()));
    }
    function.argument_types_.push_back(parameter->shape().element_type());
  }
  for (const Shape* leaf : computation.root()->shape().Leaves()) {
    if (!leaf->IsScalar()) {
      return Unimplemented(Format("computation {} is called per element, but gives arrays", computation.name()));
    }
    function.result_types_.push_back(leaf->element_type());
  }
  if (ScalarCompiler(function, run.pairs()).Compile(computation)) return function;
  function.steps_.clear();
  function.general_ = &computation;
  function.slots_.assign(function.argument_types_.size() + function.result_types_.size(), Slot());
  function.results_.clear();
  for (size_t i = 0; i < function.result_types_.size(); ++i) {
    function.results_.push_back(function.argument_types_.size() + i);
  }
  return function;
}

Status ScalarFunction::RunGeneral() {
  std::vector<Value> arguments;
  for (size_t i = 0; i < argument_types_.size(); ++i) {
    Literal scalar(Shape::Scalar(argument_types_[i]));
    StoreElement(slots_[i], argument_types_[i], scalar, 0);
    arguments.emplace_back(std::move(scalar));
  }
  HLOIR_ASSIGN_OR_RETURN(const Value value, run_->Call(*general_, std::move(arguments)));
  std::vector<const Value*> leaves;
  if (value.IsTuple()) {
    for (const Value& element : value.elements()) leaves.push_back(&element);
  } else {
    leaves.push_back(&value);
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    if (i >= leaves.size() || leaves[i]->IsTuple())
      return Unimplemented("a computation called per element gives nested tuples");
    LoadElement(leaves[i]->literal(), 0, result_types_[i], slots_[results_[i]]);
  }
  return OkStatus();
}

}  // namespace hloir::reference
