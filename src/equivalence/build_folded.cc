// Constant folding operation by operation in the types of the text, as compilers fold: a constant of one module equals
// a computed value of the other if all bits agree. See build.h; Prover::MatchFolded in equivalence.cc uses it.
#include "equivalence/build.h"

namespace hloir::equivalence::inside {

std::shared_ptr<const Literal> Builder::Folded(const HloInstruction& i, const std::vector<int32_t>& operand_records) {
  constexpr int64_t kMostElements = 1 << 14;
  if (!i.shape().IsArray() || i.shape().ElementCount() > kMostElements) return nullptr;
  // No ownership: the module outlives the builder.
  if (i.IsConstant())
    return i.literal().elided() ? nullptr : std::shared_ptr<const Literal>(std::shared_ptr<void>(), &i.literal());
  const bool folds = i.Is(kFoldable | kElementwise | kMovesData) || i.opcode() == HloOpcode::kIota ||
                     i.opcode() == HloOpcode::kReduce || i.opcode() == HloOpcode::kReduceWindow;
  if (!folds || i.Is(kImpure | kSideEffect | kCollective)) return nullptr;
  // (Complex numbers are moved, and nothing is computed of them.)
  if (IsComplex(i.shape().element_type()) && !i.Is(kMovesData)) return nullptr;
  std::vector<const Literal*> operands;
  int64_t work = i.shape().ElementCount();
  for (int32_t record : operand_records) {
    const Literal* operand = record < 0 ? nullptr : records_[static_cast<size_t>(record)].folded.get();
    if (operand == nullptr || operand->shape().element_type() == PrimitiveType::TOKEN) return nullptr;
    operands.push_back(operand);
    work += operand->element_count();
  }
  if (operands.size() != static_cast<size_t>(i.operand_count()) || (shared_.fold_work -= work) < 0) return nullptr;
  if (shared_.evaluator == nullptr) {
    EvaluatorOptions options;
    options.max_steps = kMostElements * 16;
    shared_.evaluator = MakeReferenceEvaluator(std::move(options));
  }
  StatusOr<Literal> value = shared_.evaluator->EvaluateInstruction(i, operands);
  return value.ok() ? std::make_shared<const Literal>(*std::move(value)) : nullptr;
}

}  // namespace hloir::equivalence::inside
