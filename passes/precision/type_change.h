// Computing in another element type than the module says: what the passes that do away with one have in common.
#pragma once

#include <string_view>

#include "hloir/rewrite_util.h"

namespace hloir {

// What the pass wants is done in the type `to` where it has `from`, bf16 and f32 unless the derived class sets others:
// operands are converted, and the result is converted back.
class TypeChangePass : public RewritingPass {
 public:
  TypeChangePass(std::string_view name, const PassOptions& options, const RuleInfo& rule)
      : RewritingPass(name, options), rule_(rule) {}
  StatusOr<bool> Run(HloModule& module) override;

 protected:
  virtual Status CheckTypes() const { return OkStatus(); }
  // It gives an array, and calls no computation.
  virtual bool Wants(const HloInstruction& i) const = 0;
  // How far doing it in the other type may change results.
  virtual MathMode ClassOf(const HloInstruction& i) const;
  static bool Reads(const HloInstruction& i, PrimitiveType type);

  PrimitiveType from_ = PrimitiveType::BF16, to_ = PrimitiveType::F32;

 private:
  RuleInfo rule_;
};

}  // namespace hloir
