// See gemm_problem.h. Tests: tests/ops/dot-*.hlo, tests/unit/executable_kernels_test.cc.
#include "plan/capability/gemm_problem.h"

#include <algorithm>

namespace hloir::cpu {

GemmType KernelsFor(const GemmProblem& p, const KernelTable& kernels) {
  auto has = [&](GemmType type, PrimitiveType operand) {
    return p.a.type == operand && p.b.type == operand && kernels.gemm[static_cast<int>(type)].tile != nullptr;
  };
  auto fits_word = [](PrimitiveType t) {
    return t == PrimitiveType::S8 || t == PrimitiveType::U8 || t == PrimitiveType::S16;
  };
  const bool words = p.compute == GemmType::kS32 && fits_word(p.a.type) && fits_word(p.b.type) &&
                     kernels.gemm[static_cast<int>(GemmType::kWords)].tile != nullptr;
  return has(GemmType::kTileBytes, PrimitiveType::S8)    ? GemmType::kTileBytes
         : has(GemmType::kTileBf16, PrimitiveType::BF16) ? GemmType::kTileBf16
         : has(GemmType::kBytes, PrimitiveType::S8)      ? GemmType::kBytes
         : words                                         ? GemmType::kWords
         : has(GemmType::kBf16, PrimitiveType::BF16)     ? GemmType::kBf16
                                                         : p.compute;
}

bool IsTakenInPlace(GemmType compute, PrimitiveType type) {
  return compute == GemmType::kF32
             ? type == PrimitiveType::F32
             : compute == GemmType::kF64 || type == PrimitiveType::S32 || type == PrimitiveType::U32;
}

std::vector<int64_t> Offsets(const View& view, const DimVector& dims) {
  std::vector<int64_t> offsets{0};
  for (int64_t d : dims) {
    std::vector<int64_t> next;
    next.reserve(offsets.size() * view.dims[d]);
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < view.dims[d]; ++i) next.push_back(offset + i * view.strides[d]);
    offsets = std::move(next);
  }
  return offsets;
}
int64_t TermsInPlace(const GemmProblem& problem, const KernelTable& kernels) {
  const GemmType type = KernelsFor(problem, kernels);
  if (type != problem.compute)
    return type == GemmType::kBf16 && kernels.gemm[static_cast<int>(type)].tile_in_place[0] != nullptr ? 2 : 0;
  return IsTakenInPlace(problem.compute, problem.a.type) ? 1 : 0;
}
bool GemmTypeFor(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType result, GemmType* compute) {
  auto narrow_float = [](PrimitiveType t) { return t == PrimitiveType::BF16 || t == PrimitiveType::F16; };
  auto integer = [](PrimitiveType t) { return IsInteger(t) && BitWidth(t) >= 8 && BitWidth(t) <= 32; };
  if (lhs == PrimitiveType::F64 && rhs == PrimitiveType::F64 && result == PrimitiveType::F64)
    return *compute = GemmType::kF64, true;
  if ((lhs == PrimitiveType::F32 || narrow_float(lhs)) && (rhs == PrimitiveType::F32 || narrow_float(rhs)) &&
      (result == PrimitiveType::F32 || narrow_float(result))) {
    return *compute = GemmType::kF32, true;
  }
  // Integers wrap, so sums modulo 2^32 are right for every result up to that width.
  if (integer(lhs) && integer(rhs) && integer(result)) return *compute = GemmType::kS32, true;
  return false;
}

namespace {

// The layout of a dot's result: its row and column dimensions, each from the outermost in memory inwards.
struct StoredDot {
  View stored;
  DimVector batch, rows, columns;

  StoredDot(const HloInstruction& dot, const DimVector& order)
      : stored(View::InOrder(dot.shape().dimensions(), order)) {
    const DotAttributes& a = dot.attributes<DotAttributes>();
    const int64_t batches = static_cast<int64_t>(a.lhs_batch_dims.size());
    const int64_t first_column = dot.operand(0)->shape().rank() - static_cast<int64_t>(a.lhs_contracting_dims.size());
    for (int64_t d = 0; d < dot.shape().rank(); ++d)
      (d < batches ? batch : d < first_column ? rows : columns).push_back(d);
    for (DimVector* list : {&rows, &columns}) {
      std::stable_sort(list->begin(), list->end(),
                       [&](int64_t x, int64_t y) { return stored.strides[x] > stored.strides[y]; });
    }
  }
  View Part(const DimVector& of) const {
    View part;
    for (int64_t d : of) part.dims.push_back(stored.dims[d]), part.strides.push_back(stored.strides[d]);
    return part.Collapse();
  }
  // Contiguous columns, and a constant row stride.
  bool Fits(const DimVector& as_rows, const DimVector& as_columns) const {
    const View r = Part(as_rows), c = Part(as_columns);
    return r.dims.size() <= 1 && c.dims.size() <= 1 && (c.dims.empty() || c.strides[0] == 1);
  }
};

}  // namespace

bool CanStoreInOrder(const HloInstruction& dot, const DimVector& order) {
  const StoredDot d(dot, order);
  return d.Fits(d.rows, d.columns) || d.Fits(d.columns, d.rows);
}

bool MakeDotProblem(const HloInstruction& dot, const View& lhs, const View& rhs, const DimVector& order,
                    GemmProblem* problem) {
  const DotAttributes& attributes = dot.attributes<DotAttributes>();
  problem->a.type = dot.operand(0)->shape().element_type();
  problem->b.type = dot.operand(1)->shape().element_type();
  problem->result = dot.shape().element_type();
  if (!GemmTypeFor(problem->a.type, problem->b.type, problem->result, &problem->compute)) return false;
  // The operand's dimensions for these of the result, which start at `first`.
  auto free_dims = [](const View& view, const DimVector& batch, const DimVector& contracting,
                      const DimVector& of_result, int64_t first) {
    DimVector free, dims;
    for (int64_t d = 0; d < static_cast<int64_t>(view.dims.size()); ++d) {
      if (std::find(batch.begin(), batch.end(), d) == batch.end() &&
          std::find(contracting.begin(), contracting.end(), d) == contracting.end()) {
        free.push_back(d);
      }
    }
    for (int64_t d : of_result) dims.push_back(free[d - first]);
    return dims;
  };
  const StoredDot result(dot, order);
  const int64_t first_row = static_cast<int64_t>(result.batch.size()),
                first_column = first_row + static_cast<int64_t>(result.rows.size());
  auto fill = [&](GemmOperand& operand, const View& view, const DimVector& batch, const DimVector& contracting,
                  const DimVector& of_result, int64_t first) {
    operand.batch_offsets = Offsets(view, batch);
    operand.row_offsets = Offsets(view, free_dims(view, batch, contracting, of_result, first));
    operand.k_offsets = Offsets(view, contracting);
    for (int64_t& offset : operand.batch_offsets) offset += view.offset;
  };
  fill(problem->a, lhs, attributes.lhs_batch_dims, attributes.lhs_contracting_dims, result.rows, first_row);
  fill(problem->b, rhs, attributes.rhs_batch_dims, attributes.rhs_contracting_dims, result.columns, first_column);
  problem->batch = static_cast<int64_t>(problem->a.batch_offsets.size());
  problem->m = static_cast<int64_t>(problem->a.row_offsets.size());
  problem->n = static_cast<int64_t>(problem->b.row_offsets.size());
  problem->k = static_cast<int64_t>(problem->a.k_offsets.size());
  if (problem->batch == 0 || problem->m == 0 || problem->n == 0 || problem->k == 0) return false;
  if (!order.empty()) {
    problem->exchanged = !result.Fits(result.rows, result.columns);
    if (problem->exchanged) {
      std::swap(problem->a, problem->b);
      std::swap(problem->m, problem->n);
    }
    const View rows = result.Part(problem->exchanged ? result.columns : result.rows);
    problem->c_row = rows.dims.empty() ? problem->n : rows.strides[0];
    problem->c_offsets = Offsets(result.stored, result.batch);
  }
  return true;
}

}  // namespace hloir::cpu
