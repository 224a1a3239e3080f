// See judge.h. Covered by tests/unit/check_test.cc.
#include "check/judge.h"

#include <algorithm>
#include <span>
#include <utility>

#include "check/compare.h"
#include "check/thresholds.h"
#include "support/format.h"

namespace hloir::check {
namespace {

Errors Sum(Errors a, const Errors& b) {
  for (size_t d = 0; d < a.size(); ++d) {
    for (size_t i = 0; i < a[d].size(); ++i)
      a[d][i] = thresholds::kErrorFactor * (a[d][i] + (d < b.size() && i < b[d].size() ? b[d][i] : 0));
  }
  return a;
}

}  // namespace

Comparison CompareOnAll(const Results& a, const Results& b, const Tolerance& tolerance, const Errors& errors) {
  Comparison all;
  all.agree = a.size() == b.size();
  for (size_t d = 0; d < std::min(a.size(), b.size()); ++d) {
    const std::span<const double> allowed =
        d < errors.size() ? std::span<const double>(errors[d]) : std::span<const double>();
    Comparison one = Compare(a[d], b[d], tolerance, allowed);
    all.agree = all.agree && one.agree;
    for (LeafDifference& leaf : one.leaves) {
      if (a.size() > 1) leaf.where = Format("device{}.{}", d, leaf.where);
      all.leaves.push_back(std::move(leaf));
    }
  }
  return all;
}

Comparison Judge(const Results& a, ModuleUnderTest& of_a, const Results& b, ModuleUnderTest& of_b, size_t set,
                 bool exact, const Errors& meant) {
  Comparison first = CompareOnAll(a, b, {.exact = exact}, {});
  if (exact || first.agree) return first;
  Errors allowed = Sum(of_a.ErrorsOf(a, set), of_b.ErrorsOf(b, set));
  for (size_t d = 0; d < std::min(allowed.size(), meant.size()); ++d) {
    for (size_t i = 0; i < std::min(allowed[d].size(), meant[d].size()); ++i) allowed[d][i] += meant[d][i];
  }
  return CompareOnAll(a, b, {}, allowed);
}

}  // namespace hloir::check
