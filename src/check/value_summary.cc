// Summarizes a value in one line: see ValueSummary in check.h.

#include <algorithm>
#include <cmath>
#include <limits>

#include "hloir/check.h"
#include "support/format.h"

namespace hloir {

std::string ValueSummary(const Literal& value) {
  const Shape& shape = value.shape();
  if (shape.IsTuple()) return Format("tuple of {}", value.elements().size());
  if (!shape.IsArray()) return shape.ToString(false);
  const std::string type = shape.ToString(false);
  if (shape.rank() == 0) return type + " " + value.ToString();
  const bool complex = IsComplex(shape.element_type());
  double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
  int64_t zeros = 0, nans = 0, infinities = 0, finite = 0;
  for (int64_t i = 0; i < value.element_count(); ++i) {
    const double x = complex ? std::abs(value.GetAsComplex(i)) : value.GetAsDouble(i);
    if (std::isnan(x)) ++nans;
    else if (std::isinf(x)) ++infinities;
    else {
      ++finite, sum += x, zeros += x == 0;
      low = std::min(low, x), high = std::max(high, x);
    }
  }
  std::string text = type;
  if (finite > 0)
    text += Format(" {}min {:.6g} max {:.6g} mean {:.6g}", complex ? "magnitudes: " : "", low, high,
                   sum / static_cast<double>(finite));
  if (zeros > 0) text += Format(" zeros {}", zeros);
  if (nans > 0) text += Format(" nan {}", nans);
  if (infinities > 0) text += Format(" inf {}", infinities);
  return text;
}

}  // namespace hloir
