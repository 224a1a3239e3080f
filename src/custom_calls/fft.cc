// ducc_fft, by which JAX transformed on CPUs until 2024. Operands: a descriptor, a constant of u8 that is a flatbuffer
// (jaxlib's ducc_fft.fbs), and the array.
#include <optional>

#include "custom_calls/call.h"
#include "support/endian.h"
#include "support/format.h"

namespace hloir::custom_calls {
namespace {

// A table of a flatbuffer: little-endian numbers, found by offsets, each of which is checked.
class FlatTable {
 public:
  // The root of the buffer; nullopt if it does not hold one.
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
  // Where the field is; nullopt if it has its default.
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
enum DuccType : int8_t { kC2c, kC2r, kR2c };

}  // namespace

// scale · the transform along the last dimensions; neither direction is scaled by itself.
StatusOr<Op> DuccFft(const Call& call) {
  HloBuilder& b = call.b;
  const HloInstruction& i = call.instruction;
  if (call.x.size() != 2 || !i.operand(0)->IsConstant() || i.operand(0)->literal().elided() ||
      !IsStoredAs<uint8_t>(i.operand(0)->shape().element_type()))
    return Unknown(call, "it takes a descriptor, which must be a constant, and an array");
  const auto table = FlatTable::Root(i.operand(0)->literal().data<uint8_t>());
  if (!table) return Wrong(call, "its descriptor is not a flatbuffer of jaxlib's");
  const Op x = call.x[1];
  const Shape& result = call.Result();
  const auto type = table->Number<int8_t>(kType, kC2c);
  const bool forward = table->Number<uint8_t>(kForward, 0) != 0;
  const DimVector axes = table->Numbers<uint32_t>(kAxes);
  if (axes.empty() || static_cast<int64_t>(axes.size()) > std::min(int64_t{3}, result.rank()))
    return Unknown(call, Format("a transform along {} dimensions", axes.size()));
  DimVector lengths;
  double count = 1;
  const int64_t first = result.rank() - static_cast<int64_t>(axes.size());
  for (size_t k = 0; k < axes.size(); ++k) {
    if (axes[k] != first + static_cast<int64_t>(k)) return Unknown(call, "dimensions other than the last");
    lengths.push_back(type == kR2c ? x->shape().dimensions(axes[k]) : result.dimensions(axes[k]));
    count *= static_cast<double>(lengths.back());
  }
  const double scale = table->Number<double>(kScale, 0);
  const bool inverse = type == kC2r || (type == kC2c && !forward);
  const FftType kind = type == kR2c   ? FftType::kRfft
                       : type == kC2r ? FftType::kIrfft
                       : inverse      ? FftType::kIfft
                                      : FftType::kFft;
  const Op y = b.Fft(x, kind, lengths);
  // HLO's inverse divides by the number of elements.
  return call.Give({call.Scaled(y, inverse ? scale * count : scale)});
}

}  // namespace hloir::custom_calls
