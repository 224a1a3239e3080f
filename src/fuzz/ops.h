// Random instructions, by family: each adds one or a few to the computation under construction, with existing values as
// operands, or nothing (nullptr) if the random choices are illegal. Used by programs.cc.
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
  // A running sum long enough to be split.
  Op LongScan();
  // The same operation on both halves of some arrays.
  Op OnHalves(Op x);
  // The largest element and its index: a reduction of two arrays.
  Op ArgMax(Op x);
  // A loop over slices, as one instruction.
  Op Scan(Op x);
  // The first after sorting.
  Op Best(Op x);
  Op Contraction();
  // Grouped, of pred, or over four dimensions.
  Op OtherConvolution();
  Op Indexed();
  // A gather or scatter in batches.
  Op Batched(Op x);
  Op Whole();
  // Ops that forward arrays: asynchronous copies, collectives of one device, bitcasts.
  Op Plumbing();

 private:
  Op InTwoHalves(Op x);
  Op BetweenDevices(Op x);
};

}  // namespace hloir::fuzz
