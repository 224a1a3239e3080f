// The verdict through hloir_c.h. See handles.h.
#include "hloir/check.h"

#include "handles.h"

using namespace hloir;
using namespace hloir::c_api;

struct hloir_verdict {
  Verdict verdict;
  std::string text, explanations;
};

static_assert(static_cast<int>(Answer::kProvedBitwise) == HLOIR_PROVED_BITWISE &&
              static_cast<int>(Answer::kTested) == HLOIR_TESTED &&
              static_cast<int>(Answer::kNotJudged) == HLOIR_NOT_JUDGED);

hloir_verdict* hloir_check(const hloir_module* before, const hloir_module* after, const hloir_check_options* options,
                           hloir_error** error) {
  return Guarded<hloir_verdict*>(error, [&]() -> StatusOr<hloir_verdict*> {
    HLOIR_RETURN_IF_ERROR(Given({{"before", before}, {"after", after}}));
    CheckOptions wanted;
    if (options != nullptr) {
      if (options->size < sizeof(hloir_check_options)) return InvalidArgument("hloir_check_options.size is not set");
      wanted.seed = options->seed;
      wanted.exact = options->exact;
    }
    HLOIR_ASSIGN_OR_RETURN(Verdict verdict, Check(*before->module, *after->module, {}, wanted));
    std::string text = verdict.ToString(), explanations;
    for (const std::string& one : verdict.explanations) explanations += (explanations.empty() ? "" : ", ") + one;
    return new hloir_verdict{std::move(verdict), std::move(text), std::move(explanations)};
  });
}

// A NULL verdict does not agree and has no text.

bool hloir_verdict_agrees(const hloir_verdict* verdict) { return verdict != nullptr && verdict->verdict.agrees(); }
hloir_answer hloir_verdict_answer(const hloir_verdict* verdict) {
  return verdict != nullptr ? static_cast<hloir_answer>(verdict->verdict.answer) : HLOIR_NOT_JUDGED;
}
hloir_text hloir_verdict_explanations(const hloir_verdict* verdict) {
  return verdict != nullptr ? Text(verdict->explanations) : hloir_text{};
}
bool hloir_verdict_finite_only(const hloir_verdict* verdict) {
  return verdict != nullptr && !verdict->verdict.finite_only.empty();
}
hloir_text hloir_verdict_text(const hloir_verdict* verdict) {
  return verdict != nullptr ? Text(verdict->text) : hloir_text{};
}
int64_t hloir_verdict_differing(const hloir_verdict* verdict) {
  return verdict != nullptr ? verdict->verdict.differing : 0;
}
double hloir_verdict_largest_relative(const hloir_verdict* verdict) {
  return verdict != nullptr ? verdict->verdict.largest_relative : 0;
}
void hloir_verdict_free(hloir_verdict* verdict) { delete verdict; }
