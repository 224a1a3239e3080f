// Random instructions, by family: each adds one or a few to the computation that is being made, from values that are
// there, or nothing (nullptr) if the ingredients did not fit. Used by programs.cc.
#pragma once

#include "fuzz/values.h"

namespace hloir::fuzz {

class RandomOps : public RandomValues {
 public:
  using RandomValues::RandomValues;

 protected:
  Op Elementwise();
  // Random rounding.
  Op StochasticConvert();
  Op Movement();
  // Dimensions in any order.
  Op AnyBroadcast(Op x);
  // Starts as one list.
  Op SliceByList(Op x);
  // Other sizes of the same product.
  DimVector Regroup(const DimVector& sizes);
  Op Reduction();
  // The gradient of pooling.
  Op SelectAndScatter(Op x);
  // A running sum that is long enough to be cut up.
  Op LongScan();
  // The same operation on both halves of some arrays.
  Op OnHalves(Op x);
  // The largest element and where it is: a reduction of two arrays.
  Op ArgMax(Op x);
  // A loop over slices, as one instruction.
  Op Scan(Op x);
  // The first after sorting.
  Op Best(Op x);
  Op Contraction();
  // In groups, of truth values, or over four dimensions.
  Op OtherConvolution();
  Op Indexed();
  // A gather or scatter in batches.
  Op Batched(Op x);
  Op Whole();
  // Ops that forward arrays: in two halves, between devices of a group of one, as the same bytes of another shape.
  Op Plumbing();

 private:
  Op InTwoHalves(Op x);
  Op BetweenDevices(Op x);
};

}  // namespace hloir::fuzz
