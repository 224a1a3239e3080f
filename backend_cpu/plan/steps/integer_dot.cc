// See integer_dot.h. Test: tests/unit/executable_types_test.cc.
#include "plan/steps/integer_dot.h"

#include <algorithm>

#include "support/format.h"
#include "plan/steps/dot.h"

namespace hloir::cpu {
namespace {

class IntegerDotStep : public Step {
 public:
  IntegerDotStep(const DotAttributes& a, const View& lhs, const View& rhs)
      : batch_{Offsets(lhs, a.lhs_batch_dims), Offsets(rhs, a.rhs_batch_dims)},
        terms_{Offsets(lhs, a.lhs_contracting_dims), Offsets(rhs, a.rhs_contracting_dims)},
        rows_(Offsets(lhs, Rest(lhs, a.lhs_batch_dims, a.lhs_contracting_dims))),
        columns_(Offsets(rhs, Rest(rhs, a.rhs_batch_dims, a.rhs_contracting_dims))) {
    for (int64_t& offset : batch_[0]) offset += lhs.offset;
    for (int64_t& offset : batch_[1]) offset += rhs.offset;
  }
  bool Run(Runtime& runtime) override {
    const int64_t rows = static_cast<int64_t>(rows_.size()), columns = static_cast<int64_t>(columns_.size());
    const int64_t all = static_cast<int64_t>(batch_[0].size()) * rows;
    runtime.pool->ForItems(all, Flops() / 2, [&](int64_t row, int) {
      const size_t b = static_cast<size_t>(row / rows);
      const uint64_t* x = ref(0).as<uint64_t>() + batch_[0][b] + rows_[static_cast<size_t>(row % rows)];
      const uint64_t* y = ref(1).as<uint64_t>() + batch_[1][b];
      uint64_t* out = written(0).as<uint64_t>() + row * columns;
      std::fill_n(out, columns, uint64_t{0});
      for (size_t k = 0; k < terms_[0].size(); ++k) {
        const uint64_t factor = x[terms_[0][k]];
        const uint64_t* from = y + terms_[1][k];
        for (int64_t j = 0; j < columns; ++j) out[j] += factor * from[columns_[static_cast<size_t>(j)]];
      }
    });
    return true;
  }
  std::string Name() const override {
    return Format("dot {}x{}x{}x{} of 64-bit integers", batch_[0].size(), rows_.size(), terms_[0].size(),
                  columns_.size());
  }
  double Flops() const override {
    return 2.0 * static_cast<double>(batch_[0].size() * rows_.size()) *
           static_cast<double>(terms_[0].size() * columns_.size());
  }

 private:
  static DimVector Rest(const View& view, const DimVector& a, const DimVector& b) {
    DimVector rest;
    auto in = [](const DimVector& list, int64_t d) { return std::find(list.begin(), list.end(), d) != list.end(); };
    for (int64_t d = 0; d < static_cast<int64_t>(view.dims.size()); ++d)
      if (!in(a, d) && !in(b, d)) rest.push_back(d);
    return rest;
  }

  std::vector<int64_t> batch_[2], terms_[2], rows_, columns_;
};

}  // namespace

std::unique_ptr<Step> MakeIntegerDot(const HloInstruction& dot, const View& lhs, const View& rhs) {
  auto wide = [](const HloInstruction& x) {
    return IsInteger(x.shape().element_type()) && BitWidth(x.shape().element_type()) == 64;
  };
  if (dot.operand_count() != 2 || !wide(dot) || !wide(*dot.operand(0)) || !wide(*dot.operand(1))) return nullptr;
  return std::make_unique<IntegerDotStep>(dot.attributes<DotAttributes>(), lhs, rhs);
}

}  // namespace hloir::cpu
