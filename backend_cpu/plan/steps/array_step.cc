// See array_step.h. Tests: tests/ops (types under a byte, f8, complex), tests/unit/executable_types_test.cc.
#include "plan/steps/array_step.h"

#include <algorithm>
#include <cstring>

#include "support/format.h"
#include "reference/elementwise.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kArrayBlock = 512;  // elements; two blocks of operands and one of results fit the first-level cache

// Converts integers under a byte between sign-extended and zero-extended bytes.
void Reinterpret(PrimitiveType to, const std::byte* in, std::byte* out, int64_t count) {
  if (to == PrimitiveType::PRED) {  // which is never anything but 0 or 1
    for (int64_t i = 0; i < count; ++i) out[i] = std::byte{in[i] != std::byte{0}};
    return;
  }
  const int unused = 8 - BitWidth(to);
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t raised = static_cast<uint8_t>(static_cast<uint8_t>(in[i]) << unused);
    out[i] = static_cast<std::byte>(IsSigned(to) ? static_cast<int8_t>(raised) >> unused : raised >> unused);
  }
}

class ElementLoop : public ArrayStep {
 public:
  explicit ElementLoop(const HloInstruction& instruction)
      : opcode_(instruction.opcode()),
        count_(instruction.shape().ElementCount()),
        result_(instruction.shape().element_type()) {
    for (const HloInstruction* operand : instruction.operands())
      operands_.push_back({operand->shape().element_type(), false});
  }
  // Finds the loop; false if there is none.
  bool Prepare(const HloInstruction& instruction) {
    const int64_t last = instruction.operand_count() - 1;
    const PrimitiveType type = operands_[static_cast<size_t>(last)].type;
    if (opcode_ == HloOpcode::kConvert) {
      computed_ = result_;
    } else if (opcode_ == HloOpcode::kBitcastConvert) {
      if (StorageBytes(type) != 1 || BitWidth(type) != BitWidth(result_) || result_ == PrimitiveType::PRED ||
          type == PrimitiveType::PRED)
        return false;
      computed_ = result_;
    } else {
      const bool select = opcode_ == HloOpcode::kSelect;
      for (int64_t i = select ? 1 : 0; i <= last; ++i)
        if (operands_[static_cast<size_t>(i)].type != type) return false;
      if (select && operands_[0].type != PrimitiveType::PRED) return false;
      operand_type_ = select ? reference::BitsType(type) : reference::ComputeType(type);
      computed_ = select ? result_ : reference::ComputeType(result_);
      bits_ = BitWidth(type);
      kernel_ = reference::FindKernel(instruction, operand_type_);
      if (kernel_ == nullptr) return false;
      // The result type of the op must be the stored type: abs of a complex number, compare.
      if (result_ != type && computed_ != result_) return false;
    }
    if (operands_.size() == 1 && StorageBytes(type) == 1) MakeTable();
    return true;
  }
  void SetUniform(const std::vector<bool>& uniform) override {
    for (size_t i = 0; i < uniform.size(); ++i) operands_[i].uniform = uniform[i];
  }
  bool Run(Runtime& runtime) override {
    constexpr int64_t kPart = 4096;
    const int64_t parts = std::clamp<int64_t>(count_ / kPart, 1, 64);
    runtime.pool->For(parts, 4.0 * static_cast<double>(count_), [&](int64_t part, int) {
      const std::byte* in[3] = {};
      for (size_t i = 0; i < operands_.size(); ++i) in[i] = refs()[i].pointer;
      RunRange(in, written(0).pointer, count_ * part / parts, count_ * (part + 1) / parts);
    });
    return true;
  }
  std::string Name() const override {
    return Format("{} {} elements of {}", OpcodeName(opcode_), count_, PrimitiveTypeName(result_));
  }
  double Flops() const override { return HasTrait(opcode_, kMovesData) ? 0 : static_cast<double>(count_); }

 private:
  struct Operand {
    PrimitiveType type;
    bool uniform;
  };

  void RunRange(const std::byte* const* in, std::byte* out, int64_t begin, int64_t end) const {
    const int64_t bytes = StorageBytes(result_);
    for (int64_t at = begin; at < end; at += kArrayBlock) {
      const int64_t n = std::min(kArrayBlock, end - at);
      const std::byte* block[3] = {};
      for (size_t i = 0; i < operands_.size(); ++i) {
        block[i] = in[i] + (operands_[i].uniform ? 0 : at * StorageBytes(operands_[i].type));
      }
      if (!table_.empty()) LookUp(block[0], out + at * bytes, n);
      else RunBlock(block, out + at * bytes, n);
    }
  }

  void RunBlock(const std::byte* const* in, std::byte* out, int64_t n) const {
    if (kernel_ == nullptr) {
      if (opcode_ == HloOpcode::kBitcastConvert) return Reinterpret(result_, in[0], out, n);
      if (!operands_[0].uniform) return ConvertElements(operands_[0].type, in[0], result_, out, n);
      ConvertElements(operands_[0].type, in[0], result_, out, 1);
      for (int64_t i = 1; i < n; ++i)
        std::memcpy(out + i * StorageBytes(result_), out, static_cast<size_t>(StorageBytes(result_)));
      return;
    }
    alignas(16) std::byte wide[3][kArrayBlock * sizeof(float)], rounded[kArrayBlock * sizeof(float)];
    reference::KernelArgs args;
    args.count = n;
    args.bits = bits_;
    const bool select = opcode_ == HloOpcode::kSelect;
    for (size_t i = 0; i < operands_.size(); ++i) {
      const Operand& operand = operands_[i];
      args.stride[i] = operand.uniform ? 0 : 1;
      args.in[i] = in[i];
      if (select || !IsFloat(operand.type) || operand.type == operand_type_) continue;
      ConvertElements(operand.type, in[i], operand_type_, wide[i], operand.uniform ? 1 : n);
      args.in[i] = wide[i];
    }
    args.out = computed_ == result_ ? out : rounded;
    kernel_(args);
    if (computed_ != result_) ConvertElements(computed_, rounded, result_, out, n);
  }

  void MakeTable() {
    std::byte all[256];
    const bool pred = operands_[0].type == PrimitiveType::PRED;  // a bool is 0 or 1; other entries are not used
    for (int i = 0; i < 256; ++i) all[i] = static_cast<std::byte>(pred ? i != 0 : i);
    std::vector<std::byte> table(static_cast<size_t>(256 * StorageBytes(result_)));
    const std::byte* in[3] = {all};
    RunRange(in, table.data(), 0, 256);
    table_ = std::move(table);
  }
  void LookUp(const std::byte* in, std::byte* out, int64_t n) const {
    switch (StorageBytes(result_)) {
      case 1: return LookUpAs<uint8_t>(in, out, n);
      case 2: return LookUpAs<uint16_t>(in, out, n);
      case 4: return LookUpAs<uint32_t>(in, out, n);
      case 8: return LookUpAs<uint64_t>(in, out, n);
      default: return LookUpAs<unsigned __int128>(in, out, n);
    }
  }
  template <class T>
  void LookUpAs(const std::byte* in, std::byte* out, int64_t n) const {
    const int64_t step = operands_[0].uniform ? 0 : 1;
    for (int64_t i = 0; i < n; ++i) {
      std::memcpy(out + i * sizeof(T), table_.data() + static_cast<size_t>(in[i * step]) * sizeof(T), sizeof(T));
    }
  }

  const HloOpcode opcode_;
  const int64_t count_;
  const PrimitiveType result_;
  std::vector<Operand> operands_;
  PrimitiveType operand_type_ = PrimitiveType::INVALID;  // that the loop reads; and that it gives
  PrimitiveType computed_ = PrimitiveType::INVALID;
  int bits_ = 0;
  reference::Kernel kernel_ = nullptr;
  std::vector<std::byte> table_;
};

}  // namespace

std::unique_ptr<ArrayStep> MakeArrayStep(const HloInstruction& instruction) {
  if (instruction.operand_count() < 1 || instruction.operand_count() > 3 || !instruction.shape().IsArray())
    return nullptr;
  for (const HloInstruction* operand : instruction.operands())
    if (!operand->shape().IsArray()) return nullptr;
  auto step = std::make_unique<ElementLoop>(instruction);
  if (!step->Prepare(instruction)) return nullptr;
  return step;
}

}  // namespace hloir::cpu
