// Rules of shapes: the inferred shape of an instruction is the stated one; layouts name each dimension once. Ops that
// forward a buffer must keep its element type; others may convert between floats.
#include <algorithm>

#include "shape_inference/shape_inference.h"
#include "shape_inference/internal.h"
#include "internal.h"

namespace hloir::verifier {
namespace {

// In XLA these must keep the element type and (in layout-sensitive mode) the layout.
bool HandsBufferOn(HloOpcode opcode) {
  return IsOneOf(opcode, HloOpcode::kCall, HloOpcode::kConditional, HloOpcode::kConstant, HloOpcode::kCopyStart,
                 HloOpcode::kCopyDone, HloOpcode::kDynamicUpdateSlice, HloOpcode::kFusion, HloOpcode::kGetTupleElement,
                 HloOpcode::kInfeed, HloOpcode::kOutfeed, HloOpcode::kOptimizationBarrier, HloOpcode::kRecv,
                 HloOpcode::kRecvDone, HloOpcode::kSend, HloOpcode::kSendDone, HloOpcode::kTuple, HloOpcode::kWhile);
}

// True if the product of the dimensions and of `each` fits 63 bits.
bool ProductFits(const Shape& shape, int64_t each) {
  int64_t count = each;
  bool fits = true;
  for (int64_t size : shape.dimensions()) {
    if (size == 0) return true;
    if (size != Shape::kUnboundedSize) fits = fits && !__builtin_mul_overflow(count, size, &count);
  }
  return fits;
}

void VerifyWellFormed(const HloInstruction& instruction, Errors& errors) {
  auto verify_leaf = [&](const Shape& leaf) {
    for (int64_t size : leaf.dimensions()) {
      if (size < 0 && size != Shape::kUnboundedSize)
        errors.Add(&instruction, "the shape has a negative dimension: {}", size);
    }
    if (!ProductFits(leaf, 1)) {
      errors.Add(&instruction, "{} has more elements than 63 bits can count", Text(leaf));
    } else if (leaf.IsArray() && !ProductFits(leaf, (BitWidth(leaf.element_type()) + 7) / 8)) {
      errors.Add(&instruction, "{} has more bytes than 63 bits can count", Text(leaf));
    }
    VerifyLayout(&instruction, leaf, errors);
  };
  const Shape& shape = instruction.shape();
  if (!shape.IsTuple()) return verify_leaf(shape);
  if (instruction.opcode() == HloOpcode::kTuple) return;  // its elements were checked at their definitions
  for (const Shape* leaf : shape.Leaves()) verify_leaf(*leaf);
}

// In XLA these never reorder the elements in memory: neither of an operand of the result's rank, nor of the result.
bool KeepsLayout(const HloInstruction& i) {
  if (i.Is(kElementwise)) return i.opcode() != HloOpcode::kCopy;
  return IsOneOf(i.opcode(), HloOpcode::kAddDependency, HloOpcode::kAllReduce, HloOpcode::kAllToAll,
                 HloOpcode::kBitcastConvert, HloOpcode::kCollectivePermute, HloOpcode::kConcatenate,
                 HloOpcode::kDynamicSlice, HloOpcode::kDynamicUpdateSlice, HloOpcode::kFft, HloOpcode::kMap,
                 HloOpcode::kPad, HloOpcode::kReduceWindow, HloOpcode::kReverse, HloOpcode::kScatter,
                 HloOpcode::kSelectAndScatter, HloOpcode::kSlice, HloOpcode::kSort);
}

bool SameLayout(const Shape& a, const Shape& b) {
  return !a.has_layout() || !b.has_layout() || a.rank() != b.rank() ||
         a.layout().minor_to_major() == b.layout().minor_to_major();
}

// The bytes are reinterpreted as another shape of the same size. The padding of tiles depends on the backend.
void VerifyBitcast(const HloInstruction& bitcast, Errors& errors) {
  const Shape &from = bitcast.operand(0)->shape(), &to = bitcast.shape();
  for (const Shape* shape : {&from, &to}) {
    if (!shape->IsArray() || shape->layout().has_extras()) return;
    for (int64_t size : shape->dimensions()) {
      if (size == Shape::kUnboundedSize) return;
    }
  }
  // Types under a byte may stand packed.
  auto packed_bits = [](const Shape& shape) {
    int64_t bits = 0;
    return __builtin_mul_overflow(shape.ElementCount(), int64_t{BitWidth(shape.element_type())}, &bits) ? -1 : bits;
  };
  if (from.ByteSize() != to.ByteSize() && packed_bits(from) != packed_bits(to)) {
    errors.Add(&bitcast, "bitcast from {} to {} changes the number of bytes from {} to {}", Text(from), Text(to),
               from.ByteSize(), to.ByteSize());
  }
}

void VerifyLayouts(const HloInstruction& instruction, const Shape& inferred, Errors& errors) {
  const Shape& stated = instruction.shape();
  if (HandsBufferOn(instruction.opcode())) {
    std::vector<const Shape*> a = stated.Leaves(), b = inferred.Leaves();
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (!SameLayout(*a[i], *b[i])) {
        errors.Add(&instruction, "hands a buffer on, but changes its layout from {} to {}", b[i]->ToString(),
                   a[i]->ToString());
        return;
      }
    }
  }
  if (stated.IsArray() && KeepsLayout(instruction)) {
    for (const HloInstruction* operand : instruction.operands()) {
      if (!SameLayout(stated, operand->shape())) {
        errors.Add(&instruction, "must not change the layout of its operand, {}, to {}", operand->shape().ToString(),
                   stated.ToString());
        return;
      }
    }
  }
}

bool Fits(HloOpcode opcode, const Shape& stated, const Shape& inferred) {
  return HandsBufferOn(opcode) ? shape_inference::SameBuffer(stated, inferred)
                               : shape_inference::CompatibleIgnoringFloatPrecision(stated, inferred);
}

// No copies, because programs read tuples of thousands of elements one by one.
bool TupleFits(const HloInstruction& tuple) {
  const Shape& shape = tuple.shape();
  if (!shape.IsTuple() || shape.tuple_size() != tuple.operand_count()) return false;
  for (int64_t i = 0; i < shape.tuple_size(); ++i) {
    if (!shape.tuple_shapes(i).Compatible(tuple.operand(i)->shape())) return false;
  }
  return true;
}
bool ElementFits(const HloInstruction& get) {
  const Shape& tuple = get.operand(0)->shape();
  int64_t index = get.tuple_index();
  return tuple.IsTuple() && shape_inference::InRange(index, tuple.tuple_size()) &&
         tuple.tuple_shapes(index).Compatible(get.shape());
}

void VerifyResultAccuracy(const HloInstruction& instruction, Errors& errors) {
  if (!instruction.has_extras() || !instruction.extras().result_accuracy) return;
  if (!instruction.Is(kTranscendental) || instruction.operand_count() != 1) {
    errors.Add(&instruction, "result_accuracy is only for unary transcendental ops");
  }
  const ResultAccuracy& accuracy = *instruction.extras().result_accuracy;
  if (accuracy.has_tolerance && !(accuracy.atol >= 0 && accuracy.rtol >= 0 && accuracy.ulps >= 0))
    errors.Add(&instruction, "result_accuracy: a tolerance must not be negative");
}

}  // namespace

void VerifyLayout(const HloInstruction* instruction, const Shape& shape, Errors& errors) {
  if (!shape.IsArray() || !shape.has_layout()) return;
  const DimVector& order = shape.layout().minor_to_major();
  if (static_cast<int64_t>(order.size()) == shape.rank() && shape_inference::AreDimensions(order, shape.rank())) return;
  errors.Add(instruction, "the layout of {} does not name each of its {} dimensions once", shape.ToString(),
             shape.rank());
}

bool VerifyShape(const HloInstruction& instruction, const VerifierOptions& options, Errors& errors) {
  VerifyWellFormed(instruction, errors);
  VerifyResultAccuracy(instruction, errors);
  if (!options.layout_sensitive) {
    if (instruction.opcode() == HloOpcode::kTuple && TupleFits(instruction)) return true;
    if (instruction.opcode() == HloOpcode::kGetTupleElement && instruction.operand_count() == 1 &&
        ElementFits(instruction))
      return true;
  }
  StatusOr<Shape> inferred = InferShape(instruction);
  if (!inferred.ok()) {
    errors.Add(&instruction, "{}", inferred.status().message());
    return false;
  }
  if (!Fits(instruction.opcode(), instruction.shape(), *inferred)) {
    errors.Add(&instruction, "has shape {}, but its operands and attributes give {}", Text(instruction.shape()),
               Text(*inferred));
    return false;
  }
  if (instruction.opcode() == HloOpcode::kBitcast) VerifyBitcast(instruction, errors);
  if (options.layout_sensitive) VerifyLayouts(instruction, *inferred, errors);
  return true;
}

}  // namespace hloir::verifier
