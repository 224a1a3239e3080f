// The representation of a type's elements in memory, for code that copies or reinterprets them. Tests: those of
// literals and bitcasts, on a big-endian machine (scripts/test-cross s390x).
#pragma once

#include <cstddef>

#include "hloir/primitive_type.h"
#include "support/endian.h"

namespace hloir {

// The width of an element's numbers; a complex element has two.
inline size_t NumberBytes(PrimitiveType type) {
  return static_cast<size_t>(StorageBytes(type)) / (IsComplex(type) ? 2 : 1);
}

// True if memory of numbers of one type may be read as numbers of the other, as bitcast does. The padding of a byte
// beside a narrow number depends on the type: copies of the sign, or zeros.
inline bool SameInMemory(PrimitiveType a, PrimitiveType b) {
  const auto whole = [](PrimitiveType type) {
    return type != PrimitiveType::PRED && BitWidth(type) == 8 * StorageBytes(type);
  };
  return a == b || (whole(a) && whole(b) && (!kBigEndian || NumberBytes(a) == NumberBytes(b)));
}

}  // namespace hloir
