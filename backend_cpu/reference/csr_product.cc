// A sparse matrix times a dense matrix or vector: the custom-call "cpu_csr_sparse_dense_ffi", which
// jax.experimental.sparse makes. Operands: the values, where each row begins among them (one more than rows), their
// columns, the dense factor. Values behind the last row's end are padding, whatever their columns are. Test:
// tests/ops/custom-call-csr.hlo.
#include "reference/csr_product.h"

#include <algorithm>
#include <complex>

#include "support/format.h"

namespace hloir::reference {
namespace {

template <class T>
void Multiply(const Literal& values, const std::vector<int64_t>& rows, const std::vector<int64_t>& columns,
              const Literal& dense, Literal& result) {
  const int64_t inner = dense.shape().dimensions(0), width = dense.shape().rank() > 1 ? dense.shape().dimensions(1) : 1;
  const T *value = values.data<T>().data(), *factor = dense.data<T>().data();
  T* out = result.data<T>().data();
  for (size_t row = 0; row + 1 < rows.size(); ++row, out += width) {
    const int64_t begin = std::clamp<int64_t>(rows[row], 0, values.element_count()),
                  end = std::clamp<int64_t>(rows[row + 1], 0, values.element_count());
    for (int64_t i = begin; i < end; ++i) {
      const int64_t column = columns[static_cast<size_t>(i)];
      if (column < 0 || column >= inner) continue;
      for (int64_t c = 0; c < width; ++c) {
        T& sum = out[c];
        if constexpr (std::is_integral_v<T>) {  // wraps around
          using U = std::make_unsigned_t<T>;
          sum = static_cast<T>(static_cast<U>(sum) +
                               static_cast<U>(value[i]) * static_cast<U>(factor[column * width + c]));
        } else {
          sum += value[i] * factor[column * width + c];
        }
      }
    }
  }
}

std::vector<int64_t> Integers(const Literal& literal) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < literal.element_count(); ++i) values.push_back(literal.GetAsInt64(i));
  return values;
}

// Shapes as the call states them.
bool Fits(const HloInstruction& call) {
  if (call.operand_count() != 4 || !call.shape().IsArray()) return false;
  for (const HloInstruction* operand : call.operands())
    if (!operand->shape().IsArray()) return false;
  const Shape &values = call.operand(0)->shape(), &rows = call.operand(1)->shape(), &columns = call.operand(2)->shape(),
              &dense = call.operand(3)->shape(), &result = call.shape();
  if (values.rank() != 1 || rows.rank() != 1 || columns.rank() != 1 || !IsInteger(rows.element_type()) ||
      !IsInteger(columns.element_type()) || values.dimensions(0) != columns.dimensions(0)) {
    return false;
  }
  if (dense.rank() < 1 || dense.rank() > 2 || result.rank() != dense.rank() ||
      rows.dimensions(0) != result.dimensions(0) + 1 ||
      (dense.rank() == 2 && dense.dimensions(1) != result.dimensions(1))) {
    return false;
  }
  return values.element_type() == result.element_type() && dense.element_type() == result.element_type();
}

}  // namespace

StatusOr<Value> EvaluateCsrProduct(EvalContext& context) {
  if (!Fits(context.instruction))
    return InvalidArgument(Format("{}: its operands are not a sparse and a dense matrix", context.instruction.name()));
  Literal result(context.shape);
  const std::vector<int64_t> rows = Integers(context.operand(1)), columns = Integers(context.operand(2));
  auto multiply = [&]<class T>(T) {
    Multiply<T>(context.operand(0), rows, columns, context.operand(3), result);
    return Value(std::move(result));
  };
  switch (context.shape.element_type()) {
    case PrimitiveType::S32: return multiply(int32_t());
    case PrimitiveType::S64: return multiply(int64_t());
    case PrimitiveType::F32: return multiply(float());
    case PrimitiveType::F64: return multiply(double());
    case PrimitiveType::C64: return multiply(std::complex<float>());
    case PrimitiveType::C128: return multiply(std::complex<double>());
    default: return UnimplementedOp(context, "sparse products of this element type");
  }
}

}  // namespace hloir::reference
