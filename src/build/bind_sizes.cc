// See bind_sizes.h. Shapes are narrowed in rounds over all computations until nothing changes; each round but the last
// binds at least one dimension.
#include "build/bind_sizes.h"

#include <optional>
#include <vector>

#include "shape_inference/shape_inference.h"
#include "support/format.h"

namespace hloir {
namespace {

bool HasUnbounded(const Shape& shape) {
  if (shape.IsStatic()) return false;
  for (const Shape* leaf : shape.Leaves()) {
    for (int64_t d = 0; leaf->IsArray() && d < leaf->rank(); ++d)
      if (leaf->is_unbounded_dimension(d)) return true;
  }
  return false;
}

class Binder {
 public:
  explicit Binder(HloModule& module) : module_(module) {}

  Status Run(std::span<const Shape> leaves) {
    HloComputation& entry = *module_.entry_computation();
    std::vector<Shape> arguments;
    size_t next = 0;
    for (HloInstruction* parameter : entry.parameters()) {
      arguments.push_back(parameter->shape());
      HLOIR_RETURN_IF_ERROR(TakeLeaves(arguments.back(), leaves, next));
      HLOIR_RETURN_IF_ERROR(Meet(*parameter, arguments.back()));
    }
    while (changed_) {
      changed_ = false;
      for (HloComputation* computation : module_.computations())
        for (HloInstruction* i : computation->PostOrder()) HLOIR_RETURN_IF_ERROR(Visit(*i));
    }
    for (HloInstruction* i : module_.AllInstructions())
      if (HasUnbounded(i->shape()))
        return InvalidArgument(
            Format("the sizes of {} in {} do not follow from the inputs", i->shape().ToString(false), i->name()));
    if (std::optional<ProgramShape>& layout = module_.config().entry_computation_layout) {
      for (size_t k = 0; k < layout->parameters.size() && k < arguments.size(); ++k)
        Narrow(layout->parameters[k], arguments[k]);
      Narrow(layout->result, entry.root()->shape());
    }
    return OkStatus();
  }

 private:
  // Binds `shape` to the sizes of the next leaves.
  Status TakeLeaves(Shape& shape, std::span<const Shape> leaves, size_t& next) {
    if (shape.IsTuple()) {
      std::vector<Shape> elements(shape.tuple_shapes().begin(), shape.tuple_shapes().end());
      for (Shape& element : elements) HLOIR_RETURN_IF_ERROR(TakeLeaves(element, leaves, next));
      shape = Shape::Tuple(std::move(elements));
      return OkStatus();
    }
    if (!shape.IsArray()) return OkStatus();
    if (next >= leaves.size()) return InvalidArgument(Format("in{} is missing", next));
    const Shape& given = leaves[next++];
    const Shape expected = shape;
    if (given.element_type() != shape.element_type() || !Narrow(shape, given))
      return InvalidArgument(
          Format("in{} is {}, but the module expects {}", next - 1, given.ToString(false), expected.ToString(false)));
    return OkStatus();
  }

  // Binds unbounded dimensions of `shape` to the sizes in `known`; false if other dimensions differ. The parser limits
  // the depth of tuples.
  bool Narrow(Shape& shape, const Shape& known) {
    if (shape.IsTuple()) {
      if (!known.IsTuple() || known.tuple_size() != shape.tuple_size()) return false;
      std::vector<Shape> elements(shape.tuple_shapes().begin(), shape.tuple_shapes().end());
      bool fits = true;
      for (size_t k = 0; k < elements.size(); ++k)
        fits = Narrow(elements[k], known.tuple_shapes(static_cast<int64_t>(k))) && fits;
      shape = Shape::Tuple(std::move(elements));
      return fits;
    }
    if (!shape.IsArray()) return true;
    if (!known.IsArray() || known.rank() != shape.rank()) return false;
    bool fits = true;
    for (int64_t d = 0; d < shape.rank(); ++d) fits = NarrowDimension(shape, d, known, d) && fits;
    return fits;
  }
  bool NarrowDimension(Shape& shape, int64_t d, const Shape& known, int64_t e) {
    if (known.is_unbounded_dimension(e)) return true;
    if (!shape.is_unbounded_dimension(d))
      return shape.dimensions(d) == known.dimensions(e) || shape.is_dynamic_dimension(d) ||
             known.is_dynamic_dimension(e);
    shape.set_dimension(d, known.dimensions(e));
    shape.set_dynamic_dimension(d, known.is_dynamic_dimension(e));
    changed_ = true;
    return true;
  }

  Status Meet(HloInstruction& i, const Shape& known) {
    if (!HasUnbounded(i.shape()) && i.shape().Compatible(known)) return OkStatus();
    Shape shape = i.shape();
    const bool fits = Narrow(shape, known);
    if (!fits)
      return InvalidArgument(
          Format("{} is {}, which its inputs make {}", i.name(), i.shape().ToString(false), known.ToString(false)));
    if (!(shape == i.shape())) i.set_shape(shape);
    return OkStatus();
  }
  Status MeetDimension(HloInstruction& i, int64_t d, const HloInstruction& other, int64_t e) {
    Shape shape = i.shape();
    if (!NarrowDimension(shape, d, other.shape(), e))
      return InvalidArgument(Format("{} and {} differ in a size: {} and {}", i.name(), other.name(),
                                    shape.ToString(false), other.shape().ToString(false)));
    if (!(shape == i.shape())) i.set_shape(shape);
    return OkStatus();
  }

  Status Visit(HloInstruction& i) {
    HLOIR_RETURN_IF_ERROR(Calls(i));
    if (!i.IsParameter() && !i.IsConstant()) {
      const StatusOr<Shape> inferred = InferShape(i);
      if (!inferred.ok()) return InvalidArgument(Format("{}: {}", i.name(), inferred.status().message()));
      HLOIR_RETURN_IF_ERROR(Meet(i, *inferred));
    }
    if (!i.shape().IsArray()) return OkStatus();
    if (i.Is(kElementwise)) return Alike(i);
    if (i.opcode() == HloOpcode::kBroadcast) {
      for (int64_t d = 0; d < i.operand(0)->shape().rank(); ++d) {
        HLOIR_RETURN_IF_ERROR(MeetDimension(*i.operand(0), d, i, i.dimensions()[static_cast<size_t>(d)]));
        HLOIR_RETURN_IF_ERROR(MeetDimension(i, i.dimensions()[static_cast<size_t>(d)], *i.operand(0), d));
      }
    }
    if (i.opcode() == HloOpcode::kReshape || i.opcode() == HloOpcode::kDynamicReshape) {
      HLOIR_RETURN_IF_ERROR(SameCount(i, *i.operand(0)));
      return SameCount(*i.operand(0), i);
    }
    return OkStatus();
  }

  // Result and operands of an elementwise op, except scalars.
  Status Alike(HloInstruction& i) {
    for (HloInstruction* operand : i.operands()) {
      if (!operand->shape().IsArray() || operand->shape().rank() != i.shape().rank()) continue;
      for (int64_t d = 0; d < i.shape().rank(); ++d) {
        HLOIR_RETURN_IF_ERROR(MeetDimension(*operand, d, i, d));
        HLOIR_RETURN_IF_ERROR(MeetDimension(i, d, *operand, d));
      }
    }
    return OkStatus();
  }

  // The one unbounded dimension of `i`, which has as many elements as `other`.
  Status SameCount(HloInstruction& i, const HloInstruction& other) {
    if (HasUnbounded(other.shape()) || !HasUnbounded(i.shape())) return OkStatus();
    Shape shape = i.shape();
    int64_t unknown = -1, rest = 1;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (!shape.is_unbounded_dimension(d)) {
        if (__builtin_mul_overflow(rest, shape.dimensions(d), &rest)) return OkStatus();
      } else if (unknown >= 0) {
        return OkStatus();
      } else {
        unknown = d;
      }
    }
    const int64_t count = other.shape().ElementCount();
    if (rest == 0 || count % rest != 0)
      return InvalidArgument(Format("{} is {}, and {} is {}: they differ in their number of elements", i.name(),
                                    shape.ToString(false), other.name(), other.shape().ToString(false)));
    shape.set_dimension(unknown, count / rest);
    shape.set_dynamic_dimension(unknown, false);
    changed_ = true;
    i.set_shape(shape);
    return OkStatus();
  }

  // Parameters of called computations have the shapes of their arguments.
  Status Calls(HloInstruction& i) {
    const auto pass = [&](HloComputation& callee, int64_t parameter, const HloInstruction& argument) {
      return parameter < callee.parameter_count() ? Meet(*callee.parameter(parameter), argument.shape()) : OkStatus();
    };
    switch (i.opcode()) {
      case HloOpcode::kCall:
      case HloOpcode::kFusion:
      case HloOpcode::kAsyncStart:
        for (int64_t k = 0; k < i.operand_count(); ++k)
          HLOIR_RETURN_IF_ERROR(pass(*i.called_computations()[0], k, *i.operand(k)));
        return OkStatus();
      case HloOpcode::kWhile:
        HLOIR_RETURN_IF_ERROR(pass(*i.while_condition(), 0, *i.operand(0)));
        HLOIR_RETURN_IF_ERROR(pass(*i.while_body(), 0, *i.operand(0)));
        return Meet(*i.while_body()->root(), i.operand(0)->shape());
      case HloOpcode::kConditional:
        for (size_t k = 0; k < i.called_computations().size(); ++k)
          HLOIR_RETURN_IF_ERROR(pass(*i.called_computations()[k], 0, *i.operand(static_cast<int64_t>(k) + 1)));
        return OkStatus();
      default: return OkStatus();  // computations that other instructions call take scalars
    }
  }

  HloModule& module_;
  bool changed_ = true;
};

}  // namespace

bool HasUnboundedSizes(const HloModule& module) {
  for (const HloInstruction* i : module.AllInstructions())
    if (HasUnbounded(i->shape())) return true;
  return false;
}

Status BindSizes(HloModule& module, std::span<const Shape> leaves) {
  if (module.entry_computation() == nullptr) return InvalidArgument("a module without an entry computation");
  return Binder(module).Run(leaves);
}

}  // namespace hloir
