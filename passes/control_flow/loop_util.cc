// See loop_util.h.
#include "loop_util.h"

#include "hloir/rewrite_util.h"

namespace hloir {

void OwnLoopComputations(HloInstruction* loop) {
  OwnComputation(loop, 0);
  OwnComputation(loop, 1);
}

HloInstruction* ReadOf(HloInstruction& tuple, int64_t element) {
  HloInstruction* found = nullptr;
  for (HloInstruction* read : tuple.users())
    if (read->opcode() == HloOpcode::kGetTupleElement && read->tuple_index() == element) found = read;
  return found;
}

namespace {

HloInstruction* TupleOf(HloInstruction* old, std::span<HloInstruction* const> elements) {
  HloInstruction* made = old->parent()->AddTuple(elements, old->name());
  made->CopyMetadataOf(*old);
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

// The loop and its computations carry the new `elements`.
void SetCarried(HloInstruction* loop, std::span<HloInstruction* const> elements,
                std::span<HloInstruction* const> next_elements) {
  HloInstruction *old_init = loop->operand(0), *old_root = loop->while_body()->root();
  HloInstruction* init = loop->parent()->AddTuple(elements);
  init->CopyMetadataOf(*old_init);
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
  // Users of the loop's whole result get a tuple of the old elements.
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
  body.MoveBefore(parameter, body.first());  // in a schedule, readers of the new element may precede it
  body.MoveBefore(read, parameter->next());
  next.push_back(read);
  SetCarried(loop, elements, next);
  for (HloInstruction* tuple : {loop, parameter, loop->while_condition()->parameter(0)}) {
    if (!tuple->extras().original_value) continue;
    OriginalValue origin = *tuple->extras().original_value;
    origin.elements.emplace_back();
    tuple->set_original_value(std::move(origin));
  }
  return read;
}

void RemoveLoopElements(HloInstruction* loop, const std::vector<bool>& keep) {
  // Reads of a first value that is not a list of elements are made here, the needless ones with the others.
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
  // Instructions that only the dropped elements needed went with the old root, down to their reads.
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

bool MayBeUnrolled(const HloInstruction& loop) {
  if (loop.HasSideEffect()) return false;
  for (const HloInstruction* i = loop.while_condition()->first(); i != nullptr; i = i->next())
    if (ActsOutside(*i)) return false;
  return true;
}

}  // namespace hloir
