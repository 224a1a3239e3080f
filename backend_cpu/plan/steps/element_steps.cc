// See element_steps.h. Tests: tests/ops/scatter-*.hlo, reduce-*.hlo, tests/unit/executable_types_test.cc.
#include "plan/steps/element_steps.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/format.h"
#include "plan/graph/view.h"
#include "plan/capability/reduce_window_plan.h"
#include "plan/steps/windows.h"
#include "reference/index.h"
#include "reference/scalar_function.h"

namespace hloir::cpu {
namespace {

using reference::ScalarFunction;
using reference::Slot;

constexpr double kNanosPerCall = 10;

// A computation on scalars with slots for its values; one per thread.
class Body {
 public:
  static std::unique_ptr<Body> Make(const HloComputation& computation) {
    auto body = std::unique_ptr<Body>(new Body());
    auto function = ScalarFunction::Prepare(body->run_, computation);
    if (!function.ok() || !function->is_flat()) return nullptr;
    body->function_ = std::make_unique<ScalarFunction>(std::move(*function));
    return body;
  }
  ScalarFunction& operator*() { return *function_; }
  ScalarFunction* operator->() { return function_.get(); }
  // For n accumulators and n elements: the results become the accumulators. A result may be another argument's slot, so
  // all are read before one is written.
  void Accumulate(size_t n) {
    (void)function_->Run();  // flat: cannot fail
    next_.resize(n);
    for (size_t k = 0; k < n; ++k) next_[k] = function_->result(k);
    for (size_t k = 0; k < n; ++k) function_->argument(k) = next_[k];
  }

 private:
  Body() = default;
  EvaluatorOptions options_;
  reference::Evaluation run_{options_};
  std::unique_ptr<ScalarFunction> function_;
  std::vector<Slot> next_;
};

std::vector<PrimitiveType> OperandTypes(const HloInstruction& i) {
  std::vector<PrimitiveType> types;
  for (const HloInstruction* operand : i.operands()) types.push_back(operand->shape().element_type());
  return types;
}

class ElementReduceStep : public Step {
 public:
  ElementReduceStep(const HloInstruction& reduce, std::vector<std::unique_ptr<Body>> bodies)
      : bodies_(std::move(bodies)), n_(static_cast<size_t>(reduce.operand_count()) / 2), types_(OperandTypes(reduce)) {
    for (const Shape* leaf : reduce.shape().Leaves()) result_types_.push_back(leaf->element_type());
    const DimVector& dims = reduce.operand(0)->shape().dimensions();
    const DimVector strides = View::RowMajor(dims).strides;
    for (size_t d = 0; d < dims.size(); ++d) {
      const bool reduced = Contains(reduce.dimensions(), static_cast<int64_t>(d));
      reference::AppendDimension(dims[d], strides[d], reduced ? &reduced_dims_ : &kept_dims_,
                                 reduced ? &reduced_strides_ : &kept_strides_);
    }
    results_ = View::RowMajor(kept_dims_).count();
    elements_ = View::RowMajor(reduced_dims_).count();
  }
  bool Run(Runtime& runtime) override {
    const int64_t parts = std::clamp<int64_t>(results_ * elements_ / 4096, 1, std::min<int64_t>(results_, 64));
    runtime.pool->For(parts, kNanosPerCall * Flops(), [&](int64_t part, int thread) {
      RunRange(*bodies_[static_cast<size_t>(thread)], results_ * part / parts, results_ * (part + 1) / parts);
    });
    return true;
  }
  std::string Name() const override { return Format("reduce {} times {} elements, one by one", results_, elements_); }
  double Flops() const override { return static_cast<double>(results_) * static_cast<double>(elements_); }

 private:
  void RunRange(Body& body, int64_t begin, int64_t end) {
    for (int64_t out = begin; out < end; ++out) {
      int64_t base = 0;
      for (size_t d = kept_dims_.size(), linear = static_cast<size_t>(out); d-- > 0;
           linear /= static_cast<size_t>(kept_dims_[d])) {
        base += static_cast<int64_t>(linear % static_cast<size_t>(kept_dims_[d])) * kept_strides_[d];
      }
      for (size_t k = 0; k < n_; ++k) body->Load(k, types_[n_ + k], refs()[n_ + k].pointer, 0);
      reference::ForEachOffset(reduced_dims_, reduced_strides_, [&](int64_t offset) {
        for (size_t k = 0; k < n_; ++k) body->Load(n_ + k, types_[k], refs()[k].pointer, base + offset);
        body.Accumulate(n_);
      });
      for (size_t k = 0; k < n_; ++k) {
        reference::StoreElement(body->argument(k), body->argument_type(k), result_types_[k],
                                written(static_cast<int>(k)).pointer, out);
      }
    }
  }

  std::vector<std::unique_ptr<Body>> bodies_;  // by thread
  const size_t n_;
  const std::vector<PrimitiveType> types_;
  std::vector<PrimitiveType> result_types_;
  DimVector kept_dims_, kept_strides_, reduced_dims_, reduced_strides_;
  int64_t results_ = 1, elements_ = 1;
};

class ElementWindowStep : public Step {
 public:
  ElementWindowStep(const HloInstruction& i, std::vector<std::unique_ptr<Body>> bodies)
      : bodies_(std::move(bodies)),
        n_(static_cast<size_t>(i.operand_count()) / 2),
        types_(OperandTypes(i)),
        window_(i.attributes<WindowAttributes>().window),
        dims_(i.operand(0)->shape().dimensions()) {
    for (const Shape* leaf : i.shape().Leaves()) result_types_.push_back(leaf->element_type());
    out_dims_ = i.shape().Leaves()[0]->dimensions();
    strides_ = View::RowMajor(dims_).strides;
    for (const WindowDimension& w : window_) sizes_.push_back(w.size);
    taps_ = View::RowMajor(sizes_).count();
    results_ = View::RowMajor(out_dims_).count();
    // One dimension has a window, which ends at each element and reaches back beyond the first.
    int scans = 0;
    for (size_t d = 0; d < window_.size(); ++d) {
      const WindowDimension& w = window_[d];
      const bool plain = w.stride == 1 && w.window_dilation == 1 && w.base_dilation == 1 && out_dims_[d] == dims_[d];
      if (plain && w.size == 1 && w.padding_low == 0) continue;
      if (!plain || w.size < dims_[d] || w.padding_low != w.size - 1) scans = 2;
      along_ = d, ++scans;
    }
    scan_ = scans == 1;
  }
  bool Run(Runtime& runtime) override {
    const int64_t length = scan_ ? dims_[along_] : 1, lines = results_ / length, work = scan_ ? length : taps_;
    const int64_t parts = std::clamp<int64_t>(lines * work / 4096, 1, std::min<int64_t>(lines, 64));
    runtime.pool->For(parts, kNanosPerCall * static_cast<double>(lines * work), [&](int64_t part, int thread) {
      Body& body = *bodies_[static_cast<size_t>(thread)];
      for (int64_t line = lines * part / parts; line < lines * (part + 1) / parts; ++line) {
        if (scan_) Scan(body, line);
        else Window(body, line);
      }
    });
    return true;
  }
  std::string Name() const override {
    return Format("reduce-window {} elements, {}, one by one", results_, scan_ ? "scan" : Format("{} taps", taps_));
  }
  double Flops() const override { return static_cast<double>(results_) * (scan_ ? 1 : static_cast<double>(taps_)); }

 private:
  void Start(Body& body) {
    for (size_t k = 0; k < n_; ++k) body->Load(k, types_[n_ + k], refs()[n_ + k].pointer, 0);
  }
  void Take(Body& body, int64_t at) {
    for (size_t k = 0; k < n_; ++k) body->Load(n_ + k, types_[k], refs()[k].pointer, at);
    body.Accumulate(n_);
  }
  void Give(Body& body, int64_t out) {
    for (size_t k = 0; k < n_; ++k) {
      reference::StoreElement(body->argument(k), body->argument_type(k), result_types_[k],
                              written(static_cast<int>(k)).pointer, out);
    }
  }
  void Scan(Body& body, int64_t line) {
    const int64_t stride = strides_[along_], base = line / stride * stride * dims_[along_] + line % stride;
    Start(body);
    for (int64_t i = 0; i < dims_[along_]; ++i) Take(body, base + i * stride), Give(body, base + i * stride);
  }
  // Skips elements in padding or in a gap of base dilation.
  void Window(Body& body, int64_t out) {
    DimVector position(out_dims_.size());
    for (size_t d = out_dims_.size(), rest = static_cast<size_t>(out); d-- > 0;
         rest /= static_cast<size_t>(out_dims_[d])) {
      position[d] = static_cast<int64_t>(rest % static_cast<size_t>(out_dims_[d]));
    }
    Start(body);
    reference::ForEachIndex(sizes_, [&](const DimVector& inside) {
      int64_t at = 0;
      for (size_t d = 0; d < window_.size(); ++d) {
        const WindowDimension& w = window_[d];
        const int64_t place = position[d] * w.stride + inside[d] * w.window_dilation - w.padding_low;
        if (place < 0 || place % w.base_dilation != 0 || place / w.base_dilation >= dims_[d]) return;
        at += place / w.base_dilation * strides_[d];
      }
      Take(body, at);
    });
    Give(body, out);
  }

  std::vector<std::unique_ptr<Body>> bodies_;  // by thread
  const size_t n_;
  const std::vector<PrimitiveType> types_;
  std::vector<PrimitiveType> result_types_;
  const hloir::Window window_;
  const DimVector dims_;
  DimVector out_dims_, strides_, sizes_;
  int64_t taps_ = 1, results_ = 1;
  size_t along_ = 0;
  bool scan_ = false;
};

class ElementScatterStep : public Step {
 public:
  ElementScatterStep(const HloInstruction& scatter, std::unique_ptr<Body> body)
      : body_(std::move(body)),
        n_(static_cast<size_t>(scatter.operand_count()) / 2),
        types_(OperandTypes(scatter)),
        a_(scatter.attributes<ScatterAttributes>()),
        dims_(scatter.operand(0)->shape().dimensions()),
        index_dims_(scatter.operand(static_cast<int64_t>(n_))->shape().dimensions()) {
    strides_ = View::RowMajor(dims_).strides;
    for (size_t k = 0; k < n_; ++k) bytes_.push_back(View::RowMajor(dims_).count() * StorageBytes(types_[k]));
    const DimVector& updates = scatter.operand(static_cast<int64_t>(n_) + 1)->shape().dimensions();
    const DimVector update_strides = View::RowMajor(updates).strides;
    for (size_t d = 0; d < updates.size(); ++d) {
      const bool window = Contains(a_.update_window_dims, static_cast<int64_t>(d));
      (window ? window_dims_ : batch_dims_).push_back(updates[d]);
      (window ? window_strides_ : batch_strides_).push_back(update_strides[d]);
    }
    window_size_ = DimVector(dims_.size(), 1);
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (Contains(a_.inserted_window_dims, static_cast<int64_t>(d)) ||
          Contains(a_.input_batching_dims, static_cast<int64_t>(d)))
        continue;
      if (into_strides_.size() == window_dims_.size()) fits_ = false;
      else window_size_[d] = window_dims_[into_strides_.size()], into_strides_.push_back(strides_[d]);
    }
    updates_ = View::RowMajor(updates).count();
  }
  bool fits() const { return fits_; }
  bool MayShare(int read, int written) const override { return read == written; }
  bool Run(Runtime&) override {
    for (size_t k = 0; k < n_; ++k) {
      std::byte* to = written(static_cast<int>(k)).pointer;
      if (to != refs()[k].pointer) std::memcpy(to, refs()[k].pointer, static_cast<size_t>(bytes_[k]));
    }
    reference::ForEachIndex(batch_dims_, [&](const DimVector& batch) { Window(batch); });
    return true;
  }
  std::string Name() const override { return Format("scatter {} elements, one by one", updates_); }
  double Flops() const override { return static_cast<double>(updates_); }

 private:
  // A window that is not in bounds is skipped as a whole.
  void Window(const DimVector& batch) {
    DimVector position = batch, start(dims_.size(), 0);
    const bool has_vector = a_.index_vector_dim < static_cast<int64_t>(index_dims_.size());
    const DimVector index_strides = View::RowMajor(index_dims_).strides;
    if (has_vector) position.insert(position.begin() + a_.index_vector_dim, 0);
    const int64_t at = reference::LinearIndex(position, index_strides),
                  step = has_vector ? index_strides[static_cast<size_t>(a_.index_vector_dim)] : 0;
    for (size_t k = 0; k < a_.scatter_dims_to_operand_dims.size(); ++k) {
      start[static_cast<size_t>(a_.scatter_dims_to_operand_dims[k])] = Index(at + static_cast<int64_t>(k) * step);
    }
    for (size_t k = 0; k < a_.input_batching_dims.size(); ++k) {
      start[static_cast<size_t>(a_.input_batching_dims[k])] =
          position[static_cast<size_t>(a_.scatter_indices_batching_dims[k])];
    }
    for (size_t d = 0; d < dims_.size(); ++d)
      if (start[d] < 0 || start[d] > dims_[d] - window_size_[d]) return;
    const int64_t target = reference::LinearIndex(start, strides_),
                  source = reference::LinearIndex(batch, batch_strides_);
    reference::ForEachIndex(window_dims_, [&](const DimVector& window) {
      const int64_t to = target + reference::LinearIndex(window, into_strides_),
                    from = source + reference::LinearIndex(window, window_strides_);
      Body& body = *body_;
      for (size_t k = 0; k < n_; ++k) {
        body->Load(k, types_[k], written(static_cast<int>(k)).pointer, to);
        body->Load(n_ + k, types_[n_ + 1 + k], refs()[n_ + 1 + k].pointer, from);
      }
      (void)body->Run();
      for (size_t k = 0; k < n_; ++k) {
        reference::StoreElement(body->result(k), body->result_type(k), types_[k], written(static_cast<int>(k)).pointer,
                                to);
      }
    });
  }
  int64_t Index(int64_t i) const {
    const PrimitiveType type = types_[n_];
    int64_t value = 0;
    ConvertElements(type, refs()[n_].pointer + i * StorageBytes(type), PrimitiveType::S64, &value, 1);
    return type == PrimitiveType::U64 && value < 0 ? INT64_MAX : value;
  }

  const std::unique_ptr<Body> body_;
  const size_t n_;
  const std::vector<PrimitiveType> types_;  // arrays, indices, updates
  const ScatterAttributes a_;
  const DimVector dims_, index_dims_;
  std::vector<int64_t> bytes_;
  DimVector strides_, batch_dims_, batch_strides_, window_dims_, window_strides_, into_strides_, window_size_;
  int64_t updates_ = 0;
  bool fits_ = true;
};

}  // namespace

namespace {

// One per thread; nullopt if the computation is not a reduction of n arrays by arithmetic on scalars.
std::vector<std::unique_ptr<Body>> ReducersOf(const HloInstruction& i, int threads) {
  const size_t n = static_cast<size_t>(i.operand_count()) / 2;
  std::vector<std::unique_ptr<Body>> bodies;
  for (int t = 0; t < threads; ++t) {
    bodies.push_back(Body::Make(*i.to_apply()));
    if (bodies.back() == nullptr || (*bodies[0])->argument_count() != 2 * n || (*bodies[0])->result_count() != n)
      return {};
  }
  return bodies;
}

}  // namespace

std::unique_ptr<Step> MakeElementReduce(const HloInstruction& reduce, int threads) {
  auto bodies = ReducersOf(reduce, threads);
  if (bodies.empty()) return nullptr;
  const PrimitiveType type = reduce.operand(0)->shape().element_type();
  ScalarFunction& function = **bodies[0];
  const bool float_sum = function.IsBinary(HloOpcode::kAdd) && type == function.argument_type(0) &&
                         reference::ComputeType(type) == PrimitiveType::F32;
  if (float_sum) return nullptr;
  return std::make_unique<ElementReduceStep>(reduce, std::move(bodies));
}

std::unique_ptr<Step> MakeElementReduceWindow(const HloInstruction& reduce_window, int threads) {
  constexpr int64_t kMaxWork = int64_t{1} << 32;  // a step cannot be cancelled
  auto bodies = ReducersOf(reduce_window, threads);
  const Window& window = reduce_window.attributes<WindowAttributes>().window;
  if (bodies.empty() || window.size() != reduce_window.operand(0)->shape().dimensions().size()) return nullptr;
  auto step = std::make_unique<ElementWindowStep>(reduce_window, std::move(bodies));
  if (TapCount(window) > kMaxWork || step->Flops() > static_cast<double>(kMaxWork)) return nullptr;
  return step;
}

std::unique_ptr<Step> MakeElementScatter(const HloInstruction& scatter) {
  const size_t n = static_cast<size_t>(scatter.operand_count()) / 2;
  auto body = Body::Make(*scatter.to_apply());
  if (body == nullptr || (*body)->argument_count() != 2 * n || (*body)->result_count() != n) return nullptr;
  auto step = std::make_unique<ElementScatterStep>(scatter, std::move(body));
  if (!step->fits()) return nullptr;
  return step;
}

}  // namespace hloir::cpu
