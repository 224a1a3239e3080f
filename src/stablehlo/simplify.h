// Simplifier: the simplifications of XLA's converter. simplify.cc walks the tree, removes dead ops and selects the
// rules for an op; the rules are in simplify_arithmetic.cc, simplify_shapes.cc (data movement), simplify_dynamic.cc
// (computed shapes), simplify_control.cc (regions), implicit.cc (implicit parts of CHLO) and, for expanded functions,
// formula.h.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "convert.h"

namespace hloir::stablehlo {

class Simplifier {
 public:
  explicit Simplifier(Module& module) : module_(module) {}
  void Run();

  // Creates ops before the current one.
  Operation& New(std::string_view name, const Operation& like, Values operands, const Shape& shape);
  static void Set(Operation& op, std::string_view name, Attribute value);
  // `literal`: of one element, or of `shape`.
  Value* NewConstant(const Operation& like, const Shape& shape, Literal literal);
  Value* NewInteger(const Operation& like, const Shape& shape, int64_t value) {
    return NewConstant(like, shape, Literal::Scalar(shape.element_type(), value));
  }

 private:
  using Kind = Attribute::Kind;

  // Values.
  static Value* Resolve(Value* value) {
    while (value->forward != nullptr) value = value->forward;
    return value;
  }
  // Checks the counts of operands and results for the rules; the converter reports errors.
  static bool HasArity(const Operation& op);
  static const Attribute* Constant(const Value* value);
  static Operation* Def(const Value* value, std::string_view name);
  // A splat constant of any shape; its literal has one element.
  static const Literal* Splat(const Value* value);
  static bool IsIntegerType(PrimitiveType type) { return IsInteger(type) || type == PrimitiveType::PRED; }
  static bool IsSplatOf(const Value* value, int64_t number, bool integers_only = false);
  static bool IsAllOnes(const Value* value);
  // One value, or constants of equal bits.
  static bool SameValue(const Value* x, const Value* y);
  static int64_t Uses(const Value* value) { return value->uses; }

  static Attribute Ints(const DimVector& values);
  static DimVector IntsOf(const Attribute& attribute);
  static DimVector GetInts(const Operation& op, std::string_view name);
  static int64_t GetInt(const Operation& op, std::string_view name) {
    const Attribute* attribute = op.Find(name);
    return attribute == nullptr ? 0 : attribute->integer;
  }
  // Removes the op and replaces its results by `values`.
  bool Replace(Operation& op, const Values& values);
  bool Replace(Operation& op, Value* value);
  // The op is another one now.
  bool Become(Operation& op, std::string_view name, Values operands);

  // The elements of an op's constant operands; splats have one for all.
  struct ConstantElements {
    std::vector<const Literal*> literals;
    int64_t At(int operand, int64_t i) const { return literals[operand]->element_count() == 1 ? 0 : i; }
    int64_t Integer(int operand, int64_t i) const { return literals[operand]->GetAsInt64(At(operand, i)); }
    double Double(int operand, int64_t i) const { return literals[operand]->GetAsDouble(At(operand, i)); }
  };
  // If all operands are constants of the result's dimensions: the folded elements, if `element` succeeds for all.
  bool FoldElements(Operation& op, const std::function<bool(const ConstantElements&, Literal&, int64_t)>& element);
  // The constant operand's elements from `start` on, by `steps` of each dimension.
  bool Rearranged(Operation& op, int64_t start, const DimVector& steps);

  // Walking.
  static void CountUses(const Region& region);  // anew
  static void ClearUses(const Region& region);
  static void AddUses(const Region& region);
  void Visit(Region& region);
  static bool IsPure(const Operation& op);
  void RemoveDead(Region& region);
  static void Forget(const Operation& op);

  // The rules for ops of one name.
  using Rule = bool (Simplifier::*)(Operation&);
  struct Rules {
    bool is_known = false, may_be_written_out = false, is_dynamic = false;
    Rule own = nullptr;
  };
  const Rules& RulesOf(OpName name);

  // Rules: true if the op has changed.
  bool Rewrite(Operation& op);
  bool WriteOut(Operation& op);
  bool BroadcastOperands(Operation& op);
  bool ConstantLike(Operation& op);
  bool TupleElement(Operation& op);
  bool DimensionSize(Operation& op);
  bool TakeSizes(Operation& op, std::string_view name);
  bool RealDynamicSlice(Operation& op);
  bool DynamicCall(Operation& op);
  bool Dynamic(Operation& op, std::string_view name);
  bool NormalizeConstant(Operation& op);
  bool ComplexPart(Operation& op);
  bool Complex(Operation& op);
  bool Scatter(Operation& op);
  bool ZeroExtent(Operation& op);
  bool Binary(Operation& op, std::string_view name);
  bool Unary(Operation& op, std::string_view name);
  bool Compare(Operation& op);
  bool Convert(Operation& op);
  bool Select(Operation& op);
  bool Clamp(Operation& op);
  bool BroadcastInDim(Operation& op);
  bool Reshape(Operation& op);
  bool Transpose(Operation& op);
  bool ConcatenateConstants(Operation& op, int64_t dimension);
  bool Slice(Operation& op);
  bool DynamicSlice(Operation& op);
  bool DynamicUpdateSlice(Operation& op);
  bool Concatenate(Operation& op);
  bool JoinEqualSplats(Operation& op, int64_t dimension);
  bool Iota(Operation& op);
  bool Reverse(Operation& op);
  bool Pad(Operation& op);
  bool Gather(Operation& op);
  void DropArguments(Operation& op, const std::vector<bool>& kept, bool interleaved);
  bool Reduce(Operation& op);
  bool ReduceSplats(Operation& op);
  bool Sort(Operation& op);
  bool While(Operation& op);
  bool Case(Operation& op);

  Module& module_;
  std::vector<Operation*>* before_ = nullptr;
  std::vector<Rules> rules_;  // by OpKind::index
  bool changed_ = false;
  int round_ = 0;
};

}  // namespace hloir::stablehlo
