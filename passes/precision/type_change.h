// Common parts of the passes that compute in another element type.
#pragma once

#include <string_view>

#include "hloir/rewrite_util.h"

namespace hloir {

// Computes the chosen ops in the type `to` in place of `from`, bf16 and f32 unless the derived class sets others:
// operands are converted, and the result is converted back.
class TypeChangePass : public RewritingPass {
 public:
  TypeChangePass(std::string_view name, const PassOptions& options, const RuleInfo& rule)
      : RewritingPass(name, options), rule_(rule) {}
  StatusOr<bool> Run(HloModule& module) override;

 protected:
  virtual Status CheckTypes() const { return OkStatus(); }
  // True if its result is an array and it calls no computation.
  virtual bool Wants(const HloInstruction& i) const = 0;
  // The class of the rewrite of an op.
  virtual MathMode ClassOf(const HloInstruction& i) const;
  static bool Reads(const HloInstruction& i, PrimitiveType type);

  PrimitiveType from_ = PrimitiveType::BF16, to_ = PrimitiveType::F32;

 private:
  RuleInfo rule_;
};

}  // namespace hloir
