// E: an expression type with overloaded operators for XLA's expansions of functions. Numbers as operands of an operator
// are splats. New ops are inserted before the current op, and are simplified like all others. The functions are in
// elementary.cc and special.cc.
#pragma once

#include <limits>

#include "simplify.h"

namespace hloir::stablehlo {

struct E {
  Simplifier* s;
  const Operation* like;
  Value* v;

  PrimitiveType type() const { return v->shape().element_type(); }
  Shape Of(PrimitiveType type) const { return Shape::Array(type, v->shape().dimensions()); }
  // `name`: of a StableHLO op of one result.
  E Make(std::string_view name, std::initializer_list<Value*> operands, const Shape& shape) const;
  E Unary(std::string_view name) const;
  E Binary(std::string_view name, E y) const;
  // Infinities and NaN unchanged, other numbers rounded to the type.
  E Full(double value) const;
  E FullInteger(int64_t value) const { return {s, like, s->NewInteger(*like, Of(type()), value)}; }
  friend E operator+(E x, E y);
  friend E operator-(E x, E y);
  friend E operator*(E x, E y);
  friend E operator/(E x, E y);
  friend E operator+(E x, double y);
  friend E operator-(E x, double y);
  friend E operator*(E x, double y);
  friend E operator/(E x, double y);
  friend E operator-(double x, E y);
  friend E operator/(double x, E y);
  friend E operator-(E x);
};

// `direction`: "LT", "EQ" and so on.
inline E Compare(E x, const char* direction, E y) {
  const E made = x.Make("stablehlo.compare", {x.v, y.v}, x.Of(PrimitiveType::PRED));
  Attribute word;
  word.kind = Attribute::Kind::kDialect;
  word.text = direction;
  Simplifier::Set(*made.v->op, "comparison_direction", std::move(word));
  return made;
}
inline E Less(E x, double y) { return Compare(x, "LT", x.Full(y)); }
inline E Equal(E x, double y) { return Compare(x, "EQ", x.Full(y)); }
inline E Or(E x, E y) { return x.Binary("stablehlo.or", y); }
inline E And(E x, E y) { return x.Binary("stablehlo.and", y); }
inline E Not(E x) { return x.Unary("stablehlo.not"); }
inline E Select(E pred, E yes, E no) { return yes.Make("stablehlo.select", {pred.v, yes.v, no.v}, yes.v->shape()); }
inline E Abs(E x) { return x.Unary("stablehlo.abs"); }
inline E Exp(E x) { return x.Unary("stablehlo.exponential"); }
inline E Expm1(E x) { return x.Unary("stablehlo.exponential_minus_one"); }
inline E Log(E x) { return x.Unary("stablehlo.log"); }
inline E Log1p(E x) { return x.Unary("stablehlo.log_plus_one"); }
inline E Sqrt(E x) { return x.Unary("stablehlo.sqrt"); }
inline E Floor(E x) { return x.Unary("stablehlo.floor"); }
inline E Sin(E x) { return x.Unary("stablehlo.sine"); }
inline E Cos(E x) { return x.Unary("stablehlo.cosine"); }
inline E Sign(E x) { return x.Unary("stablehlo.sign"); }
inline E Power(E x, E y) { return x.Binary("stablehlo.power", y); }
inline E Remainder(E x, double y) { return x.Binary("stablehlo.remainder", x.Full(y)); }
inline E Atan2(E y, E x) { return y.Binary("stablehlo.atan2", x); }
inline E Max(E x, E y) { return x.Binary("stablehlo.maximum", y); }
inline E Min(E x, E y) { return x.Binary("stablehlo.minimum", y); }
inline E IsFinite(E x) { return x.Make("stablehlo.is_finite", {x.v}, x.Of(PrimitiveType::PRED)); }
inline E Real(E z) { return z.Make("stablehlo.real", {z.v}, z.Of(ComplexComponentType(z.type()))); }
inline E Imag(E z) { return z.Make("stablehlo.imag", {z.v}, z.Of(ComplexComponentType(z.type()))); }
inline E MakeComplex(E re, E im) {
  return re.Make("stablehlo.complex", {re.v, im.v},
                 re.Of(re.type() == PrimitiveType::F64 ? PrimitiveType::C128 : PrimitiveType::C64));
}
inline E ConvertTo(E x, PrimitiveType type) { return x.Make("stablehlo.convert", {x.v}, x.Of(type)); }
inline E BitcastTo(E x, PrimitiveType type) { return x.Make("stablehlo.bitcast_convert", {x.v}, x.Of(type)); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The expansion of XLA's converter for the function of that name ("asin", "log_plus_one", without the dialect); an E
// with null `v` if HLO has an instruction for it. elementary.cc: real and complex elementary functions. special.cc:
// special functions, also of two operands (`y`; x again for functions of one).
bool IsElementary(std::string_view name);
E Elementary(std::string_view name, E x);
E Special(std::string_view name, E x, E y);

}  // namespace hloir::stablehlo
