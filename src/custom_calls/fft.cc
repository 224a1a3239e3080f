// ducc_fft and dynamic_ducc_fft, JAX's Fourier transforms on CPUs until 2024. The first operand is a descriptor, a
// constant of u8 that is a flatbuffer (jaxlib's ducc_fft.fbs), the second the array. Tests:
// tests/ops/custom-call-ducc-fft.hlo.
#include <algorithm>
#include <optional>

#include "custom_calls/call.h"
#include "support/endian.h"
#include "support/format.h"

namespace hloir::custom_calls {
namespace {

// A table of a flatbuffer: little-endian numbers, accessed by bounds-checked offsets.
class FlatTable {
 public:
  // The root of the buffer; nullopt if it is invalid.
  static std::optional<FlatTable> Root(std::span<const uint8_t> bytes) {
    FlatTable table(bytes);
    const auto start = table.Read<uint32_t>(0);
    const auto back = start ? table.Read<int32_t>(*start) : std::nullopt;
    if (!back || static_cast<int64_t>(*start) < *back || static_cast<int64_t>(*start) - *back > table.Size())
      return std::nullopt;
    table.table_ = *start;
    table.fields_ = static_cast<int64_t>(*start) - *back;
    const auto length = table.Read<uint16_t>(table.fields_);
    if (!length) return std::nullopt;
    table.fields_length_ = *length;
    return table;
  }
  template <class T>
  T Number(int field, T otherwise) const {
    const auto at = Place(field);
    return at ? Read<T>(*at).value_or(otherwise) : otherwise;
  }
  template <class T>
  DimVector Numbers(int field) const {
    DimVector numbers;
    const auto at = Place(field);
    const auto offset = at ? Read<uint32_t>(*at) : std::nullopt;
    const auto count = offset ? Read<uint32_t>(*at + *offset) : std::nullopt;
    for (uint32_t i = 0; count && i < *count && i < 64; ++i) {
      const auto number = Read<T>(*at + *offset + 4 + int64_t{i} * static_cast<int64_t>(sizeof(T)));
      numbers.push_back(number ? static_cast<int64_t>(*number) : -1);
    }
    return numbers;
  }

 private:
  explicit FlatTable(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  int64_t Size() const { return static_cast<int64_t>(bytes_.size()); }
  template <class T>
  std::optional<T> Read(int64_t at) const {
    if (at < 0 || at > Size() - static_cast<int64_t>(sizeof(T))) return std::nullopt;
    return LoadLittleEndian<T>(bytes_.data() + at);
  }
  // The position of the field; nullopt if it has its default.
  std::optional<int64_t> Place(int field) const {
    const int64_t entry = 4 + 2 * field;
    const auto offset = entry + 2 <= fields_length_ ? Read<uint16_t>(fields_ + entry) : std::nullopt;
    if (!offset || *offset == 0) return std::nullopt;
    return table_ + *offset;
  }

  std::span<const uint8_t> bytes_;
  int64_t table_ = 0, fields_ = 0, fields_length_ = 0;
};

enum DuccField { kDtype, kType, kShape, kStridesIn, kStridesOut, kAxes, kForward, kScale };
enum DynamicField { kDimensions, kDynamicDtype, kDynamicType, kDynamicAxes, kDynamicForward };
enum DuccType : int8_t { kC2c, kC2r, kR2c };

StatusOr<FlatTable> Descriptor(const Call& call) {
  const HloInstruction& i = call.instruction;
  if (call.x.size() < 2 || !i.operand(0)->IsConstant() || i.operand(0)->literal().elided() ||
      !IsStoredAs<uint8_t>(i.operand(0)->shape().element_type()))
    return Unknown(call, "it takes a descriptor, which must be a constant, and an array");
  const auto table = FlatTable::Root(i.operand(0)->literal().data<uint8_t>());
  if (!table) return Wrong(call, "its descriptor is not a flatbuffer of jaxlib's");
  return *table;
}

// The transform along the last dimensions, not scaled.
StatusOr<Op> Transform(const Call& call, int8_t type, bool forward, const DimVector& axes) {
  const Op x = call.x[1];
  const Shape& result = call.Result();
  if (axes.empty() || static_cast<int64_t>(axes.size()) > std::min(int64_t{3}, result.rank()))
    return Unknown(call, Format("a transform along {} dimensions", axes.size()));
  if (x->shape().rank() != result.rank()) return Wrong(call, "its result has another number of dimensions");
  DimVector lengths;
  double count = 1;
  const int64_t first = result.rank() - static_cast<int64_t>(axes.size());
  for (size_t k = 0; k < axes.size(); ++k) {
    if (axes[k] != first + static_cast<int64_t>(k)) return Unknown(call, "dimensions other than the last");
    lengths.push_back(type == kR2c ? x->shape().dimensions(axes[k]) : result.dimensions(axes[k]));
    count *= static_cast<double>(lengths.back());
  }
  const bool inverse = type == kC2r || (type == kC2c && !forward);
  const FftType kind = type == kR2c   ? FftType::kRfft
                       : type == kC2r ? FftType::kIrfft
                       : inverse      ? FftType::kIfft
                                      : FftType::kFft;
  const Op y = call.b.Fft(x, kind, lengths);
  return inverse ? call.Scaled(y, count) : y;  // HLO's inverse divides by the number of elements
}

}  // namespace

StatusOr<Op> DuccFft(const Call& call) {
  HLOIR_ASSIGN_OR_RETURN(const FlatTable table, Descriptor(call));
  if (call.x.size() != 2) return Wrong(call, Format("expected 2 operands, got {}", call.x.size()));
  HLOIR_ASSIGN_OR_RETURN(const Op y,
                         Transform(call, table.Number<int8_t>(kType, kC2c), table.Number<uint8_t>(kForward, 0) != 0,
                                   table.Numbers<uint32_t>(kAxes)));
  return call.Give({call.Scaled(y, table.Number<double>(kScale, 0))});
}

// Operands: descriptor, array, its sizes, strides of array and result, the scale (f64[1]); optionally the result's
// sizes. Sizes and row-major strides are taken from the HLO shapes; the operands are ignored.
StatusOr<Op> DynamicDuccFft(const Call& call) {
  HloBuilder& b = call.b;
  HLOIR_ASSIGN_OR_RETURN(const FlatTable table, Descriptor(call));
  if (call.x.size() < 6 || call.x[5]->shape().ElementCount() != 1)
    return Wrong(call, "it takes a descriptor, an array, sizes, strides of both and a scale");
  HLOIR_ASSIGN_OR_RETURN(
      const Op y, Transform(call, table.Number<int8_t>(kDynamicType, kC2c),
                            table.Number<uint8_t>(kDynamicForward, 0) != 0, table.Numbers<uint32_t>(kDynamicAxes)));
  if (y == nullptr) return Wrong(call, "its array does not fit its kind");
  const Op scale = call.As(b.Reshape(call.x[5], {}), y->shape().element_type());
  return call.Give({b.Multiply(y, b.Broadcast(scale, y->shape().dimensions(), {}))});
}

}  // namespace hloir::custom_calls
