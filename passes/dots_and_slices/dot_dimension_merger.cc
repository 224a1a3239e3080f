// dot-dimension-merger: merges adjacent batch dimensions of a dot into one, and adjacent contracted ones.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   a = f32[2,3,4,5]{3,2,1,0} parameter(0)
//   b = f32[2,3,5,6]{3,2,1,0} parameter(1)
//   ROOT d = f32[2,3,4,6]{3,2,1,0} dot(a, b), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1},
//   rhs_contracting_dims={2}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   a = f32[2,3,4,5]{3,2,1,0} parameter(0)
//   ra = f32[6,4,5]{2,1,0} reshape(a)
//   b = f32[2,3,5,6]{3,2,1,0} parameter(1)
//   rb = f32[6,5,6]{2,1,0} reshape(b)
//   d = f32[6,4,6]{2,1,0} dot(ra, rb), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0},
//   rhs_contracting_dims={1} ROOT r = f32[2,3,4,6]{3,2,1,0} reshape(d)
// }
// END
//
// Merging contracted dimensions keeps the order in which products are summed, but an engine may sum one dimension in
// another order than two: of class rounding for floats. Not in the default pipeline, whose engine supports any dot.
// Leaves alone: dimensions that are adjacent on one side only.
#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

// True if entry k of the two lists follows entry k - 1 on both sides.
bool Continues(const DimVector& lhs, const DimVector& rhs, size_t k) {
  return k > 0 && lhs[k] == lhs[k - 1] + 1 && rhs[k] == rhs[k - 1] + 1;
}

// One side reshaped, and its dimension numbers with it. `joined`: the dimensions that are one with that before them.
HloBuilder::Op Join(HloBuilder& b, HloBuilder::Op x, const std::vector<bool>& joined, DimVector& batch,
                    DimVector& contracting) {
  DimVector sizes, where;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (joined[static_cast<size_t>(d)]) sizes.back() *= x->shape().dimensions(d);
    else sizes.push_back(x->shape().dimensions(d));
    where.push_back(static_cast<int64_t>(sizes.size()) - 1);
  }
  for (DimVector* list : {&batch, &contracting}) {
    DimVector kept;
    for (int64_t d : *list) {
      if (!joined[static_cast<size_t>(d)]) kept.push_back(where[d]);
    }
    *list = kept;
  }
  return b.Reshape(x, sizes);
}

// dot(A, B) => reshape(dot(reshape(A), reshape(B))), where the batch (or contracted) dimensions of a run are one
template <bool kBatch>
HloInstruction* Merge(HloInstruction* i, RuleContext& c) {
  const auto& a = i->attributes<DotAttributes>();
  const DimVector &lhs = kBatch ? a.lhs_batch_dims : a.lhs_contracting_dims,
                  &rhs = kBatch ? a.rhs_batch_dims : a.rhs_contracting_dims;
  bool any = false;
  for (size_t k = 1; k < lhs.size(); ++k) any = any || Continues(lhs, rhs, k);
  if (!any) return nullptr;
  return c.Expand([](HloBuilder& b, HloInstruction& i, HloBuilder::Ops x) -> HloBuilder::Op {
    DotAttributes a = i.attributes<DotAttributes>();
    const DimVector lhs = kBatch ? a.lhs_batch_dims : a.lhs_contracting_dims,
                    rhs = kBatch ? a.rhs_batch_dims : a.rhs_contracting_dims;
    std::vector<bool> joined_lhs(static_cast<size_t>(x[0]->shape().rank())),
        joined_rhs(static_cast<size_t>(x[1]->shape().rank()));
    for (size_t k = 1; k < lhs.size(); ++k) {
      if (!Continues(lhs, rhs, k)) continue;
      joined_lhs[static_cast<size_t>(lhs[k])] = true;
      joined_rhs[static_cast<size_t>(rhs[k])] = true;
    }
    HloBuilder::Op left = Join(b, x[0], joined_lhs, a.lhs_batch_dims, a.lhs_contracting_dims);
    HloBuilder::Op right = Join(b, x[1], joined_rhs, a.rhs_batch_dims, a.rhs_contracting_dims);
    HloBuilder::Op dot = b.Dot(left, right, a, i.shape().element_type());
    return dot == nullptr || dot->shape().SameDimensions(i.shape()) ? dot : b.Reshape(dot, i.shape().dimensions());
  });
}

constexpr Rule kDotDimensionMergerRules[] = {
    {HloOpcode::kDot, "merge-batch",
     "dot(A, B) => reshape(dot(reshape(A), reshape(B))), neighbouring batch dimensions as one", kExact, kExact,
     Merge<true>},
    {HloOpcode::kDot, "merge-contracted",
     "dot(A, B) => dot(reshape(A), reshape(B)), neighbouring contracted dimensions as one", kExact, kRounding,
     Merge<false>},
};

}  // namespace
}  // namespace rules

PassDefinition DefineDotDimensionMerger() { return rules::DefineRulePass(rules::kDotDimensionMergerRules); }

}  // namespace hloir
