// See loop_util.h.
#include "loop_util.h"

#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

bool ReadsByElement(const HloInstruction& tuple) {
  for (const HloInstruction* user : tuple.users()) {
    if (user->opcode() != HloOpcode::kGetTupleElement || HasAnnotations(*user) || user->HasControlDependencies()) {
      return false;
    }
  }
  return !tuple.IsRoot();
}
bool IsFree(const HloInstruction& i) { return !i.HasControlDependencies() && !HasAnnotations(i); }

// The integer that the instruction of the body or condition has in every round; nullopt if that is not known.
std::optional<__int128> FixedInteger(const HloInstruction& loop, const HloInstruction* i) {
  if (int64_t element = ElementRead(*i); element >= 0) {
    if (!IsPassedThrough(loop, element)) return std::nullopt;
    i = InitialValue(loop, element);
  }
  if (i == nullptr || !i->IsScalarConstant() || i->literal().elided()) return std::nullopt;
  const PrimitiveType type = i->shape().element_type();
  if (!IsInteger(type)) return std::nullopt;
  const int64_t bits = i->literal().GetAsInt64(0);
  return type == PrimitiveType::U64 ? static_cast<__int128>(static_cast<uint64_t>(bits)) : static_cast<__int128>(bits);
}

// How often `i = start; while (i direction limit) i += step` goes round; -1: for ever, or not known.
__int128 Trips(ComparisonDirection direction, __int128 start, __int128 step, __int128 limit) {
  using D = ComparisonDirection;
  switch (direction) {
    case D::kLe: return Trips(D::kLt, start, step, limit + 1);
    case D::kGe: return Trips(D::kGt, start, step, limit - 1);
    case D::kLt:
      if (start >= limit) return 0;
      return step > 0 ? (limit - start + step - 1) / step : -1;
    case D::kGt:
      if (start <= limit) return 0;
      return step < 0 ? (start - limit - step - 1) / -step : -1;
    case D::kNe:
      if (start == limit) return 0;
      return step != 0 && (limit - start) % step == 0 && (limit - start) / step > 0 ? (limit - start) / step : -1;
    case D::kEq: return start != limit ? 0 : step != 0 ? 1 : -1;
  }
  __builtin_unreachable();
}

bool Holds(PrimitiveType type, __int128 value) {
  const int bits = BitWidth(type) - IsSigned(type);
  const __int128 end = static_cast<__int128>(1) << bits;
  return value < end && value >= (IsSigned(type) ? -end : 0);
}

}  // namespace

bool IsTupleLoop(const HloInstruction& loop) {
  if (loop.opcode() != HloOpcode::kWhile || !loop.shape().IsTuple() || !IsFree(loop)) return false;
  const HloInstruction& root = *loop.while_body()->root();
  return root.opcode() == HloOpcode::kTuple && IsFree(root) && IsFree(*loop.operand(0)) &&
         root.shape() == loop.shape() && IsFree(*loop.while_body()->parameter(0)) &&
         IsFree(*loop.while_condition()->parameter(0)) && ReadsByElement(*loop.while_body()->parameter(0)) &&
         ReadsByElement(*loop.while_condition()->parameter(0));
}

bool IsTupleLoopReadByElement(const HloInstruction& loop) { return IsTupleLoop(loop) && ReadsByElement(loop); }

HloInstruction* InitialValue(const HloInstruction& loop, int64_t element) {
  HloInstruction* init = loop.operand(0);
  return init->opcode() == HloOpcode::kTuple ? init->operand(element) : nullptr;
}

HloInstruction* NextValue(const HloInstruction& loop, int64_t element) {
  return loop.while_body()->root()->operand(element);
}

bool IsPassedThrough(const HloInstruction& loop, int64_t element) {
  return ElementRead(*NextValue(loop, element)) == element;
}

int64_t ElementRead(const HloInstruction& i) {
  return i.opcode() == HloOpcode::kGetTupleElement && i.operand(0)->IsParameter() ? i.tuple_index() : -1;
}

std::optional<LoopCounter> StepsOf(const HloInstruction& loop, int64_t element) {
  const HloInstruction *initial = InitialValue(loop, element), *next = NextValue(loop, element);
  if (initial == nullptr || !initial->IsScalarConstant() || !IsInteger(initial->shape().element_type())) return {};
  const bool adds = next->opcode() == HloOpcode::kAdd;
  if (!adds && next->opcode() != HloOpcode::kSubtract) return {};
  std::optional<__int128> start = FixedInteger(loop, initial), step;
  if (ElementRead(*next->operand(0)) == element) step = FixedInteger(loop, next->operand(1));
  else if (adds && ElementRead(*next->operand(1)) == element) step = FixedInteger(loop, next->operand(0));
  if (!start || !step || *start > INT64_MAX || *step > INT32_MAX || *step < INT32_MIN) return {};
  LoopCounter counter;
  counter.element = element;
  counter.start = static_cast<int64_t>(*start);
  counter.step = static_cast<int64_t>(adds ? *step : -*step);
  return counter;
}

std::optional<LoopCounter> FindLoopCounter(const HloInstruction& loop) {
  if (!IsTupleLoop(loop)) return {};
  const HloInstruction& root = *loop.while_condition()->root();
  if (root.opcode() != HloOpcode::kCompare) return {};
  ComparisonDirection direction = root.attributes<CompareAttributes>().direction;
  for (int64_t side = 0; side < 2; ++side) {
    const int64_t element = ElementRead(*root.operand(side));
    if (element < 0) continue;
    std::optional<LoopCounter> counter = StepsOf(loop, element);
    std::optional<__int128> limit = FixedInteger(loop, root.operand(1 - side));
    if (!counter || !limit) continue;
    const __int128 trips = Trips(side == 0 ? direction : Flipped(direction), counter->start, counter->step, *limit);
    // Up to and with the value that ends it, it must not wrap around.
    const PrimitiveType type = root.operand(side)->shape().element_type();
    if (trips < 0 || trips > INT32_MAX || !Holds(type, counter->start + trips * counter->step)) continue;
    counter->trips = static_cast<int64_t>(trips);
    return counter;
  }
  return {};
}

void OwnLoopComputations(HloInstruction* loop) {
  OwnComputation(loop, 0);
  OwnComputation(loop, 1);
}

namespace {

HloInstruction* TupleOf(HloInstruction* old, std::span<HloInstruction* const> elements) {
  HloInstruction* made = old->parent()->AddTuple(elements, old->name());
  made->set_metadata(old->metadata());
  old->parent()->MoveBefore(made, old);
  return made;
}

// The loop's operand as a list.
std::vector<HloInstruction*> InitialElements(HloInstruction* loop) {
  std::vector<HloInstruction*> elements;
  HloInstruction* init = loop->operand(0);
  for (int64_t k = 0; k < loop->shape().tuple_size(); ++k) {
    HloInstruction* element = InitialValue(*loop, k);
    if (element == nullptr) {
      element = loop->parent()->AddGetTupleElement(init, k);
      loop->parent()->MoveBefore(element, loop);
    }
    elements.push_back(element);
  }
  return elements;
}

// The loop and its computations carry what `elements` are now.
void SetCarried(HloInstruction* loop, std::span<HloInstruction* const> elements,
                std::span<HloInstruction* const> next_elements) {
  HloInstruction *old_init = loop->operand(0), *old_root = loop->while_body()->root();
  HloInstruction* init = loop->parent()->AddTuple(elements);
  init->set_metadata(old_init->metadata());
  loop->parent()->MoveBefore(init, loop);
  loop->ReplaceOperandWith(0, init);
  HloInstruction* root = TupleOf(old_root, next_elements);
  loop->while_body()->set_root(root);
  loop->set_shape(init->shape());
  loop->while_body()->parameter(0)->set_shape(init->shape());
  loop->while_condition()->parameter(0)->set_shape(init->shape());
  RemoveIfDead(old_root);
  RemoveIfDead(old_init);
}

}  // namespace

HloInstruction* AddLoopElement(HloInstruction* loop, HloInstruction* initial) {
  HloComputation& body = *loop->while_body();
  const int64_t element = loop->shape().tuple_size();
  // Who reads the loop as a whole gets a tuple of what it was.
  if (!IsTupleLoopReadByElement(*loop)) {
    std::vector<HloInstruction*> readers(loop->users().begin(), loop->users().end()), elements;
    HloInstruction* after = loop->next();
    for (int64_t k = 0; k < element; ++k) elements.push_back(loop->parent()->AddGetTupleElement(loop, k));
    HloInstruction* whole = loop->parent()->AddTuple(elements);
    for (HloInstruction* made : elements) loop->parent()->MoveBefore(made, after);
    loop->parent()->MoveBefore(whole, after);
    for (HloInstruction* reader : readers) {
      if (reader->opcode() != HloOpcode::kGetTupleElement) loop->ReplaceUseWith(reader, whole);
    }
    if (loop->IsRoot()) loop->parent()->set_root(whole);
  }
  std::vector<HloInstruction*> elements = InitialElements(loop);
  elements.push_back(initial);
  std::vector<HloInstruction*> next(body.root()->operands().begin(), body.root()->operands().end());
  HloInstruction* parameter = body.parameter(0);
  // The parameter's new shape comes first: the read takes its own from it.
  std::vector<Shape> shapes = parameter->shape().tuple_shapes();
  shapes.push_back(initial->shape());
  parameter->set_shape(Shape::Tuple(std::move(shapes)));
  HloInstruction* read = body.AddGetTupleElement(parameter, element, initial->name());
  body.MoveBefore(parameter, body.first());  // a schedule may have what reads the new element before it
  body.MoveBefore(read, parameter->next());
  next.push_back(read);
  SetCarried(loop, elements, next);
  for (HloInstruction* tuple : {loop, parameter, loop->while_condition()->parameter(0)}) {
    if (tuple->has_extras() && tuple->extras().original_value)
      tuple->mutable_extras().original_value->elements.emplace_back();
  }
  return read;
}

void RemoveLoopElements(HloInstruction* loop, const std::vector<bool>& keep) {
  // Reads of a first value that is no list of elements are made here, the needless ones with the others.
  const bool reads_made = InitialValue(*loop, 0) == nullptr;
  std::vector<HloInstruction*> old_elements = InitialElements(loop), elements, next;
  std::vector<int64_t> moved(keep.size(), -1);
  for (size_t k = 0; k < keep.size(); ++k) {
    if (!keep[k]) continue;
    moved[k] = static_cast<int64_t>(elements.size());
    elements.push_back(old_elements[k]);
    next.push_back(NextValue(*loop, static_cast<int64_t>(k)));
  }
  SetCarried(loop, elements, next);
  // What only the dropped elements needed went with the old root, down to their reads.
  for (HloInstruction* tuple : {loop, loop->while_body()->parameter(0), loop->while_condition()->parameter(0)}) {
    std::vector<HloInstruction*> reads(tuple->users().begin(), tuple->users().end());
    KeepOrigins(*tuple, keep);
    for (HloInstruction* read : reads) {
      const int64_t to = moved[static_cast<size_t>(read->tuple_index())];
      if (to < 0) RemoveIfDead(read);
      else read->mutable_attributes<GetTupleElementAttributes>().index = to;
    }
  }
  if (!reads_made) return;
  for (HloInstruction* element : old_elements) RemoveIfDead(element);
}

}  // namespace hloir
