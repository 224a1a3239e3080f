// Attributes to and from the fields of a message that have the same names: ReadByName and WriteByName, instantiated for
// every struct of attributes.def. Fields with a different name or kind are skipped; CoveredByName is false if there are
// any.
#pragma once

#include <exception>
#include <string>
#include <type_traits>

#include "values.h"

namespace hloir {

// An error for a number without an enumerator; any enumerator would change the instruction.
struct UnknownNumber : std::exception {
  const char* what() const noexcept override { return "an enum has a number that is not known"; }
};

template <class E>
E ToEnum(int64_t number) {
  if (number < 0 || number >= static_cast<int64_t>(EnumWords<E>().size())) throw UnknownNumber();
  return static_cast<E>(number);
}

// ---- The kinds of fields with a direct conversion.
inline void FromField(int64_t from, int64_t& to) { to = from; }
inline void ToField(int64_t from, int64_t& to) { to = from; }
template <std::same_as<bool> T>  // and nothing that converts to bool
void FromField(const T& from, bool& to) {
  to = from;
}
template <std::same_as<bool> T>
void ToField(bool from, T& to) {
  to = from;
}
inline void FromField(float from, float& to) { to = from; }
inline void ToField(float from, float& to) { to = from; }
inline void FromField(const proto::Int64s& from, DimVector& to) { to = ToDims(from); }
inline void ToField(const DimVector& from, proto::Int64s& to) { to = ToInt64s(from); }
template <class E>
requires std::is_enum_v<E>
void FromField(const int64_t& from, E& to) { to = ToEnum<E>(from); }
template <class E>
requires std::is_enum_v<E>
void ToField(E from, int64_t& to) { to = static_cast<int64_t>(from); }
inline void FromField(const std::optional<proto::Window>& from, Window& to) {
  if (from.has_value()) to = FromProto(*from);
}
inline void ToField(const Window& from, std::optional<proto::Window>& to) { to = ToProto(from); }

#define HLOIR_STRUCT(type) \
  template <class Message> \
  void ReadByName(const Message& m, type& a) {
#define HLOIR_FIELD(ctype, name, default_value, rule) \
  if constexpr (requires { FromField(m.name, a.name); }) FromField(m.name, a.name);
#define HLOIR_END(type) }
#include "hloir/attributes.def"
#undef HLOIR_STRUCT
#undef HLOIR_FIELD

#define HLOIR_STRUCT(type) \
  template <class Message> \
  void WriteByName(const type& a, Message& m) {
#define HLOIR_FIELD(ctype, name, default_value, rule) \
  if constexpr (requires { ToField(a.name, m.name); }) ToField(a.name, m.name);
#include "hloir/attributes.def"
#undef HLOIR_STRUCT
#undef HLOIR_FIELD
#undef HLOIR_END

#define HLOIR_STRUCT(type)                                  \
  template <class Message>                                  \
  constexpr bool CoveredByName(const Message* m, type* a) { \
    return (m == nullptr || a == nullptr)
#define HLOIR_FIELD(ctype, name, default_value, rule) \
  &&requires { FromField(m->name, a->name); }
#define HLOIR_END(type) \
  ;                     \
  }
#include "hloir/attributes.def"
#undef HLOIR_STRUCT
#undef HLOIR_FIELD
#undef HLOIR_END

}  // namespace hloir
