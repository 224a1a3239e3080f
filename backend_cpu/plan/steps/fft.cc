// See fft.h. Tests: tests/ops/fft*.hlo, tests/unit/executable_kernels_test.cc.
#include "plan/steps/fft.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "support/format.h"
#include "plan/graph/view.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kMaxLineBytes = 1 << 20;  // of those lines together, if they are long
constexpr int64_t kFftLines = 16;           // lines at a time, while there are enough
static_assert(kFftLines + kFftLines / 2 <= kFftLanes);
constexpr int64_t kMaxLength = 1 << 24;

// The transform of `lanes` lines of one length, in arrays [n][lanes] of real and imaginary parts.
template <class T>
class LineTransform {
 public:
  explicit LineTransform(int64_t n) : n_(n), work_(n) {
    int64_t rest = n;
    while (rest % 4 == 0) radices_.push_back(4), rest /= 4;
    for (int radix : {2, 3, 5})
      while (rest % radix == 0) radices_.push_back(radix), rest /= radix;
    if (rest == 1) {
      MakeTwiddles();
      return;
    }
    // x_k·c_k convolved with conj(c), c_k = exp(-i pi k² / n), by transforms of a power of 2.
    radices_.clear();
    work_ = 1;
    while (work_ < 2 * n - 1) work_ *= 2;
    inner_ = std::make_unique<LineTransform>(work_);
    chirp_.resize(2 * n);
    for (int64_t k = 0; k < n; ++k) {
      const double angle = std::numbers::pi *
                           static_cast<double>(static_cast<int64_t>(static_cast<__int128>(k) * k % (2 * n))) /
                           static_cast<double>(n);
      chirp_[2 * k] = static_cast<T>(std::cos(angle));
      chirp_[2 * k + 1] = static_cast<T>(-std::sin(angle));
    }
  }
  // Numbers that each of the four arrays has to have room for, for one lane.
  int64_t room() const { return work_; }

  // The transform of the chirp, which needs kernels.
  void Finish(const KernelTable& kernels) {
    if (inner_ == nullptr) return;
    std::vector<T> arrays(4 * work_);
    T* a[4];
    for (int i = 0; i < 4; ++i) a[i] = arrays.data() + i * work_;
    for (int64_t k = 0; k < n_; ++k) {
      for (int64_t at : {k, (work_ - k) % work_}) a[0][at] = chirp_[2 * k], a[1][at] = -chirp_[2 * k + 1];
    }
    inner_->Run(kernels, a, 1);
    filter_.resize(2 * work_);
    for (int64_t k = 0; k < work_; ++k) {
      filter_[2 * k] = a[0][k] / static_cast<T>(work_);
      filter_[2 * k + 1] = a[1][k] / static_cast<T>(work_);
    }
  }

  // a[0] + i·a[1] is transformed; a[2] and a[3] are room. The result is in a[0] and a[1], which may be other arrays
  // then.
  void Run(const KernelTable& kernels, T* (&a)[4], int64_t lanes) const {
    if (inner_ != nullptr) return RunChirp(kernels, a, lanes);
    int64_t length = n_, s = lanes;
    const T* twiddles = twiddles_.data();
    for (size_t i = 0; i < radices_.size(); ++i) {
      const bool two = i + 1 < radices_.size() && radices_[i] == 4 && radices_[i + 1] == 4;
      const int64_t radix = two ? 16 : radices_[i], m = length / radix;
      if (two) kernels.fft_two_stages[sizeof(T) == 8](m, s, a[0], a[1], a[2], a[3], twiddles), ++i;
      else kernels.fft_stage[sizeof(T) == 8](radices_[i], m, s, a[0], a[1], a[2], a[3], twiddles);
      std::swap(a[0], a[2]);
      std::swap(a[1], a[3]);
      twiddles += two ? 30 * m : 2 * m * (radix - 1);  // 4·m and m times three pairs
      length = m;
      s *= radix;
    }
  }

 private:
  void MakeTwiddles() {
    int64_t length = n_;
    for (int radix : radices_) {
      const int64_t m = length / radix;
      for (int64_t p = 0; p < m; ++p) {
        for (int k = 1; k < radix; ++k) {
          const double angle = -2 * std::numbers::pi * static_cast<double>(p * k) / static_cast<double>(length);
          twiddles_.push_back(static_cast<T>(std::cos(angle)));
          twiddles_.push_back(static_cast<T>(std::sin(angle)));
        }
      }
      length = m;
    }
  }
  static void Multiply(T* re, T* im, const T* by, int64_t n, int64_t lanes) {
    for (int64_t k = 0; k < n; ++k) {
      const T c = by[2 * k], s = by[2 * k + 1];
      for (int64_t l = k * lanes; l < (k + 1) * lanes; ++l) {
        const T r = re[l] * c - im[l] * s;
        im[l] = re[l] * s + im[l] * c;
        re[l] = r;
      }
    }
  }
  void RunChirp(const KernelTable& kernels, T* (&a)[4], int64_t lanes) const {
    Multiply(a[0], a[1], chirp_.data(), n_, lanes);
    for (int i = 0; i < 2; ++i) std::fill(a[i] + n_ * lanes, a[i] + work_ * lanes, T(0));
    inner_->Run(kernels, a, lanes);
    Multiply(a[0], a[1], filter_.data(), work_, lanes);
    std::swap(a[0], a[1]);  // the inverse is the transform with real and imaginary parts swapped
    std::swap(a[2], a[3]);
    inner_->Run(kernels, a, lanes);
    std::swap(a[0], a[1]);
    std::swap(a[2], a[3]);
    Multiply(a[0], a[1], chirp_.data(), n_, lanes);
  }

  const int64_t n_;
  int64_t work_;
  std::vector<int> radices_;
  std::vector<T> twiddles_, chirp_, filter_;
  std::unique_ptr<LineTransform> inner_;
};

// A line of an even number n of reals as n/2 complex numbers of two adjacent reals each, which halves the work.
template <class T>
class FoldedReals {
 public:
  explicit FoldedReals(int64_t n) : half_(n / 2), transform_(n / 2) {
    for (int64_t k = 0; k <= half_; ++k) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
      turn_.push_back(static_cast<T>(std::cos(angle)));
      turn_.push_back(k == half_ ? T(0) : static_cast<T>(std::sin(angle)));
    }
  }
  void Finish(const KernelTable& kernels) { transform_.Finish(kernels); }

  // From the complex numbers [n/2][lanes] in a[0] and a[1] to the spectrum [n/2 + 1][lanes] of the reals, in a[2] and
  // a[3].
  void Forward(const KernelTable& kernels, T* (&a)[4], int64_t lanes) const {
    transform_.Run(kernels, a, lanes);
    void* const arrays[] = {a[0], a[1], a[2], a[3]};
    kernels.fft_unfold[sizeof(T) == 8](half_, lanes, turn_.data(), arrays);
  }
  // From the spectrum in a[2] and a[3] to n times the complex numbers: real parts in a[1], imaginary ones in a[0].
  void Inverse(const KernelTable& kernels, T* (&a)[4], int64_t lanes) const {
    void* const arrays[] = {a[0], a[1], a[2], a[3]};
    kernels.fft_fold[sizeof(T) == 8](half_, lanes, turn_.data(), arrays);
    transform_.Run(kernels, a, lanes);
  }

 private:
  const int64_t half_;
  LineTransform<T> transform_;
  std::vector<T> turn_;  // exp(-2 pi i k / n) for k up to n/2
};

template <class T>
class FftStep : public Step {
 public:
  FftStep(const HloInstruction& fft, int threads)
      : type_(fft.attributes<FftAttributes>().fft_type),
        dims_(fft.operand(0)->shape().dimensions()),
        result_dims_(fft.shape().dimensions()),
        threads_(threads) {
    const DimVector& lengths = fft.attributes<FftAttributes>().fft_length;
    for (int64_t n : lengths) {
      lines_.push_back(std::make_unique<LineTransform<T>>(n));
      scale_ *= static_cast<double>(n);
      length_.push_back(n);
      const int64_t line_bytes = lines_.back()->room() * static_cast<int64_t>(sizeof(T));
      lanes_.push_back(std::clamp<int64_t>(kMaxLineBytes / line_bytes, 1, kFftLines));
      each_ = std::max(each_, 4 * line_bytes * (lanes_.back() + lanes_.back() / 2) + 256);
    }
    if ((type_ == FftType::kRfft || type_ == FftType::kIrfft) && lengths.back() % 2 == 0)
      folded_ = std::make_unique<FoldedReals<T>>(lengths.back());
    if (!inverse()) scale_ = 1;
    if (type_ == FftType::kIrfft && lengths.size() > 1)
      copy_bytes_ = View::RowMajor(dims_).count() * 2 * static_cast<int64_t>(sizeof(T));
  }
  int64_t scratch_bytes() const { return copy_bytes_ + each_ * threads_ + 64; }

  void Bound(Runtime& runtime) override {
    if (std::exchange(finished_, true)) return;
    for (auto& line : lines_) line->Finish(*runtime.kernels);
    if (folded_ != nullptr) folded_->Finish(*runtime.kernels);
  }

  bool Run(Runtime& runtime) override {
    const size_t rank = dims_.size(), first = rank - lines_.size();
    const T* from = reinterpret_cast<const T*>(ref(0).pointer);
    T* to = reinterpret_cast<T*>(written(0).pointer);
    if (type_ == FftType::kIrfft) {
      // The half spectrum's other dimensions first, in a copy.
      T* copy = reinterpret_cast<T*>(written(1).pointer);
      for (size_t d = first; d + 1 < rank; ++d) {
        Pass(runtime, d, dims_, from, copy, kComplex, kComplex);
        from = copy;
      }
      Pass(runtime, rank - 1, result_dims_, from, to, kHalf, kReal);
      return true;
    }
    const bool real = type_ == FftType::kRfft;
    Pass(runtime, rank - 1, dims_, from, to, real ? kReal : kComplex, real ? kHalf : kComplex);
    for (size_t d = first; d + 1 < rank; ++d) Pass(runtime, d, result_dims_, to, to, kComplex, kComplex);
    return true;
  }
  // The usual count, 5 n log2(n) for a line of n complex numbers; half of that for real ones.
  double Flops() const override {
    double count = 1, logs = 0;
    for (int64_t d : type_ == FftType::kIrfft ? result_dims_ : dims_) count *= static_cast<double>(d);
    for (int64_t n : length_) logs += std::log2(static_cast<double>(std::max<int64_t>(n, 1)));
    return (type_ == FftType::kRfft || type_ == FftType::kIrfft ? 2.5 : 5.0) * count * logs;
  }
  std::string Name() const override {
    return Format("fft {} over {} dimensions, last {}", FftTypeText(), length_.size(), length_.back());
  }

 private:
  // The form of a line in memory: complex numbers, reals, or the first half of a symmetric spectrum.
  enum Form { kComplex, kReal, kHalf };
  bool inverse() const { return type_ == FftType::kIfft || type_ == FftType::kIrfft; }
  const char* FftTypeText() const {
    switch (type_) {
      case FftType::kIfft: return "inverse";
      case FftType::kRfft: return "of reals";
      case FftType::kIrfft: return "inverse to reals";
      default: return "forward";
    }
  }

  // All lines along dimension d of an array of `dims` numbers.
  void Pass(Runtime& runtime, size_t d, const DimVector& dims, const T* from, T* to, Form in, Form out) {
    const size_t which = d - (dims.size() - lines_.size());
    int64_t inner = 1, outer = 1;
    for (size_t i = 0; i < dims.size(); ++i) (i < d ? outer : inner) *= i == d ? 1 : dims[i];
    const int64_t lines = inner * outer, lanes = lanes_[which];
    // The last group takes up to half as many more, because a group of few lines takes as long as a full one.
    const int64_t groups = std::max<int64_t>(1, (lines + lanes / 2) / lanes);
    const int64_t parts = std::clamp<int64_t>(lines * length_[which] / 4096, 1, std::min<int64_t>(groups, 64));
    const bool last = d + 1 == dims.size();
    const double scale = last && inverse() ? 1 / scale_ : 1;
    runtime.pool->For(parts, 3.0 * static_cast<double>(lines * length_[which]), [&](int64_t part, int thread) {
      for (int64_t g = groups * part / parts; g < groups * (part + 1) / parts; ++g) {
        Group(runtime, which, g * lanes, g + 1 == groups ? lines : (g + 1) * lanes, inner, from, to, in, out,
              static_cast<T>(scale), thread);
      }
    });
  }

  void Group(Runtime& runtime, size_t which, int64_t begin, int64_t end, int64_t inner, const T* from, T* to, Form in,
             Form out, T scale, int thread) {
    const int64_t n = length_[which], half = n / 2 + 1, lanes = end - begin, room = lines_[which]->room() * lanes;
    T* memory = reinterpret_cast<T*>(written(1).pointer + (copy_bytes_ + 63) / 64 * 64 + thread * each_);
    T* a[4];
    for (int i = 0; i < 4; ++i) a[i] = memory + i * room;
    const bool across = inner >= lanes && begin / inner == (begin + lanes - 1) / inner;
    const auto lines = [&](int64_t stored) { return LineGroup{begin, lanes, stored, inner, across}; };
    const auto load = runtime.kernels->fft_load[sizeof(T) == 8];
    const auto store = runtime.kernels->fft_store[sizeof(T) == 8];
    if (folded_ != nullptr && in == kReal) {
      load(lines(n / 2), n / 2, from, a[0], a[1]);
      folded_->Forward(*runtime.kernels, a, lanes);
      return store(lines(half), half, a[2], a[3], scale, to);
    }
    if (folded_ != nullptr && out == kReal) {
      load(lines(half), half, from, a[2], a[3]);
      folded_->Inverse(*runtime.kernels, a, lanes);
      return store(lines(n / 2), n / 2, a[1], a[0], scale, to);
    }
    // The inverse is the transform with real and imaginary parts swapped.
    T *&re = inverse() ? a[1] : a[0], *&im = inverse() ? a[0] : a[1];
    switch (in) {
      case kComplex: load(lines(n), n, from, re, im); break;
      case kReal:
        ForEach(begin, lanes, n, n, [&](int64_t i, int64_t, int64_t at) { re[i] = from[at], im[i] = T(0); });
        break;
      case kHalf:
        ForEach(begin, lanes, n, half, [&](int64_t i, int64_t k, int64_t at) {
          const bool mirrored = k >= half;
          if (mirrored) at += n - 2 * k;
          const T imaginary = k == 0 ? T(0) : from[2 * at + 1];  // the first counts as real
          re[i] = from[2 * at];
          im[i] = mirrored ? -imaginary : imaginary;
        });
        break;
    }
    lines_[which]->Run(*runtime.kernels, a, lanes);
    if (out == kReal) {
      ForEach(begin, lanes, n, n, [&](int64_t i, int64_t, int64_t at) { to[at] = re[i] * scale; });
    } else {
      const int64_t kept = out == kHalf ? half : n;
      store(lines(kept), kept, re, im, scale, to);
    }
  }
  // Reals of an odd number, and their spectra: f(k·lanes + l, k, place in memory) for the first n numbers of lines
  // begin + l, which are `stored` long there, along the last dimension; no more cache lines at a time than there is
  // room for.
  template <class F>
  static void ForEach(int64_t begin, int64_t lanes, int64_t n, int64_t stored, F&& f) {
    constexpr int64_t kBlock = 32;
    for (int64_t k0 = 0; k0 < n; k0 += kBlock) {
      for (int64_t l = 0; l < lanes; ++l)
        for (int64_t k = k0; k < std::min(n, k0 + kBlock); ++k) f(k * lanes + l, k, (begin + l) * stored + k);
    }
  }

  const FftType type_;
  const DimVector dims_, result_dims_;
  const int threads_;
  std::vector<std::unique_ptr<LineTransform<T>>> lines_;
  std::unique_ptr<FoldedReals<T>> folded_;  // along the last dimension, of an even number of reals
  std::vector<int64_t> length_, lanes_;
  double scale_ = 1;
  int64_t each_ = 0, copy_bytes_ = 0;
  bool finished_ = false;
};

template <class T>
std::unique_ptr<Step> Make(const HloInstruction& fft, int threads, int64_t* scratch) {
  auto step = std::make_unique<FftStep<T>>(fft, threads);
  *scratch = step->scratch_bytes();
  return step;
}

}  // namespace

std::unique_ptr<Step> MakeFft(const HloInstruction& fft, int threads, int64_t* scratch) {
  const auto& attributes = fft.attributes<FftAttributes>();
  const DimVector &dims = fft.operand(0)->shape().dimensions(), &result_dims = fft.shape().dimensions();
  const size_t transformed = attributes.fft_length.size();
  if (transformed == 0 || transformed > dims.size() || dims.size() != result_dims.size()) return nullptr;
  for (size_t i = 0; i < transformed; ++i) {
    const size_t d = dims.size() - transformed + i;
    const int64_t n = attributes.fft_length[i];
    const bool last = d + 1 == dims.size(), to_half = last && attributes.fft_type == FftType::kRfft,
               from_half = last && attributes.fft_type == FftType::kIrfft;
    if (n < 1 || n > kMaxLength || dims[d] != (from_half ? n / 2 + 1 : n) ||
        result_dims[d] != (to_half ? n / 2 + 1 : n))
      return nullptr;
  }
  switch (fft.operand(0)->shape().element_type()) {
    case PrimitiveType::F32:
    case PrimitiveType::C64: return Make<float>(fft, threads, scratch);
    case PrimitiveType::F64:
    case PrimitiveType::C128: return Make<double>(fft, threads, scratch);
    default: return nullptr;
  }
}

}  // namespace hloir::cpu
