// Common parts of shape inference: the query, and helpers for the rules of op families. shape_inference.cc has the
// entry point and the table of rules; tests/unit/shape_inference_test.cc covers all of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "support/format.h"
#include "hloir/module.h"
#include "shape_inference/shape_inference.h"

namespace hloir::shape_inference {

// An op without its graph: the inputs of shape inference.
struct Query {
  HloOpcode opcode;
  std::span<const Shape* const> operands;
  const Attributes& attributes;
  std::span<const HloComputation* const> called;
  const Shape* stated;  // nullptr if the text left it out

  const Shape& operand(size_t i) const { return *operands[i]; }
  template <class T>
  const T& attr() const {
    return *attributes.GetIf<T>();  // InferShape has checked that it is the opcode's
  }
};

// The rules: InferDot, InferWhile, …, one for each row of opcodes.def whose shape is kInferred or kGiven, in the file
// of its family; without its definition the program does not link. Arity, attribute struct and number of called
// computations have been checked. Other rows' rules: InferAsOperand (shape_inference.cc) and InferElementwise.
#define HLOIR_OP(name, ...) StatusOr<Shape> Infer##name(const Query& q);
#include "hloir/opcodes.def"
#undef HLOIR_OP
StatusOr<Shape> InferElementwise(const Query& q);

template <class... Args>
Status Invalid(std::string_view format, const Args&... args) {
  return InvalidArgument(Format(format, args...));
}

// "{1,2}", for messages.
inline std::string Braced(std::span<const int64_t> values) {
  std::string text = "{";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(values[i]);
  }
  text += '}';
  return text;
}
inline std::string Braced(const DimVector& values) { return Braced({values.data(), values.size()}); }
inline std::string Text(const Shape& shape) { return shape.ToString(/*with_layout=*/false); }

// Products and sums of sizes from text may overflow 64 bits; 128 bits hold any product of two.
__extension__ typedef __int128 Wide;
StatusOr<int64_t> Narrow(Wide value);

Status NotAnArray(const Shape& shape, std::string_view what);
Status NotDimensions(const DimVector& dimensions, int64_t rank, std::string_view what);
// `what` and `args` are a Format of the checked part, which is evaluated for messages only.
template <class... Args>
Status ExpectArray(const Shape& shape, std::string_view what, const Args&... args) {
  return shape.IsArray() ? OkStatus() : NotAnArray(shape, Format(what, args...));
}
inline bool InRange(int64_t dimension, int64_t rank) { return dimension >= 0 && dimension < rank; }
// Each in [0, rank), none twice.
bool AreDimensions(const DimVector& dimensions, int64_t rank);
template <class... Args>
Status ExpectDimensions(const DimVector& dimensions, int64_t rank, std::string_view what, const Args&... args) {
  return AreDimensions(dimensions, rank) ? OkStatus() : NotDimensions(dimensions, rank, Format(what, args...));
}
bool StrictlyAscending(const DimVector& list);

// XLA's mixed precision: two floats of different widths are compatible; other types must be equal.
bool SameTypeIgnoringFloatPrecision(PrimitiveType a, PrimitiveType b);
PrimitiveType HigherPrecisionType(PrimitiveType a, PrimitiveType b);
// Same tree, same dimensions (an unbounded one fits any), same types up to float precision.
bool CompatibleIgnoringFloatPrecision(const Shape& a, const Shape& b);
// The same with equal types: values passed to a computation or returned by one are not converted.
bool SameBuffer(const Shape& a, const Shape& b);

// An array with the default layout; dimension i is dynamic if dimension `from[i].second` of `*from[i].first` is.
Shape MakeArray(PrimitiveType type, DimVector dimensions);
inline void CopyDynamism(const Shape& from, int64_t i, Shape& to, int64_t j) {
  if (from.is_dynamic_dimension(i)) to.set_dynamic_dimension(j, true);
}
// The most specific common size of a dimension of the operands; nullopt if they disagree.
struct DimensionSize {
  int64_t size = 0;
  bool dynamic = false;
};
std::optional<DimensionSize> MeetDimensions(const Shape& a, int64_t i, const Shape& b, int64_t j);

// The arrays `q.operands[first…]` all have the same dimensions; the message names two that differ.
Status ExpectSameDimensions(const Query& q, size_t first, size_t count);

// One result is itself, several are a tuple.
Shape OneOrTuple(std::vector<Shape> shapes);

// Sizes of a window sliding over `base`; the window's rank is base's. In reduction.cc.
StatusOr<int64_t> WindowedSize(int64_t base, const WindowDimension& window);
Status ExpectWindow(const Window& window);
StatusOr<Shape> InferWindowOutput(const Shape& base, const Window& window, PrimitiveType type);

// reducer(accumulators…, values…) -> accumulators, all scalar, must fit inits and inputs. Returns the accumulators'
// types.
StatusOr<std::vector<PrimitiveType>> InferReducer(const HloComputation& reducer, std::span<const Shape* const> inits,
                                                  std::span<const Shape* const> inputs);

}  // namespace hloir::shape_inference
