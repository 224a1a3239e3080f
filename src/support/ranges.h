// all_of, any_of and equal of whole ranges: std::ranges has them, but libc++ 14 not yet.
#pragma once

#include <algorithm>
#include <iterator>

namespace hloir {

template <class Range, class F>
bool AllOf(const Range& range, const F& f) {
  return std::all_of(std::begin(range), std::end(range), f);
}
template <class Range, class F>
bool AnyOf(const Range& range, const F& f) {
  return std::any_of(std::begin(range), std::end(range), f);
}
template <class A, class B>
bool SameElements(const A& a, const B& b) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}

}  // namespace hloir
