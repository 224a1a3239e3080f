// See elided.h.
#include "io/elided.h"

#include <utility>
#include <vector>

#include "hloir/io.h"
#include "support/format.h"
#include "support/random.h"

namespace hloir {
namespace {

uint64_t HashOf(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a, the same on every machine
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

template <class GetValue>
Literal Filled(const Shape& shape, GetValue get_value) {
  // Converts through a wide type, because types under a byte must stay within their width.
  const PrimitiveType type = shape.element_type();
  const bool is_complex = IsComplex(type);
  Shape wide = shape;
  if (!is_complex) wide.set_element_type(IsFloat(type) ? PrimitiveType::F64 : PrimitiveType::S64);
  Literal literal(wide);
  for (int64_t i = 0; i < literal.element_count(); ++i) literal.SetFromDouble(i, get_value(i));
  return is_complex ? literal : literal.Convert(type);
}

// From -1 to 1; for integers, which may be indices, 0 and 1.
Literal RandomLiteral(const Shape& shape, uint64_t seed) {
  Random random(seed);
  const bool is_integer = !IsFloat(shape.element_type()) && !IsComplex(shape.element_type());
  return Filled(shape,
                [&](int64_t) { return is_integer ? static_cast<double>(random.Below(2)) : 2 * random.Uniform() - 1; });
}

StatusOr<Literal> ValueOf(const HloInstruction& constant, const ElidedValues& values, std::vector<Literal>& from_file,
                          int64_t number) {
  const Shape& shape = constant.shape();
  switch (values.how) {
    case ElidedValues::How::kRefuse: break;
    case ElidedValues::How::kAssume: return RandomLiteral(shape, HashOf(shape.ToString(false)));
    case ElidedValues::How::kZeros: return Filled(shape, [](int64_t) { return 0.0; });
    case ElidedValues::How::kIota: return Filled(shape, [](int64_t i) { return static_cast<double>(i); });
    case ElidedValues::How::kRandom: return RandomLiteral(shape, HashOf(constant.name()));
    case ElidedValues::How::kFile: {
      if (number >= static_cast<int64_t>(from_file.size()))
        return InvalidArgument(Format("{} has no c{}, the value of {}", values.file, number, constant.name()));
      Literal value = std::move(from_file[static_cast<size_t>(number)]);
      if (!value.shape().Compatible(shape)) {
        return InvalidArgument(Format("{}: c{} is {}, but {} is {}", values.file, number, value.shape().ToString(false),
                                      constant.name(), shape.ToString(false)));
      }
      return value;
    }
  }
  return Internal("no values");
}

}  // namespace

StatusOr<ElidedValues> ParseElidedValues(const std::string& text) {
  using How = ElidedValues::How;
  constexpr std::pair<std::string_view, How> kWords[] = {{"refuse", How::kRefuse},
                                                         {"assume", How::kAssume},
                                                         {"zeros", How::kZeros},
                                                         {"iota", How::kIota},
                                                         {"random", How::kRandom}};
  for (const auto& [word, how] : kWords)
    if (text == word) return ElidedValues{how, {}};
  if (text.ends_with(".npz")) return ElidedValues{How::kFile, text};
  return InvalidArgument(Format("expected refuse, assume, zeros, iota, random or a file .npz, not '{}'", text));
}

StatusOr<int64_t> FillElided(HloModule& module, const ElidedValues& values) {
  if (values.how == ElidedValues::How::kRefuse) return 0;
  std::vector<Literal> from_file;
  if (values.how == ElidedValues::How::kFile) {
    HLOIR_ASSIGN_OR_RETURN(from_file, ReadNpz(values.file, "c"));
  }
  int64_t count = 0;
  for (HloComputation* computation : module.PostOrder()) {
    for (HloInstruction* i : computation->PostOrder()) {
      if (!i->IsConstant() || !i->shape().IsArray() || !i->literal().elided()) continue;
      HLOIR_ASSIGN_OR_RETURN(Literal value, ValueOf(*i, values, from_file, count++));
      value.set_shape_layout(i->shape());
      i->mutable_attributes<ConstantAttributes>().literal = std::move(value);
    }
  }
  if (values.how == ElidedValues::How::kFile && count != static_cast<int64_t>(from_file.size()))
    return InvalidArgument(
        Format("{} has {} arrays, but {} constants have no values", values.file, from_file.size(), count));
  return count;
}

}  // namespace hloir
