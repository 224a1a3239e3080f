// Attributes of instructions: their types (window, padding, sharding, metadata, …), and for each kind of op a struct of
// its attributes, generated from attributes.def.
//
// Threads: values; each thread uses its own, and any number may read one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "hloir/literal.h"
#include "hloir/opcode.h"
#include "hloir/shape.h"

#pragma GCC visibility push(default)
namespace hloir {

class HloInstruction;

// Enumerations with their HLO words. EnumWords<E>() lists the words in the order of the enumerators.
#define HLOIR_ENUM(type) enum class type : uint8_t {
#define HLOIR_VALUE(name, text) name,
#define HLOIR_ENUM_END(type) \
  }                          \
  ;
#include "hloir/enums.def"
#undef HLOIR_ENUM
#undef HLOIR_VALUE
#undef HLOIR_ENUM_END

template <class E>
inline constexpr bool kHasEnumWords = false;
template <class E>
constexpr std::span<const std::string_view> EnumWords();
// The words live at namespace scope: a C++20 constexpr function may hold no static.
#define HLOIR_ENUM(type) inline constexpr std::string_view kWordsOf##type[] = {
#define HLOIR_VALUE(name, text) text,
#define HLOIR_ENUM_END(type)                                      \
  }                                                               \
  ;                                                               \
  template <>                                                     \
  inline constexpr bool kHasEnumWords<type> = true;               \
  template <>                                                     \
  constexpr std::span<const std::string_view> EnumWords<type>() { \
    return {kWordsOf##type, std::size(kWordsOf##type)};           \
  }
#include "hloir/enums.def"
#undef HLOIR_ENUM
#undef HLOIR_VALUE
#undef HLOIR_ENUM_END
template <class E>
constexpr std::string_view EnumWord(E value) {
  return EnumWords<E>()[static_cast<size_t>(value)];
}

using BoolList = std::vector<bool>;
using PrecisionList = std::vector<Precision>;
using OptionalBool = std::optional<bool>;
using OptionalInt64 = std::optional<int64_t>;
using OptionalShape = std::optional<Shape>;
using OptionalShapeList = std::optional<std::vector<Shape>>;
using Int64Pairs = std::vector<std::pair<int64_t, int64_t>>;
using Int64Lists = std::vector<DimVector>;

// The comparison with its operands exchanged: kGt for kLt.
constexpr ComparisonDirection Flipped(ComparisonDirection direction) {
  using D = ComparisonDirection;
  switch (direction) {
    case D::kEq:
    case D::kNe: return direction;
    case D::kGe: return D::kLe;
    case D::kGt: return D::kLt;
    case D::kLe: return D::kGe;
    case D::kLt: return D::kGt;
  }
  return direction;
}

// [start:limit:stride] of one dimension.
struct SliceRange {
  int64_t start = 0, limit = 0, stride = 1;
  bool operator==(const SliceRange&) const = default;
};
using SliceRanges = SmallVector<SliceRange, 4>;

// Padding of one dimension: before, behind and between its elements.
struct PaddingDimension {
  int64_t low = 0, high = 0, interior = 0;
  bool operator==(const PaddingDimension&) const = default;
};
using PaddingConfig = SmallVector<PaddingDimension, 4>;

// One dimension of a window: size, stride, padding and dilations.
struct WindowDimension {
  int64_t size = 1, stride = 1, padding_low = 0, padding_high = 0;
  int64_t base_dilation = 1;    // lhs_dilate
  int64_t window_dilation = 1;  // rhs_dilate
  bool window_reversal = false;
  bool operator==(const WindowDimension&) const = default;
};
using Window = SmallVector<WindowDimension, 2>;
using OptionalWindow = std::optional<Window>;

// dim_labels: the positions of batch, feature and spatial dimensions in input, kernel and output.
struct ConvDimensionNumbers {
  int64_t input_batch = 0, input_feature = 0, kernel_input_feature = 0, kernel_output_feature = 0, output_batch = 0,
          output_feature = 0;
  DimVector input_spatial, kernel_spatial, output_spatial;
  bool operator==(const ConvDimensionNumbers&) const = default;
};
using OptionalConvDimensionNumbers = std::optional<ConvDimensionNumbers>;

// N:M sparsity of one side of a convolution.
struct SparsitySide {
  int64_t nonzero = 0, block = 0, dimension = 0, stride = 0, index = 0;
  bool operator==(const SparsitySide&) const = default;
};
// The sparse operands of a dot.
struct SparsityConfig {
  std::optional<SparsitySide> lhs, rhs;
  bool operator==(const SparsityConfig&) const = default;
};

// A literal that may be absent; comparable, as attributes are.
struct OptionalLiteral : std::optional<Literal> {
  using std::optional<Literal>::optional;
  bool operator==(const OptionalLiteral& other) const {
    return has_value() == other.has_value() && (!has_value() || (*this)->BitwiseEqual(*other));
  }
};

// {output index}: (operand, {operand index})
struct OutputOperandAlias {
  ShapeIndex output_index;
  int64_t operand = 0;
  ShapeIndex operand_index;
  bool operator==(const OutputOperandAlias&) const = default;
};
using OutputOperandAliasing = std::vector<OutputOperandAlias>;

// A list of device numbers, either written out or as the iota form: arange(product of reshape_dims) reshaped to
// reshape_dims, transposed by transpose_perm, read row-major.
struct DeviceList {
  DimVector iota_reshape_dims;    // empty: written out in `devices`
  DimVector iota_transpose_perm;  // as long as iota_reshape_dims
  std::vector<int64_t> devices;
  bool operator==(const DeviceList&) const = default;
  std::vector<int64_t> Expand() const;
};

// 'axis' or, with a size, 'axis':(pre_size)size, a part of it.
struct MeshAxisRef {
  std::string axis;
  int64_t sub_axis_pre_size = 0, sub_axis_size = 0;  // 0: the whole axis
  bool operator==(const MeshAxisRef&) const = default;
};
// A named arrangement of devices: mesh['x'=2, 'y'=4].
struct Mesh {
  std::vector<std::pair<std::string, int64_t>> axes;
  std::optional<DeviceList> device_ids;  // nothing: 0, 1, 2, …
  int64_t maximal_device_id = -1;        // maximal_mesh[device_id=n]
  bool operator==(const Mesh&) const = default;
};

// The groups of devices of a collective. v1: listed; v2: iota; v3: by the axes of a mesh.
struct ReplicaGroups {
  enum class Form : uint8_t { kList, kIota, kMesh };
  Form form = Form::kList;
  std::vector<std::vector<int64_t>> groups;  // kList; empty: one group of all devices
  int64_t num_groups = 0, group_size = 0;    // kIota
  DeviceList iota;                           // kIota
  Mesh mesh;                                 // kMesh
  std::vector<MeshAxisRef> axes;             // kMesh
  bool operator==(const ReplicaGroups&) const = default;
  std::vector<std::vector<int64_t>> Expand() const;  // as a list, whatever the form
};

// op_type, op_name, source_file, …: the origin of an instruction in the user's program.
template <class Text>
struct BasicOpMetadata {
  Text op_type, op_name, source_file, deduplicated_name, scheduling_name, metadata_payload;
  int64_t source_line = 0, source_end_line = 0, source_column = 0, source_end_column = 0;
  int64_t stack_frame_id = 0;
  DimVector profile_type;
  bool operator==(const BasicOpMetadata&) const = default;
  // The same with texts of another kind.
  template <class T>
  BasicOpMetadata<T> As() const {
    return {T(op_type),  T(op_name),      T(source_file), T(deduplicated_name), T(scheduling_name), T(metadata_payload),
            source_line, source_end_line, source_column,  source_end_column,    stack_frame_id,     profile_type};
  }
};
// An instruction's: its module keeps the texts.
using OpMetadata = BasicOpMetadata<std::string_view>;
// The metadata of a sharding, which owns its texts.
using OwnedOpMetadata = BasicOpMetadata<std::string>;

// The part of an array that each device holds, in the old and the new spelling.
struct Sharding {
  enum class Kind : uint8_t { kReplicated, kManual, kUnknown, kUnreduced, kMaximal, kTiled, kTuple, kNamed };
  Kind kind = Kind::kReplicated;
  // kTiled; kMaximal has one device.
  DimVector tile_dims;
  DeviceList devices;
  bool replicate_on_last_tile_dim = false;
  std::vector<Kind> last_tile_dims;  // the subgroup kinds of the last tile dimensions
  enum class Group : uint8_t { kNone, kAs, kLike };
  Group shard_group = Group::kNone;  // shard_as, shard_like
  int64_t shard_group_id = 0;
  std::vector<OwnedOpMetadata> metadata;
  std::vector<Sharding> tuple_elements;
  // kNamed: by the axes of a mesh.
  Mesh mesh;
  // One dimension of a sharding by axes.
  struct Dimension {
    std::vector<MeshAxisRef> axes;
    bool open = false;
    bool operator==(const Dimension&) const = default;
  };
  std::vector<Dimension> dimensions;
  std::vector<MeshAxisRef> replicated_axes, unreduced_axes, manual_axes;
  std::string unreduced_op;  // "", "sum", "max", "min"
  std::string named_kind;    // "replicated", "manual", "unreduced" for the short form; "" for the list form
  bool operator==(const Sharding&) const = default;
};

// The two shardings that a domain instruction separates.
struct DomainMetadata {
  std::string kind;
  std::optional<Sharding> entry, exit;
  bool operator==(const DomainMetadata&) const = default;
};

// key="value" or key={json}, sorted by key.
using FrontendAttributes = std::vector<std::pair<std::string, std::string>>;

// result_accuracy={…}: the required accuracy of a transcendental function.
struct ResultAccuracy {
  Precision mode = Precision::kDefault;  // default or highest
  bool has_tolerance = false;
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  bool operator==(const ResultAccuracy&) const = default;
};

// statistics={…}: named numbers for viewers.
struct Statistics {
  int64_t visualizing_index = 0;
  std::vector<std::pair<std::string, double>> values;
  bool operator==(const Statistics&) const = default;
};

// An array of the unoptimized module: the name of an instruction, and an index into its result.
using OriginalArray = std::pair<std::string, ShapeIndex>;

// origin={…}: for each leaf of the result, the corresponding array of the unoptimized module, as a tree of the result's
// shape.
struct OriginalValue {
  bool synthetic_call = false;
  bool is_tuple = false;
  std::optional<OriginalArray> leaf;
  std::vector<OriginalValue> elements;
  bool operator==(const OriginalValue&) const = default;
};

// The treatment of a field by parser and printer; see attributes.def.
enum class FieldRule : uint8_t { kRequired, kOptional, kAlways, kSpecial };

#define HLOIR_STRUCT(type) struct type {
#define HLOIR_FIELD(ctype, name, default_value, rule) ctype name = default_value;
#define HLOIR_END(type) \
  }                     \
  ;
#include "hloir/attributes.def"
#undef HLOIR_STRUCT
#undef HLOIR_FIELD
#undef HLOIR_END

// VisitFields(attributes, visit) calls visit(name, field, rule) for each field in printing order. Works on const and
// mutable structs alike.
#define HLOIR_STRUCT(type)           \
  template <class Self, class Visit> \
  requires(std::is_same_v<std::remove_const_t<Self>, type>) void VisitFields(Self& self, Visit&& visit) {
#define HLOIR_FIELD(ctype, name, default_value, rule) visit(std::string_view(#name), self.name, FieldRule::rule);
#define HLOIR_END(type) }
#include "hloir/attributes.def"
#undef HLOIR_STRUCT
#undef HLOIR_FIELD
#undef HLOIR_END

// A shared copy of the attributes of parameters and fusions, most of which have one of a few values; nullptr for any
// other value.
const ParameterAttributes* CommonAttributes(const ParameterAttributes& attributes);
const FusionAttributes* CommonAttributes(const FusionAttributes& attributes);

// The attributes of an opcode that has none.
struct NoAttributes {
  bool operator==(const NoAttributes&) const = default;
};

namespace internal {
// The structs by number.
enum AttributesIndex : uint8_t {
  kNoAttributesIndex,
#define HLOIR_STRUCT(type) k##type##Index,
#define HLOIR_FIELD(...)
#define HLOIR_END(type)
#include "hloir/attributes.def"
#undef HLOIR_STRUCT
};
template <class T>
inline constexpr AttributesIndex kAttributesIndex = kNoAttributesIndex;
#define HLOIR_STRUCT(type) \
  template <>              \
  inline constexpr AttributesIndex kAttributesIndex<type> = k##type##Index;
#include "hloir/attributes.def"
#undef HLOIR_STRUCT
}  // namespace internal

// The attributes of an instruction of any opcode: empty, or a pointer, not owning, to the opcode's struct. (A
// std::variant of as many types made each file that includes this a fifth slower to compile.)
class Attributes {
 public:
  Attributes() = default;
  template <class T>
  Attributes(const T* attributes) : attributes_(attributes), index_(internal::kAttributesIndex<T>) {
    static_assert(internal::kAttributesIndex<T> != internal::kNoAttributesIndex);
  }
  bool empty() const { return attributes_ == nullptr; }
  // nullptr: the attributes are of another type.
  template <class T>
  const T* GetIf() const {
    return index_ == internal::kAttributesIndex<T> ? static_cast<const T*>(attributes_) : nullptr;
  }
  // True if both hold the same type.
  bool SameType(const Attributes& other) const { return index_ == other.index_; }
  // Calls visit(const T&) with the struct, or with NoAttributes.
  template <class F>
  decltype(auto) Visit(F&& visit) const {
    switch (index_) {
      case internal::kNoAttributesIndex: break;
#define HLOIR_STRUCT(type)       \
  case internal::k##type##Index: \
    return visit(*static_cast<const type*>(attributes_));
#include "hloir/attributes.def"
#undef HLOIR_STRUCT
#undef HLOIR_FIELD
#undef HLOIR_END
    }
    return visit(NoAttributes());
  }

 private:
  friend class HloInstruction;  // which stores the two members more compactly
  Attributes(const void* attributes, internal::AttributesIndex index) : attributes_(attributes), index_(index) {}
  const void* attributes_ = nullptr;
  internal::AttributesIndex index_ = internal::kNoAttributesIndex;
};

// Calls f(std::type_identity<T>{}), T being the attribute struct of `opcode`, or NoAttributes.
template <class F>
decltype(auto) AttributesTypeSwitch(HloOpcode opcode, F&& f) {
  using None = NoAttributes;
  switch (opcode) {
#define HLOIR_OP(name, text, arity, attributes, ...) \
  case HloOpcode::k##name:                           \
    return f(std::type_identity<attributes>{});
#include "hloir/opcodes.def"
#undef HLOIR_OP
  }
  __builtin_unreachable();
}

}  // namespace hloir
#pragma GCC visibility pop
