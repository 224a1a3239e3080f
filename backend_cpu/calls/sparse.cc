// Sparse matrices, in the library calls of jax.experimental.sparse: the product "cpu_csr_sparse_dense_ffi"; csr_ and
// coo_ todense, fromdense, matvec and matmat of cuSPARSE and hipSPARSE, with and (older) without "_ffi"; and cuSOLVER's
// solver csrlsvqr. A matrix has values and their columns; CSR has the begin of each row among them (rows + 1 entries),
// COO the row of each. Values after the end of the last row, or with indices outside of the matrix, are padding; values
// with equal indices are added. Results after the first ones are scratch. Batches are not supported. Tests:
// tests/ops/custom-call-csr.hlo, custom-call-sparse.hlo.
#include "calls/sparse.h"

#include <algorithm>
#include <charconv>
#include <complex>
#include <type_traits>
#include <utility>

#include "hloir/custom_call.h"
#include "support/endian.h"
#include "support/format.h"

namespace hloir::reference {
namespace {

enum class Work { kToDense, kFromDense, kProduct, kSolve };
struct Form {
  Work work;
  bool by_rows;          // CSR
  bool rows_come_first;  // XLA:CPU's operands of CSR; in cuSPARSE columns precede the begins of rows
};

std::optional<Form> FormOf(std::string_view target) {
  switch (FindCustomCall(target)) {
    case CustomCall::kCpuCsrSparseDense: return Form{Work::kProduct, true, true};
    case CustomCall::kCusolverCsrLsvQr:
    case CustomCall::kCusolverCsrLsvQrFfi: return Form{Work::kSolve, true, false};
    default: break;
  }
  if (target.ends_with("_ffi")) target.remove_suffix(4);
  if (target.starts_with("cusparse_")) target.remove_prefix(9);
  else if (target.starts_with("hipsparse_")) target.remove_prefix(10);
  else return std::nullopt;
  const bool csr = target.starts_with("csr_");
  if (!csr && !target.starts_with("coo_")) return std::nullopt;
  target.remove_prefix(4);
  if (target == "todense") return Form{Work::kToDense, csr, false};
  if (target == "fromdense") return Form{Work::kFromDense, csr, false};
  if (target == "matvec" || target == "matmat") return Form{Work::kProduct, csr, false};
  return std::nullopt;
}

// jaxlib's descriptor of a product (gpu/sparse_kernels.h): its last four bytes are nonzero if the sparse matrix is
// transposed. It is the backend_config itself, or, in the current form, the text of its `opaque`, escaped as in MLIR.
bool IsTransposed(std::string_view config) {
  std::string bytes(config);
  constexpr std::string_view kKey = "opaque = \"";
  if (const size_t at = config.find(kKey); at != std::string_view::npos) {
    bytes.clear();
    for (size_t i = at + kKey.size(); i < config.size() && config[i] != '"'; ++i) {
      unsigned char code = 0;
      const char* digits = config.data() + i + 1;
      if (config[i] == '\\' && i + 2 < config.size() &&
          std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
        bytes.push_back(static_cast<char>(code)), i += 2;
      } else {
        if (config[i] == '\\') ++i;
        if (i < config.size()) bytes.push_back(config[i]);
      }
    }
  }
  return bytes.size() >= 28 && LoadLittleEndian<int32_t>(bytes.data() + bytes.size() - 4) == 1;
}

bool IsIntegers(const Shape& shape) { return shape.rank() == 1 && IsInteger(shape.element_type()); }

// A call's operands and results, with consistent shapes.
class SparseCall {
 public:
  SparseCall(EvalContext& context, const Form& form) : context_(context), form_(form) {
    for (const Shape* leaf : context.shape.Leaves()) results_.emplace_back(*leaf);
  }

  // Reads the indices of the values; true if the call is consistent.
  bool Prepare() {
    for (const HloInstruction* operand : context_.instruction.operands())
      if (!operand->shape().IsArray()) return false;
    if (results_.empty() || !results_[0].shape().IsArray()) return false;
    if (form_.work == Work::kFromDense) return FitsFromDense();
    const bool has_factor = form_.work != Work::kToDense;
    if (context_.operand_count() != (has_factor ? 4 : 3)) return false;
    const Shape &values = operand(0).shape(), &result = results_[0].shape();
    const bool columns_first = form_.by_rows && !form_.rows_come_first;
    const Literal &rows = operand(columns_first ? 2 : 1), &columns = operand(columns_first ? 1 : 2);
    if (values.rank() != 1 || !IsIntegers(rows.shape()) || !IsIntegers(columns.shape())) return false;
    if (values.dimensions(0) != columns.element_count() || values.element_type() != result.element_type()) return false;
    if (!form_.by_rows && rows.element_count() != values.dimensions(0)) return false;
    if (has_factor && !FitsFactor(operand(3).shape())) return false;
    if (!has_factor) {
      if (result.rank() != 2) return false;
      rows_ = result.dimensions(0), columns_ = result.dimensions(1);
    }
    if (form_.by_rows && rows.element_count() != rows_ + 1) return false;
    if (!form_.by_rows) {
      for (int64_t i = 0; i < rows.element_count(); ++i) AddPlace(i, rows.GetAsInt64(i), columns.GetAsInt64(i));
      return true;
    }
    const auto within = [&](int64_t i) { return std::clamp<int64_t>(i, 0, values.dimensions(0)); };
    for (int64_t r = 0; r < rows_; ++r)
      for (int64_t i = within(rows.GetAsInt64(r)); i < within(rows.GetAsInt64(r + 1)); ++i)
        AddPlace(i, r, columns.GetAsInt64(i));
    return true;
  }

  template <class T>
  Status Compute() {
    switch (form_.work) {
      case Work::kToDense: ToDense<T>(); break;
      case Work::kFromDense: FromDense<T>(); break;
      case Work::kProduct: Multiply<T>(); break;
      case Work::kSolve: return Solve<T>();
    }
    return OkStatus();
  }

  PrimitiveType type() const { return operand(0).shape().element_type(); }
  Value Finish() && {
    if (!context_.shape.IsTuple()) return Value(std::move(results_[0]));
    return Value(Literal::Tuple(std::move(results_)));
  }

 private:
  struct Place {
    int64_t value, row, column;
  };

  const Literal& operand(int64_t i) const { return context_.operand(i); }
  void AddPlace(int64_t value, int64_t row, int64_t column) {
    if (row >= 0 && row < rows_ && column >= 0 && column < columns_) places_.push_back({value, row, column});
  }

  // Sets the sizes of the sparse matrix: one is the factor's and one the result's.
  bool FitsFactor(const Shape& factor) {
    const Shape& result = results_[0].shape();
    if (factor.rank() < 1 || factor.rank() > 2 || result.rank() != factor.rank() ||
        factor.element_type() != result.element_type() ||
        (factor.rank() == 2 && factor.dimensions(1) != result.dimensions(1))) {
      return false;
    }
    transposed_ = form_.work == Work::kProduct && !form_.rows_come_first &&
                  IsTransposed(context_.instruction.extras().backend_config);
    rows_ = result.dimensions(0), columns_ = factor.dimensions(0);
    if (transposed_) std::swap(rows_, columns_);
    return form_.work != Work::kSolve || (factor.rank() == 1 && rows_ == columns_);
  }
  bool FitsFromDense() {
    if (context_.operand_count() != 1 || results_.size() < 3 || operand(0).shape().rank() != 2) return false;
    const Shape& values = results_[0].shape();
    rows_ = operand(0).shape().dimensions(0), columns_ = operand(0).shape().dimensions(1);
    return values.rank() == 1 && values.element_type() == type() && IsIntegers(results_[1].shape()) &&
           IsIntegers(results_[2].shape()) && results_[form_.by_rows ? 1 : 2].element_count() == values.dimensions(0) &&
           results_[form_.by_rows ? 2 : 1].element_count() == (form_.by_rows ? rows_ + 1 : values.dimensions(0));
  }

  template <class T>
  static void AddProduct(T& sum, T a, T b) {
    if constexpr (std::is_integral_v<T>) {  // wraps around
      using U = std::make_unsigned_t<T>;
      sum = static_cast<T>(static_cast<U>(sum) + static_cast<U>(a) * static_cast<U>(b));
    } else {
      sum += a * b;
    }
  }

  template <class T>
  void Multiply() {
    const int64_t width = operand(3).shape().rank() > 1 ? operand(3).shape().dimensions(1) : 1;
    const T *value = operand(0).data<T>().data(), *factor = operand(3).data<T>().data();
    T* out = results_[0].data<T>().data();
    for (const Place& place : places_) {
      const int64_t to = transposed_ ? place.column : place.row, from = transposed_ ? place.row : place.column;
      for (int64_t c = 0; c < width; ++c) AddProduct(out[to * width + c], value[place.value], factor[from * width + c]);
    }
  }

  template <class T>
  void ToDense() {
    const T* value = operand(0).data<T>().data();
    T* out = results_[0].data<T>().data();
    for (const Place& place : places_) AddProduct(out[place.row * columns_ + place.column], value[place.value], T(1));
  }

  // The nonzero elements, by row, up to the size of the result.
  template <class T>
  void FromDense() {
    const T* from = operand(0).data<T>().data();
    T* values = results_[0].data<T>().data();
    const int64_t most = results_[0].element_count();
    Literal &first = results_[1], &second = results_[2];
    int64_t count = 0;
    for (int64_t r = 0; r < rows_; ++r) {
      if (form_.by_rows) second.SetFromInt64(r, count);
      for (int64_t c = 0; c < columns_ && count < most; ++c) {
        if (from[r * columns_ + c] == T(0)) continue;
        values[count] = from[r * columns_ + c];
        if (!form_.by_rows) first.SetFromInt64(count, r);
        (form_.by_rows ? first : second).SetFromInt64(count++, c);
      }
    }
    if (form_.by_rows) second.SetFromInt64(rows_, count);
  }

  // Gaussian elimination on the dense matrix, with row exchanges.
  template <class T>
  Status Solve() {
    if constexpr (std::is_integral_v<T>) {
      return UnimplementedOp(context_, "systems of integers");
    } else {
      constexpr int64_t kMostRows = 4096;  // for which the dense matrix takes 256 MB
      using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::complex<double>>;
      const int64_t n = rows_;
      if (n > kMostRows) return UnimplementedOp(context_, Format("more than {} rows", kMostRows));
      std::vector<Wide> a(static_cast<size_t>(n * n)), x;
      const auto at = [&](int64_t r, int64_t c) -> Wide& { return a[static_cast<size_t>(r * n + c)]; };
      for (const Place& place : places_) at(place.row, place.column) += Wide(operand(0).data<T>()[place.value]);
      for (const T& b : operand(3).data<T>()) x.push_back(Wide(b));
      for (int64_t k = 0; k < n; ++k) {
        int64_t best = k;
        for (int64_t r = k + 1; r < n; ++r)
          if (std::abs(at(r, k)) > std::abs(at(best, k))) best = r;
        for (int64_t c = 0; c < n && best != k; ++c) std::swap(at(k, c), at(best, c));
        std::swap(x[static_cast<size_t>(k)], x[static_cast<size_t>(best)]);
        for (int64_t r = k + 1; r < n; ++r) {
          const Wide factor = at(r, k) / at(k, k);
          if (factor == Wide(0)) continue;
          for (int64_t c = k; c < n; ++c) at(r, c) -= factor * at(k, c);
          x[static_cast<size_t>(r)] -= factor * x[static_cast<size_t>(k)];
        }
      }
      for (int64_t r = n - 1; r >= 0; --r) {
        Wide& value = x[static_cast<size_t>(r)];
        for (int64_t c = r + 1; c < n; ++c) value -= at(r, c) * x[static_cast<size_t>(c)];
        value /= at(r, r);
        results_[0].data<T>()[static_cast<size_t>(r)] = static_cast<T>(value);
      }
      return OkStatus();
    }
  }

  EvalContext& context_;
  Form form_;
  std::vector<Literal> results_;
  std::vector<Place> places_;
  int64_t rows_ = 0, columns_ = 0;
  bool transposed_ = false;
};

}  // namespace

bool IsSparseCall(const HloInstruction& call) {
  return FormOf(call.attributes<CustomCallAttributes>().custom_call_target).has_value();
}

StatusOr<Value> EvaluateSparse(EvalContext& context) {
  for (const Shape* leaf : context.shape.Leaves())
    if (!leaf->IsArray()) return UnimplementedOp(context, "sparse calls give arrays");
  SparseCall call(context, *FormOf(context.attributes<CustomCallAttributes>().custom_call_target));
  if (!call.Prepare())
    return InvalidArgument(Format("{}: its operands are not a sparse and a dense matrix", context.instruction.name()));
  Status done = UnimplementedOp(context, "sparse matrices of this element type");
  switch (call.type()) {
    case PrimitiveType::S32: done = call.Compute<int32_t>(); break;
    case PrimitiveType::S64: done = call.Compute<int64_t>(); break;
    case PrimitiveType::F32: done = call.Compute<float>(); break;
    case PrimitiveType::F64: done = call.Compute<double>(); break;
    case PrimitiveType::C64: done = call.Compute<std::complex<float>>(); break;
    case PrimitiveType::C128: done = call.Compute<std::complex<double>>(); break;
    default: break;
  }
  HLOIR_RETURN_IF_ERROR(done);
  return std::move(call).Finish();
}

}  // namespace hloir::reference
