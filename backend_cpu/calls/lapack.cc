// See lapack.h; lapack_form.h has the forms of calls. The routines are loaded from liblapack.so.3 at the first such
// call, so that neither building nor using hloir requires it. LAPACK stores matrices column-major, literals row-major,
// so each is copied there and back. LAPACK ends the process for wrong sizes or options, so all are checked here first.
// Tests: tests/ops/lapack-*.hlo; values of results: corpus.
#include "calls/lapack.h"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "support/format.h"
#include "calls/lapack_form.h"

namespace hloir::reference {
namespace {

void* Symbol(const std::string& name) {
  static void* const library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : dlsym(library, name.c_str());
}

template <class T>
struct Traits;
template <>
struct Traits<float> {
  static constexpr char kLetter = 's';
  static constexpr PrimitiveType kType = PrimitiveType::F32;
  using Real = float;
};
template <>
struct Traits<double> {
  static constexpr char kLetter = 'd';
  static constexpr PrimitiveType kType = PrimitiveType::F64;
  using Real = double;
};
template <>
struct Traits<std::complex<float>> {
  static constexpr char kLetter = 'c';
  static constexpr PrimitiveType kType = PrimitiveType::C64;
  using Real = float;
};
template <>
struct Traits<std::complex<double>> {
  static constexpr char kLetter = 'z';
  static constexpr PrimitiveType kType = PrimitiveType::C128;
  using Real = double;
};
template <>
struct Traits<int> {
  static constexpr PrimitiveType kType = PrimitiveType::S32;
};
template <class T>
constexpr bool kComplex = !std::is_same_v<T, typename Traits<T>::Real>;

// A call's operands and results, one batch at a time, and its options.
class LapackCall {
 public:
  LapackCall(EvalContext& context, const LapackForm& form) : context_(context), places_(form.results) {
    for (int64_t i = 0; i < context.operand_count(); ++i) operands_.push_back(&context.operand(i));
    for (const Shape* leaf : context.shape.Leaves()) results_.emplace_back(*leaf);
    if (form.uplo != 0) options_.emplace_back("uplo", form.uplo);
    options_.insert(options_.end(), form.said.begin(), form.said.end());
    for (const LapackForm::Option& option : form.options) {
      Require(option.operand < operands_.size() && operands_[option.operand]->shape().IsScalar());
      if (!good_) return;
      const int64_t value = operands_[option.operand]->GetAsInt64(0);
      Require(value >= 0 &&
              value <= (option.letters.empty() ? 1 << 15 : static_cast<int64_t>(option.letters.size()) - 1));
      if (good_)
        options_.emplace_back(
            option.name, option.letters.empty() ? static_cast<int>(value) : option.letters[static_cast<size_t>(value)]);
    }
    if (form.sizes_between) std::erase_if(operands_, [](const Literal* x) { return x->shape().rank() < 2; });
    if (form.alpha >= 0 && static_cast<size_t>(form.alpha) < operands_.size())
      alpha_ = operands_[static_cast<size_t>(form.alpha)];
    Require(form.first_array <= operands_.size());
    if (!good_) return;
    operands_.erase(operands_.begin(), operands_.begin() + static_cast<std::ptrdiff_t>(form.first_array));
    if (form.alpha >= static_cast<int>(form.first_array) && !operands_.empty()) operands_.pop_back();  // it came last
    leading_ = operands_.empty() ? context.dims() : operands_[0]->shape().dimensions();
  }

  // The last dimensions of operand 0; the leading ones are batch dimensions.
  std::vector<int> Sizes(size_t rank) {
    std::vector<int> sizes(rank, 0);
    good_ = good_ && leading_.size() >= rank;
    if (!good_) return sizes;
    const size_t first = leading_.size() - rank;
    for (size_t i = 0; i < rank; ++i) {
      good_ = good_ && leading_[first + i] < (1 << 15);  // products of two stay within LAPACK's integers
      if (good_) sizes[i] = static_cast<int>(leading_[first + i]);
    }
    leading_.resize(first);
    for (int64_t d : leading_) batch_ *= d;
    return sizes;
  }
  template <class E>
  void Operand(size_t i, const std::vector<int>& dims) {
    good_ = good_ && i < operands_.size() && Is<E>(operands_[i]->shape(), dims);
  }
  template <class E>
  void Result(size_t i, const std::vector<int>& dims) {
    good_ = good_ && Place(i) < results_.size() && Is<E>(results_[Place(i)].shape(), dims);
  }
  // Further results are workspaces or info (success): zeros.
  void Counts(size_t operands, size_t results) {
    good_ = good_ && operands_.size() == operands && results_.size() >= results;
  }
  size_t result_count() const { return results_.size(); }
  // Checks that the result has the batch dimensions followed by these.
  bool ResultHasRank(size_t i, size_t more) const {
    return i < results_.size() && results_[i].shape().dimensions().size() == leading_.size() + more;
  }
  void PlaceResults(std::vector<size_t> places) { places_ = std::move(places); }
  // The scale factor of a product.
  template <class E>
  E Alpha() {
    if (alpha_ == nullptr) return E(1);
    Require(alpha_->shape().IsScalar() && alpha_->shape().element_type() == Traits<E>::kType);
    return good_ ? alpha_->data<E>()[0] : E(1);
  }
  // The size of an operand's dimension, counted from the last.
  int LastSizeOf(size_t operand, size_t from_last = 0) {
    const DimVector& dims = operands_[operand]->shape().dimensions();
    good_ = good_ && dims.size() > from_last && dims[dims.size() - 1 - from_last] < (1 << 15);
    return good_ ? static_cast<int>(dims[dims.size() - 1 - from_last]) : 0;
  }
  void Require(bool what) { good_ = good_ && what; }
  bool good() const { return good_; }

  // A number of "{uplo = 76 : ui8, low = 1 : i32}".
  int Number(std::string_view name, int otherwise) const {
    for (const auto& [option, value] : options_)
      if (option == name) return value;
    const std::string_view config = context_.instruction.extras().backend_config;
    for (size_t at = config.find(name); at != std::string_view::npos; at = config.find(name, at + 1)) {
      if (at > 0 && config[at - 1] != '{' && config[at - 1] != ' ' && config[at - 1] != ',') continue;
      size_t digits = at + name.size();
      while (digits < config.size() && (config[digits] == ' ' || config[digits] == '=')) ++digits;
      int value = otherwise;
      std::from_chars(config.data() + digits, config.data() + config.size(), value);
      return value;
    }
    return otherwise;
  }
  // The same for "{left = true}".
  bool Flag(std::string_view name, bool otherwise) const {
    const std::string_view config = context_.instruction.extras().backend_config;
    for (std::string_view value : {"true", "false"}) {
      if (config.find(Format("{} = {}", name, value)) != std::string_view::npos) return value == "true";
    }
    return Number(name, otherwise) != 0;
  }
  // The same for a letter, which must be one of `choices`.
  char Letter(std::string_view name, std::string_view choices) {
    const int value = Number(name, choices[0]);
    Require(value > 0 && value < 128 && choices.find(static_cast<char>(value)) != std::string_view::npos);
    return static_cast<char>(value);
  }

  int64_t batch() const { return batch_; }
  // A matrix comes by columns.
  template <class E>
  std::vector<E> Load(size_t i, int64_t b, int rows, int columns = 1) const {
    std::vector<E> matrix(static_cast<size_t>(rows) * static_cast<size_t>(columns));
    const E* from = operands_[i]->data<E>().data() + b * rows * columns;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) matrix[Index(r, c, rows)] = from[Index(c, r, columns)];
    return matrix;
  }
  template <class E>
  void Store(size_t i, int64_t b, const std::vector<E>& matrix, int rows, int columns = 1) {
    E* to = results_[Place(i)].data<E>().data() + b * rows * columns;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) to[Index(c, r, columns)] = matrix[Index(r, c, rows)];
  }
  void StoreInt(size_t i, int64_t b, int value) { results_[Place(i)].data<int32_t>()[static_cast<size_t>(b)] = value; }

  StatusOr<Value> Finish() && {
    if (context_.shape.IsTuple()) return Value(Literal::Tuple(std::move(results_)));
    return Value(std::move(results_[0]));
  }

 private:
  static size_t Index(int fast, int slow, int size) {
    return static_cast<size_t>(slow) * static_cast<size_t>(size) + static_cast<size_t>(fast);
  }
  template <class E>
  bool Is(const Shape& shape, const std::vector<int>& dims) const {
    DimVector wanted = leading_;
    for (int d : dims) wanted.push_back(d);
    return shape.IsArray() && shape.element_type() == Traits<E>::kType && shape.dimensions() == wanted;
  }

  size_t Place(size_t i) const { return i < places_.size() ? places_[i] : i; }

  EvalContext& context_;
  std::vector<size_t> places_;
  std::vector<std::pair<std::string_view, int>> options_;
  const Literal* alpha_ = nullptr;
  std::vector<const Literal*> operands_;
  std::vector<Literal> results_;
  DimVector leading_;
  int64_t batch_ = 1;
  bool good_ = true;
};

// A routine by its name without the type's letter. Fortran passes all arguments by address, and lengths of characters
// last.
template <class T>
class Routine {
 public:
  explicit Routine(const char* name) : function_(Symbol(std::string(1, Traits<T>::kLetter) + name + "_")) {}
  bool found() const { return function_ != nullptr; }
  template <class... A>
  void operator()(A... arguments) const {
    reinterpret_cast<void (*)(A...)>(function_)(arguments...);
  }

 private:
  void* function_;
};

constexpr size_t kOne = 1;  // the length of an option's letter

int AtLeastOne(int n) { return std::max(1, n); }

// A call's workspace: queries the routine for its size, then runs it. `run(work, lwork)`.
template <class T, class F>
void WithWork(F&& run) {
  T wanted{};
  int query = -1;
  run(&wanted, &query);
  const double size = std::real(wanted);
  std::vector<T> work(static_cast<size_t>(std::clamp(size, 1.0, 0x1p30)));
  int lwork = static_cast<int>(work.size());
  run(work.data(), &lwork);
}

// The first lines describe the operands of each, the next ones the results, for each matrix of the batch.
template <class T>
void Potrf(LapackCall& call, const Routine<T>& f) {
  const int n = call.Sizes(2)[0];
  char uplo = call.Letter("uplo", "LU");
  call.Counts(1, 2), call.Operand<T>(0, {n, n}), call.Result<T>(0, {n, n}), call.Result<int>(1, {});
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    std::vector<T> a = call.Load<T>(0, b, n, n);
    int size = n, lda = AtLeastOne(n), info = 0;
    f(&uplo, &size, a.data(), &lda, &info, kOne);
    call.Store(0, b, a, n, n), call.StoreInt(1, b, info);
  }
}

// (factors, swaps counted from 1, info); on TPU swaps counted from 0 and the permutation.
template <class T>
void Getrf(LapackCall& call, const Routine<T>& f) {
  const std::vector<int> s = call.Sizes(2);
  int m = s[0], n = s[1], k = std::min(m, n), lda = AtLeastOne(m);
  const bool permutes = call.Number("permutation", 0) != 0;
  call.Counts(1, 3), call.Operand<T>(0, {m, n}), call.Result<T>(0, {m, n}), call.Result<int>(1, {k});
  if (permutes) call.Result<int>(2, {m});
  else call.Result<int>(2, {});
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    std::vector<T> a = call.Load<T>(0, b, m, n);
    std::vector<int> pivots(static_cast<size_t>(k));
    int info = 0;
    f(&m, &n, a.data(), &lda, pivots.data(), &info);
    call.Store(0, b, a, m, n);
    if (permutes) {
      std::vector<int> places(static_cast<size_t>(m));
      std::iota(places.begin(), places.end(), 0);
      for (size_t i = 0; i < pivots.size(); ++i) std::swap(places[i], places[static_cast<size_t>(--pivots[i])]);
      call.Store(2, b, places, m);
    } else {
      call.StoreInt(2, b, info);
    }
    call.Store(1, b, pivots, k);
  }
}

template <class T>
void Geqrf(LapackCall& call, const Routine<T>& f) {
  const std::vector<int> s = call.Sizes(2);
  int m = s[0], n = s[1], k = std::min(m, n), lda = AtLeastOne(m), info = 0;
  call.Counts(1, 2), call.Operand<T>(0, {m, n}), call.Result<T>(0, {m, n}), call.Result<T>(1, {k});
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    std::vector<T> a = call.Load<T>(0, b, m, n), tau(static_cast<size_t>(k));
    WithWork<T>([&](T* work, int* lwork) { f(&m, &n, a.data(), &lda, tau.data(), work, lwork, &info); });
    call.Store(0, b, a, m, n), call.Store(1, b, tau, k);
  }
}

// Pivoting QR: (matrix, initial pivots) to (matrix, pivots, factors).
template <class T>
void Geqp3(LapackCall& call, const Routine<T>& f) {
  const std::vector<int> s = call.Sizes(2);
  int m = s[0], n = s[1], k = std::min(m, n), lda = AtLeastOne(m), info = 0;
  call.Counts(2, 3), call.Operand<T>(0, {m, n}), call.Operand<int>(1, {n});
  call.Result<T>(0, {m, n}), call.Result<int>(1, {n}), call.Result<T>(2, {k});
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    std::vector<T> a = call.Load<T>(0, b, m, n), tau(static_cast<size_t>(k));
    std::vector<int> pivots = call.Load<int>(1, b, n);
    std::vector<typename Traits<T>::Real> rwork(static_cast<size_t>(2 * n));
    WithWork<T>([&](T* work, int* lwork) {
      if constexpr (kComplex<T>) f(&m, &n, a.data(), &lda, pivots.data(), tau.data(), work, lwork, rwork.data(), &info);
      else f(&m, &n, a.data(), &lda, pivots.data(), tau.data(), work, lwork, &info);
    });
    call.Store(0, b, a, m, n), call.Store(1, b, pivots, n), call.Store(2, b, tau, k);
  }
}

// The product of Householder's reflections: orgqr, ungqr.
template <class T>
void Orgqr(LapackCall& call, const Routine<T>& f) {
  const std::vector<int> s = call.Sizes(2);
  int m = s[0], n = s[1], lda = AtLeastOne(m), info = 0, k = 0;
  call.Counts(2, 1);
  if (call.good()) k = call.LastSizeOf(1);
  call.Operand<T>(0, {m, n}), call.Operand<T>(1, {k}), call.Result<T>(0, {m, n}), call.Require(k <= n && n <= m);
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    std::vector<T> a = call.Load<T>(0, b, m, n), tau = call.Load<T>(1, b, k);
    WithWork<T>([&](T* work, int* lwork) { f(&m, &n, &k, a.data(), &lda, tau.data(), work, lwork, &info); });
    call.Store(0, b, a, m, n);
  }
}

// A matrix times that product, transposed or not, on its left or right: ormqr, unmqr. (reflections, factors, matrix)
template <class T>
void Ormqr(LapackCall& call, const Routine<T>& f) {
  const std::vector<int> s = call.Sizes(2);
  int lda = AtLeastOne(s[0]), m = 0, n = 0, k = 0, info = 0;
  const bool left_side = call.Flag("left", true), transpose = call.Flag("transpose", false);
  char side = left_side ? 'L' : 'R', trans = !transpose ? 'N' : kComplex<T> ? 'C' : 'T';
  call.Counts(3, 1);
  if (call.good()) k = call.LastSizeOf(1), n = call.LastSizeOf(2), m = call.LastSizeOf(2, 1);
  call.Operand<T>(0, {s[0], s[1]}), call.Operand<T>(1, {k}), call.Operand<T>(2, {m, n}), call.Result<T>(0, {m, n});
  call.Require(s[0] == (left_side ? m : n) && k <= s[0] && k <= s[1]);
  int ldc = AtLeastOne(m);
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    std::vector<T> a = call.Load<T>(0, b, s[0], s[1]), tau = call.Load<T>(1, b, k), c = call.Load<T>(2, b, m, n);
    WithWork<T>([&](T* work, int* lwork) {
      f(&side, &trans, &m, &n, &k, a.data(), &lda, tau.data(), c.data(), &ldc, work, lwork, &info, kOne, kOne);
    });
    call.Store(0, b, c, m, n);
  }
}

// Eigenvectors and eigenvalues of a symmetric or Hermitian matrix: syevd, heevd.
template <class T>
void Syevd(LapackCall& call, const Routine<T>& f) {
  using R = typename Traits<T>::Real;
  int n = call.Sizes(2)[0], lda = AtLeastOne(n), info = 0;
  char mode = call.Letter("mode", "VN"), uplo = call.Letter("uplo", "LU");
  const bool says_how = call.result_count() > 2;
  call.Counts(1, 2), call.Operand<T>(0, {n, n}), call.Result<T>(0, {n, n}), call.Result<R>(1, {n});
  if (says_how) call.Result<int>(2, {});
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    std::vector<T> a = call.Load<T>(0, b, n, n);
    std::vector<R> w(static_cast<size_t>(n)), rwork(1);
    std::vector<int> iwork(1);
    // Three workspaces, queried together.
    WithWork<T>([&](T* work, int* lwork) {
      int lrwork = *lwork < 0 ? -1 : static_cast<int>(rwork.size()),
          liwork = *lwork < 0 ? -1 : static_cast<int>(iwork.size());
      if constexpr (kComplex<T>) {
        f(&mode, &uplo, &n, a.data(), &lda, w.data(), work, lwork, rwork.data(), &lrwork, iwork.data(), &liwork, &info,
          kOne, kOne);
      } else {
        f(&mode, &uplo, &n, a.data(), &lda, w.data(), work, lwork, iwork.data(), &liwork, &info, kOne, kOne);
      }
      if (*lwork >= 0) return;
      rwork.resize(static_cast<size_t>(std::max(R(1), rwork[0])));
      iwork.resize(static_cast<size_t>(std::max(1, iwork[0])));
    });
    call.Store(0, b, a, n, n), call.Store(1, b, w, n);
    if (says_how) call.StoreInt(2, b, info);
  }
}

// (contents of the matrix after the call, singular values, left and right vectors, info). With an option "v" the right
// ones are columns.
template <class T>
void Gesdd(LapackCall& call, const Routine<T>& f) {
  using R = typename Traits<T>::Real;
  const std::vector<int> s = call.Sizes(2);
  int m = s[0], n = s[1], k = std::min(m, n), lda = AtLeastOne(m), info = 0;
  char mode = call.Letter("mode", "ASN");
  if (call.Number("vectors", -1) >= 0)
    mode = call.Number("vectors", 0) == 0 ? 'N' : call.Number("full", 0) != 0 ? 'A' : 'S';
  const bool vectors = mode != 'N', by_columns = call.Number("v", 0) != 0;
  const int u_columns = mode == 'S' ? k : m, vt_rows = mode == 'S' ? k : n;
  int ldu = AtLeastOne(m), ldvt = AtLeastOne(vt_rows);
  call.Counts(1, 5), call.Operand<T>(0, {m, n}), call.Result<T>(0, {m, n}), call.Result<R>(1, {k}),
      call.Result<int>(4, {});
  if (vectors) {
    call.Result<T>(2, {m, u_columns});
    call.Result<T>(3, by_columns ? std::vector<int>{n, vt_rows} : std::vector<int>{vt_rows, n});
  }
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    std::vector<T> a = call.Load<T>(0, b, m, n), u(static_cast<size_t>(m) * static_cast<size_t>(u_columns)),
                   vt(static_cast<size_t>(vt_rows) * static_cast<size_t>(n));
    std::vector<R> values(static_cast<size_t>(k));
    const size_t low = static_cast<size_t>(k), high = static_cast<size_t>(std::max(m, n));
    std::vector<R> rwork(
        kComplex<T> ? std::max<size_t>(1, vectors ? low * std::max(5 * low + 5, 2 * high + 2 * low + 1) : 7 * low) : 1);
    std::vector<int> iwork(std::max<size_t>(1, 8 * low));
    WithWork<T>([&](T* work, int* lwork) {
      if constexpr (kComplex<T>) {
        f(&mode, &m, &n, a.data(), &lda, values.data(), u.data(), &ldu, vt.data(), &ldvt, work, lwork, rwork.data(),
          iwork.data(), &info, kOne);
      } else {
        f(&mode, &m, &n, a.data(), &lda, values.data(), u.data(), &ldu, vt.data(), &ldvt, work, lwork, iwork.data(),
          &info, kOne);
      }
    });
    call.Store(0, b, a, m, n), call.Store(1, b, values, k), call.StoreInt(4, b, info);
    if (!vectors) continue;
    call.Store(2, b, u, m, u_columns);
    if (!by_columns) {
      call.Store(3, b, vt, vt_rows, n);
      continue;
    }
    std::vector<T> v(vt.size());
    for (size_t r = 0, rows = static_cast<size_t>(vt_rows), columns = static_cast<size_t>(n); r < rows; ++r) {
      for (size_t c = 0; c < columns; ++c) {
        if constexpr (kComplex<T>) v[r * columns + c] = std::conj(vt[c * rows + r]);
        else v[r * columns + c] = vt[c * rows + r];
      }
    }
    call.Store(3, b, v, n, vt_rows);
  }
}

// Solves with a triangular matrix, operand 0; the result replaces operand 1.
template <class T>
void Trsm(LapackCall& call, const Routine<T>& f) {
  const int k = call.Sizes(2)[0];
  int m = 0, n = 0;
  call.Counts(2, 1);
  if (call.good()) n = call.LastSizeOf(1), m = call.LastSizeOf(1, 1);
  char side = call.Letter("side", "LR"), uplo = call.Letter("uplo", "LU"), trans = call.Letter("trans_x", "NTC"),
       diag = call.Letter("diag", "NU");
  const T alpha = call.Alpha<T>();
  call.Operand<T>(0, {k, k}), call.Operand<T>(1, {m, n}), call.Result<T>(0, {m, n}),
      call.Require(k == (side == 'L' ? m : n));
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    const std::vector<T> a = call.Load<T>(0, b, k, k);
    std::vector<T> x = call.Load<T>(1, b, m, n);
    int lda = AtLeastOne(k), ldb = AtLeastOne(m);
    f(&side, &uplo, &trans, &diag, &m, &n, &alpha, a.data(), &lda, x.data(), &ldb, kOne, kOne, kOne, kOne);
    call.Store(0, b, x, m, n);
  }
}

// LAPACK stores the eigenvectors of two conjugate eigenvalues of a real matrix as their real and imaginary parts, in
// adjacent columns.
template <class R>
std::vector<std::complex<R>> UnpackVectors(const std::vector<R>& packed, const std::vector<R>& imaginary, int n) {
  std::vector<std::complex<R>> vectors(packed.size());
  const size_t size = static_cast<size_t>(n);
  for (size_t j = 0; j < size; ++j) {
    const bool pair = imaginary[j] != 0 && j + 1 < size;
    for (size_t i = 0; i < size; ++i) {
      const R real = packed[j * size + i], imag = pair ? packed[(j + 1) * size + i] : R(0);
      vectors[j * size + i] = {real, imag};
      if (pair) vectors[(j + 1) * size + i] = {real, -imag};
    }
    if (pair) ++j;
  }
  return vectors;
}

// geev's results for a matrix: eigenvalues (for real matrices with separate imaginary parts) and eigenvectors in
// LAPACK's packing.
template <class T>
struct Eigenvectors {
  std::vector<T> rest, values, left, right;
  std::vector<typename Traits<T>::Real> imaginary;
  int info = 0;
};
template <class T>
Eigenvectors<T> RunGeev(LapackCall& call, const Routine<T>& f, int64_t batch, int n, char left, char right) {
  const size_t size = static_cast<size_t>(n), square = size * size;
  Eigenvectors<T> r;
  r.rest = call.Load<T>(0, batch, n, n);
  r.values.resize(size), r.imaginary.resize(size), r.left.resize(square), r.right.resize(square);
  // LAPACK's geev ends the process at a NaN. JAX's call does not run it then and returns these values.
  if (!std::all_of(r.rest.begin(), r.rest.end(), [](T x) { return std::isfinite(std::abs(x)); })) {
    for (std::vector<T>* part : {&r.values, &r.left, &r.right})
      part->assign(part->size(), std::numeric_limits<typename Traits<T>::Real>::quiet_NaN());
    r.info = -4;
    return r;
  }
  int ld = AtLeastOne(n);
  std::vector<typename Traits<T>::Real> rwork(2 * size + 1);
  WithWork<T>([&](T* work, int* lwork) {
    if constexpr (kComplex<T>) {
      f(&left, &right, &n, r.rest.data(), &ld, r.values.data(), r.left.data(), &ld, r.right.data(), &ld, work, lwork,
        rwork.data(), &r.info, kOne, kOne);
    } else {
      f(&left, &right, &n, r.rest.data(), &ld, r.values.data(), r.imaginary.data(), r.left.data(), &ld, r.right.data(),
        &ld, work, lwork, &r.info, kOne, kOne);
    }
  });
  return r;
}

// cuSOLVER's: (contents of the matrix after the call, complex eigenvalues, left and right vectors in LAPACK's packing,
// info).
template <class T>
void PackedGeev(LapackCall& call, const Routine<T>& f) {
  using C = std::complex<typename Traits<T>::Real>;
  const int n = call.Sizes(2)[0];
  const char left = call.Flag("left", false) ? 'V' : 'N', right = call.Flag("right", false) ? 'V' : 'N';
  call.Counts(1, 5), call.Operand<T>(0, {n, n}), call.Result<T>(0, {n, n}), call.Result<C>(1, {n});
  call.Result<T>(2, {n, n}), call.Result<T>(3, {n, n}), call.Result<int>(4, {});
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    const Eigenvectors<T> r = RunGeev(call, f, b, n, left, right);
    std::vector<C> values(r.values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      if constexpr (kComplex<T>) values[i] = r.values[i];
      else values[i] = {r.values[i], r.imaginary[i]};
    }
    call.Store(0, b, r.rest, n, n), call.Store(1, b, values, n);
    call.Store(2, b, r.left, n, n), call.Store(3, b, r.right, n, n), call.StoreInt(4, b, r.info);
  }
}

// Eigenvalues, then left and right eigenvectors, which are always complex; then info.
template <class T>
void Geev(LapackCall& call, const Routine<T>& f) {
  using C = std::complex<typename Traits<T>::Real>;
  if (call.Number("packed", 0) != 0) return PackedGeev(call, f);
  const int n = call.Sizes(2)[0];
  const char left = call.Letter("compute_left", "VN"), right = call.Letter("compute_right", "VN");
  const size_t first = kComplex<T> ? 1 : 2;
  call.Counts(1, first + 3), call.Operand<T>(0, {n, n}), call.Result<T>(0, {n}), call.Result<T>(first - 1, {n});
  call.Result<C>(first, {n, n}), call.Result<C>(first + 1, {n, n}), call.Result<int>(first + 2, {});
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    const Eigenvectors<T> r = RunGeev(call, f, b, n, left, right);
    call.Store(0, b, r.values, n), call.StoreInt(first + 2, b, r.info);
    if constexpr (kComplex<T>) {
      call.Store(first, b, r.left, n, n), call.Store(first + 1, b, r.right, n, n);
    } else {
      call.Store(1, b, r.imaginary, n);
      call.Store(first, b, UnpackVectors(r.left, r.imaginary, n), n, n),
          call.Store(first + 1, b, UnpackVectors(r.right, r.imaginary, n), n, n);
    }
  }
}

// Schur's form: (matrix, vectors, eigenvalues, number selected, info). Without sorting none are selected. In some
// versions the vectors follow the eigenvalues.
template <class T>
void Gees(LapackCall& call, const Routine<T>& f) {
  using R = typename Traits<T>::Real;
  int n = call.Sizes(2)[0], ld = AtLeastOne(n), info = 0, selected = 0;
  char mode = call.Letter("mode", "VN"), sort = call.Letter("sort", "N");
  const size_t last = kComplex<T> ? 2 : 3, size = static_cast<size_t>(n);
  if (call.ResultHasRank(1, 1) && call.ResultHasRank(last, 2)) {
    if (kComplex<T>) call.PlaceResults({0, 2, 1, 3, 4});
    else call.PlaceResults({0, 3, 1, 2, 4, 5});
  }
  call.Counts(1, last + 3), call.Operand<T>(0, {n, n}), call.Result<T>(0, {n, n}), call.Result<T>(1, {n, n}),
      call.Result<T>(2, {n});
  call.Result<T>(last, {n}), call.Result<int>(last + 1, {}), call.Result<int>(last + 2, {});
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    std::vector<T> a = call.Load<T>(0, b, n, n), vs(size * size), w(size);
    std::vector<R> imaginary(size), rwork(size + 1);
    std::vector<int> unused(size + 1);
    void* select = nullptr;
    WithWork<T>([&](T* work, int* lwork) {
      if constexpr (kComplex<T>) {
        f(&mode, &sort, select, &n, a.data(), &ld, &selected, w.data(), vs.data(), &ld, work, lwork, rwork.data(),
          unused.data(), &info, kOne, kOne);
      } else {
        f(&mode, &sort, select, &n, a.data(), &ld, &selected, w.data(), imaginary.data(), vs.data(), &ld, work, lwork,
          unused.data(), &info, kOne, kOne);
      }
    });
    call.Store(0, b, a, n, n), call.Store(1, b, vs, n, n), call.Store(2, b, w, n);
    if constexpr (!kComplex<T>) call.Store(3, b, imaginary, n);
    call.StoreInt(last + 1, b, selected), call.StoreInt(last + 2, b, info);
  }
}

// Hessenberg's form.
template <class T>
void Gehrd(LapackCall& call, const Routine<T>& f) {
  int n = call.Sizes(2)[0], lda = AtLeastOne(n), info = 0, low = call.Number("low", 1), high = call.Number("high", n);
  const int k = std::max(0, n - 1);
  call.Counts(1, 3), call.Operand<T>(0, {n, n}), call.Result<T>(0, {n, n}), call.Result<T>(1, {k}),
      call.Result<int>(2, {});
  call.Require(n == 0 ? low == 1 && high == 0 : 1 <= low && low <= high && high <= n);
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    std::vector<T> a = call.Load<T>(0, b, n, n), tau(static_cast<size_t>(k));
    WithWork<T>([&](T* work, int* lwork) { f(&n, &low, &high, a.data(), &lda, tau.data(), work, lwork, &info); });
    call.Store(0, b, a, n, n), call.Store(1, b, tau, k), call.StoreInt(2, b, info);
  }
}

// Tridiagonal reduction of a symmetric or Hermitian matrix: sytrd, hetrd.
template <class T>
void Sytrd(LapackCall& call, const Routine<T>& f) {
  using R = typename Traits<T>::Real;
  int n = call.Sizes(2)[0], lda = AtLeastOne(n), info = 0;
  const int k = std::max(0, n - 1);
  char uplo = call.Letter("uplo", "LU");
  call.Counts(1, 5), call.Operand<T>(0, {n, n}), call.Result<T>(0, {n, n}), call.Result<R>(1, {n}),
      call.Result<R>(2, {k});
  call.Result<T>(3, {k}), call.Result<int>(4, {});
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    std::vector<T> a = call.Load<T>(0, b, n, n), tau(static_cast<size_t>(k));
    std::vector<R> d(static_cast<size_t>(n)), e(static_cast<size_t>(k));
    WithWork<T>([&](T* work, int* lwork) {
      f(&uplo, &n, a.data(), &lda, d.data(), e.data(), tau.data(), work, lwork, &info, kOne);
    });
    call.Store(0, b, a, n, n), call.Store(1, b, d, n), call.Store(2, b, e, k), call.Store(3, b, tau, k),
        call.StoreInt(4, b, info);
  }
}

// Solves with a tridiagonal matrix: its lower diagonal, whose first element is not used, the diagonal, the upper one,
// whose last is not used; then the right side. cuSPARSE's routine returns only the solution.
template <class T>
void Gtsv(LapackCall& call, const Routine<T>& f) {
  int n = call.Sizes(1)[0], columns = 0, ldb = AtLeastOne(n), info = 0;
  const bool alone = call.result_count() < 5;
  const size_t solution = alone ? 0 : 3;
  call.Counts(4, alone ? 1 : 5);
  if (call.good()) columns = call.LastSizeOf(3);
  for (size_t i = 0; i < 3; ++i) call.Operand<T>(i, {n});
  for (size_t i = 0; i < solution; ++i) call.Result<T>(i, {n});
  call.Operand<T>(3, {n, columns}), call.Result<T>(solution, {n, columns});
  if (!alone) call.Result<int>(4, {});
  for (int64_t b = 0; call.good() && b < call.batch(); ++b) {
    std::vector<T> lower = call.Load<T>(0, b, n), diagonal = call.Load<T>(1, b, n), upper = call.Load<T>(2, b, n),
                   x = call.Load<T>(3, b, n, columns);
    f(&n, &columns, lower.data() + (n > 0 ? 1 : 0), diagonal.data(), upper.data(), x.data(), &ldb, &info);
    call.Store(solution, b, x, n, columns);
    if (alone) continue;
    call.Store(0, b, lower, n), call.Store(1, b, diagonal, n), call.Store(2, b, upper, n);
    call.StoreInt(4, b, info);
  }
}

template <class T>
using Runner = void (*)(LapackCall&, const Routine<T>&);
template <class T>
struct Entry {
  const char* name;
  Runner<T> run;
};
// orgqr and others have different names for complex numbers.
template <class T>
constexpr Entry<T> kEntries[] = {{"potrf", &Potrf<T>},
                                 {"getrf", &Getrf<T>},
                                 {"geqrf", &Geqrf<T>},
                                 {"geqp3", &Geqp3<T>},
                                 {kComplex<T> ? "ungqr" : "orgqr", &Orgqr<T>},
                                 {kComplex<T> ? "unmqr" : "ormqr", &Ormqr<T>},
                                 {kComplex<T> ? "heevd" : "syevd", &Syevd<T>},
                                 {"gesdd", &Gesdd<T>},
                                 {"trsm", &Trsm<T>},
                                 {"geev", &Geev<T>},
                                 {"gees", &Gees<T>},
                                 {"gehrd", &Gehrd<T>},
                                 {kComplex<T> ? "hetrd" : "sytrd", &Sytrd<T>},
                                 {"gtsv", &Gtsv<T>}};

// "lapack_" or "blas_", a letter for the type, the routine, and in current versions "_ffi". Returns f(entry, form) for
// the entry of that name, or false.
template <class F>
bool FindEntry(std::string_view target, F&& f) {
  const size_t prefix = target.starts_with("lapack_") ? 7 : target.starts_with("blas_") ? 5 : 0;
  const bool blas = prefix == 5, typed = target.ends_with("_ffi");
  if (prefix == 0 || target.size() <= prefix + 1) return false;
  const char letter = target[prefix];
  target.remove_prefix(prefix + 1);
  if (typed) target.remove_suffix(4);
  auto find = [&]<class T>(T) {
    if (letter != Traits<T>::kLetter || (blas && target != "trsm")) return false;
    for (const Entry<T>& entry : kEntries<T>) {
      if (target != entry.name) continue;
      LapackForm form = typed ? LapackForm() : OldLapackForm(target, kComplex<T>);
      if (typed && blas) form.alpha = 2;
      if (!typed && form.first_array == 0) return false;  // has no old form
      return f(entry, form), true;
    }
    return false;
  };
  return find(float()) || find(double()) || find(std::complex<float>()) || find(std::complex<double>());
}

}  // namespace

bool IsLapackCall(const HloInstruction& call) {
  return FindEntry(LapackTarget(call), [](const auto&, const LapackForm&) {});
}

StatusOr<Value> EvaluateLapack(EvalContext& context) {
  for (int64_t i = 0; i < context.operand_count(); ++i) {
    if (!context.instruction.operand(i)->shape().IsArray()) return UnimplementedOp(context, "LAPACK takes arrays");
  }
  for (const Shape* leaf : context.shape.Leaves()) {
    if (!leaf->IsArray()) return UnimplementedOp(context, "LAPACK gives arrays");
  }
  StatusOr<Value> result = UnimplementedOp(context, "this machine has no LAPACK (liblapack.so.3)");
  FindEntry(LapackTarget(context.instruction), [&]<class T>(const Entry<T>& entry, LapackForm form) {
    const Routine<T> routine(entry.name);
    if (!routine.found()) return;
    SetOtherOptions(context.instruction, form);
    LapackCall call(context, form);
    if (call.good()) entry.run(call, routine);
    if (call.good()) result = std::move(call).Finish();
    else
      result =
          InvalidArgument(Format("{}: LAPACK's routine takes other shapes or options", context.instruction.name()));
  });
  return result;
}

}  // namespace hloir::reference
