// Random instructions, by family: each adds one or a few to the computation that is being made, from values that are there, or
// nothing (nullptr) if the ingredients did not fit. Used by random_module.cc.
#pragma once

#include "tests/random/random_values.h"

namespace hloir {

class RandomOps : public RandomValues {
 public:
  using RandomValues::RandomValues;

 protected:
  Op Elementwise();
  Op Movement();
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
  Op Contraction();
  Op Indexed();
  Op Whole();
};

}  // namespace hloir
