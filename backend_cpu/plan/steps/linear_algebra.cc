// See linear_algebra.h. Tests: tests/ops/cholesky*.hlo, triangular-solve*.hlo, tests/unit/executable_types_test.cc.
#include "plan/steps/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "support/format.h"

namespace hloir::cpu {
namespace {

using Complex = std::complex<double>;

double Conjugate(double x) { return x; }
Complex Conjugate(Complex x) { return std::conj(x); }
double Product(double a, double b) { return a * b; }
// The plain formula, without the test for infinities of C's.
Complex Product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
// y -= a x
template <class W>
void SubtractScaled(W* y, W a, const W* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] -= Product(a, x[i]);
}
template <class W>
constexpr PrimitiveType kWide = std::is_same_v<W, double> ? PrimitiveType::F64 : PrimitiveType::C128;

int64_t BatchSize(const DimVector& dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  return count;
}

// a = l l^H, or a = u^H u, from the selected triangle.
template <class W>
class CholeskyStep : public Step {
 public:
  explicit CholeskyStep(const HloInstruction& i)
      : type_(i.shape().element_type()),
        n_(i.shape().dimensions().back()),
        lower_(i.attributes<CholeskyAttributes>().lower),
        matrices_(BatchSize(i.shape().dimensions()) / (n_ * n_)) {}
  // Each matrix in f64, and a column for each.
  int64_t scratch_bytes() const { return matrices_ * (n_ * n_ + n_) * static_cast<int64_t>(sizeof(W)); }
  bool Run(Runtime& runtime) override {
    runtime.pool->ForItems(matrices_, Flops(), [&](int64_t m, int) { Factor(m); });
    return true;
  }
  std::string Name() const override { return Format("cholesky {} of {}x{}", matrices_, n_, n_); }
  double Flops() const override {
    return static_cast<double>(matrices_) * static_cast<double>(n_) * static_cast<double>(n_) *
           static_cast<double>(n_) / 3;
  }

 private:
  void Factor(int64_t m) {
    const int64_t size = n_ * n_, bytes = size * StorageBytes(type_);
    W* l = refs()[2].template as<W>() + m * (size + n_);
    W* column = l + size;
    ConvertElements(type_, refs()[0].pointer + m * bytes, kWide<W>, l, size);
    if (!lower_) {
      for (int64_t i = 0; i < n_; ++i)
        for (int64_t j = 0; j < i; ++j) l[i * n_ + j] = Conjugate(l[j * n_ + i]);
    }
    bool positive = true;
    for (int64_t k = 0; k < n_ && positive; ++k) {
      const double square = std::real(l[k * n_ + k]), diagonal = std::sqrt(square);
      positive = square > 0;
      l[k * n_ + k] = diagonal;
      for (int64_t i = k + 1; i < n_; ++i) column[i] = Conjugate(l[i * n_ + k] = l[i * n_ + k] / diagonal);
      for (int64_t i = k + 1; i < n_; ++i) SubtractScaled(l + i * n_ + k + 1, l[i * n_ + k], column + k + 1, i - k);
    }
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        if (!lower_) l[j * n_ + i] = Conjugate(l[i * n_ + j]);
        l[lower_ ? j * n_ + i : i * n_ + j] = 0;
      }
    }
    if (!positive) std::fill_n(l, size, NotPositive());
    ConvertElements(kWide<W>, l, type_, refs()[1].pointer + m * bytes, size);
  }
  static W NotPositive() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if constexpr (std::is_same_v<W, double>) return nan;
    else return {nan, nan};
  }

  const PrimitiveType type_;
  const int64_t n_;
  const bool lower_;
  const int64_t matrices_;
};

// op(a) x = b, or x op(a) = b: which is op(a)^T x^T = b^T, with x transposed before and after. Rows of x are computed
// one after the other, and each is subtracted from the others at once.
template <class W>
class TriangularSolveStep : public Step {
 public:
  explicit TriangularSolveStep(const HloInstruction& i)
      : attributes_(i.attributes<TriangularSolveAttributes>()),
        a_type_(i.operand(0)->shape().element_type()),
        b_type_(i.operand(1)->shape().element_type()),
        type_(i.shape().element_type()) {
    const DimVector& dims = i.shape().dimensions();
    const int64_t rows = dims[dims.size() - 2], columns = dims.back();
    n_ = attributes_.left_side ? rows : columns;
    lines_ = attributes_.left_side ? columns : rows;
    matrices_ = BatchSize(dims) / (rows * columns);
  }
  int64_t scratch_bytes() const { return matrices_ * n_ * (n_ + 2 * lines_) * static_cast<int64_t>(sizeof(W)); }
  bool Run(Runtime& runtime) override {
    constexpr int64_t kLines = 64;
    const int64_t blocks = (lines_ + kLines - 1) / kLines;
    const double elements = static_cast<double>(matrices_ * n_) * static_cast<double>(n_ + lines_);
    runtime.pool->ForItems(matrices_, elements, [&](int64_t m, int) { Load(m); });
    runtime.pool->ForItems(matrices_ * blocks, Flops(), [&](int64_t block, int) {
      const int64_t begin = block % blocks * kLines;
      Solve(block / blocks, begin, std::min(kLines, lines_ - begin));
    });
    runtime.pool->ForItems(matrices_, elements, [&](int64_t m, int) { Store(m); });
    return true;
  }
  std::string Name() const override {
    return Format("triangular-solve {} of {}x{}, {} lines", matrices_, n_, n_, lines_);
  }
  double Flops() const override { return static_cast<double>(matrices_ * lines_) * static_cast<double>(n_ * n_); }

 private:
  W* A(int64_t m) { return refs()[3].template as<W>() + m * n_ * n_; }
  W* X(int64_t m) { return refs()[3].template as<W>() + matrices_ * n_ * n_ + m * n_ * lines_; }
  W* Turned(int64_t m) { return X(matrices_ + m); }

  void Load(int64_t m) {
    const int64_t size = n_ * lines_;
    ConvertElements(a_type_, refs()[0].pointer + m * n_ * n_ * StorageBytes(a_type_), kWide<W>, A(m), n_ * n_);
    ConvertElements(b_type_, refs()[1].pointer + m * size * StorageBytes(b_type_), kWide<W>,
                    attributes_.left_side ? X(m) : Turned(m), size);
    if (attributes_.left_side) return;
    for (int64_t line = 0; line < lines_; ++line)
      for (int64_t i = 0; i < n_; ++i) X(m)[i * lines_ + line] = Turned(m)[line * n_ + i];
  }
  void Store(int64_t m) {
    const int64_t size = n_ * lines_;
    if (!attributes_.left_side) {
      for (int64_t line = 0; line < lines_; ++line)
        for (int64_t i = 0; i < n_; ++i) Turned(m)[line * n_ + i] = X(m)[i * lines_ + line];
    }
    ConvertElements(kWide<W>, attributes_.left_side ? X(m) : Turned(m), type_,
                    refs()[2].pointer + m * size * StorageBytes(type_), size);
  }
  void Solve(int64_t m, int64_t begin, int64_t count) {
    const bool flipped = (attributes_.transpose_a != TransposeA::kNoTranspose) == attributes_.left_side;
    const bool forward = attributes_.lower != flipped;  // op(a), as it acts on a column, is lower triangular
    const W* a = A(m);
    W* x = X(m) + begin;
    auto element = [&](int64_t i, int64_t j) {
      const W value = a[flipped ? j * n_ + i : i * n_ + j];
      return attributes_.transpose_a == TransposeA::kAdjoint ? Conjugate(value) : value;
    };
    for (int64_t step = 0; step < n_; ++step) {
      const int64_t i = forward ? step : n_ - 1 - step;
      for (int64_t done = 0; done < step; ++done) {
        const int64_t k = forward ? done : n_ - 1 - done;
        SubtractScaled(x + i * lines_, element(i, k), x + k * lines_, count);
      }
      if (attributes_.unit_diagonal) continue;
      const W diagonal = element(i, i);
      for (int64_t line = 0; line < count; ++line) x[i * lines_ + line] /= diagonal;
    }
  }

  const TriangularSolveAttributes attributes_;
  const PrimitiveType a_type_, b_type_, type_;
  int64_t n_ = 0, lines_ = 0, matrices_ = 0;
};

template <template <class> class S>
std::unique_ptr<Step> MakeFor(const HloInstruction& i, bool complex, int64_t* scratch) {
  auto finish = [&](auto step) -> std::unique_ptr<Step> {
    *scratch = step->scratch_bytes();
    return step;
  };
  if (complex) return finish(std::make_unique<S<Complex>>(i));
  return finish(std::make_unique<S<double>>(i));
}

}  // namespace

std::unique_ptr<Step> MakeCholesky(const HloInstruction& cholesky, int64_t* scratch) {
  return MakeFor<CholeskyStep>(cholesky, IsComplex(cholesky.shape().element_type()), scratch);
}

std::unique_ptr<Step> MakeTriangularSolve(const HloInstruction& solve, int64_t* scratch) {
  const Shape &a = solve.operand(0)->shape(), &b = solve.operand(1)->shape();
  const int64_t n = a.dimensions().back();
  if (b.rank() < 2 || a.rank() < 2 || a.dimensions(a.rank() - 2) != n ||
      b.dimensions(solve.attributes<TriangularSolveAttributes>().left_side ? b.rank() - 2 : b.rank() - 1) != n ||
      a.ElementCount() / (n * n) != b.ElementCount() / (b.dimensions().back() * b.dimensions(b.rank() - 2))) {
    return nullptr;
  }
  const bool complex =
      IsComplex(a.element_type()) || IsComplex(b.element_type()) || IsComplex(solve.shape().element_type());
  return MakeFor<TriangularSolveStep>(solve, complex, scratch);
}

}  // namespace hloir::cpu
