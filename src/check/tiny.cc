// See tiny.h. Covered by tests/unit/meaning_test.cc.
#include "check/tiny.h"

#include "check/judge.h"

namespace hloir::check {

TinyComparer::Flushed::Flushed(const Subject& a, const Subject& b, FlushMode mode)
    : modules{FlushTiny(a.module(), mode), FlushTiny(b.module(), mode)},
      before(*modules[0], a.context()),
      after(*modules[1], b.context()),
      meaning(before, after) {
  before.set_pairs(a.pairs()), after.set_pairs(b.pairs());
}

std::optional<Comparison> TinyComparer::Agree(size_t set, Nonfinite nonfinite) {
  // Zeros that one of the two has folded may have had either sign, which they have for good.
  for (const FlushMode mode : {FlushMode::kPlus, FlushMode::kPlusIfComputed, FlushMode::kMinusIfRounded}) {
    std::unique_ptr<Flushed>& made = flushed_[mode];
    if (!made) made = std::make_unique<Flushed>(before_, after_, mode);
    Flushed& flushed = *made;
    const auto judge = [&](const StatusOr<Results>& a, const StatusOr<Results>& b) {
      return Judge(*a, flushed.before, *b, flushed.after, set, /*exact=*/false);
    };
    const StatusOr<Results>&a = flushed.before.Result(set), &b = flushed.after.Result(set);
    if (!a.ok() || !b.ok()) return {};
    Comparison comparison = judge(a, b);
    const bool means_the_same = comparison.agree && flushed.meaning.Compare(set, nonfinite).agree;
    flushed.before.DropVariants(), flushed.after.DropVariants();
    if (!means_the_same) continue;
    const StatusOr<Results>&x = flushed.before.OtherResult(set), &y = flushed.after.OtherResult(set);
    if (x.ok() && y.ok() && judge(x, y).agree) return comparison;
  }
  return {};
}

}  // namespace hloir::check
