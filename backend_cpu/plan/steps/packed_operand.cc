// See packed_operand.h.
#include "plan/steps/packed_operand.h"

#include <algorithm>
#include <utility>

#include "support/format.h"

namespace hloir::cpu {
namespace {

constexpr double kNanosPerElement = 0.3;

class PackStep : public Step {
 public:
  explicit PackStep(PackedOperand operand) : o_(std::move(operand)) {}

  bool Run(Runtime& runtime) override {
    const int64_t batches = static_cast<int64_t>(o_.operand.batch_offsets.size()),
                  together = kPanelsTogether * o_.width, parts = (o_.n + together - 1) / together;
    const double nanoseconds = kNanosPerElement * static_cast<double>(batches * o_.n * o_.k);
    runtime.pool->For(batches * parts, nanoseconds, [&](int64_t task, int) {
      const int64_t batch = task / parts, column = task % parts * together;
      const std::byte* from =
          ref(0).pointer + o_.operand.batch_offsets[static_cast<size_t>(batch)] * StorageBytes(o_.operand.type);
      for (int64_t k0 = 0; k0 < o_.k; k0 += o_.block_k) {
        o_.packer.pack(from, o_.operand.row_offsets.data() + column, std::min(together, o_.n - column),
                       o_.operand.k_offsets.data() + k0, std::min(o_.k - k0, o_.block_k), o_.width,
                       written(0).pointer + o_.PanelAt(batch, k0, column));
      }
    });
    return true;
  }
  std::string Name() const override { return Format("pack {}x{} for a loop's product", o_.k, o_.n); }

 private:
  const PackedOperand o_;
};

}  // namespace

std::unique_ptr<Step> MakePackStep(PackedOperand operand) { return std::make_unique<PackStep>(std::move(operand)); }

}  // namespace hloir::cpu
