// Printer: one run of the printer over a module, computation or instruction. It holds the text so far and the side
// tables; its methods are in module.cc (module, computations), instruction.cc (one line) and attributes.cc (the text
// after the operands). Not for use outside src/printer. Covered by tests/unit/printer_test.cc.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "hloir/printer.h"
#include "values.h"

namespace hloir {

// The name of an unknown opcode (see ModuleReader::ParseUnknownOperation); "" for a known one.
inline std::string_view UnknownOpcode(const HloInstruction& instruction) {
  if (!instruction.has_extras()) return {};
  const auto& unknown = instruction.extras().unknown_attributes;
  return !unknown.empty() && unknown.front().first.empty() ? unknown.front().second : std::string_view();
}

class Printer {
 public:
  // Limits for bodies printed inline, which grow with nested calls: beyond this depth and size of text, callees are
  // printed by name.
  static constexpr int kMaxNesting = 100;
  static constexpr size_t kMaxNestedText = size_t{1} << 26;

  explicit Printer(const PrintOptions& options, size_t max_nested_text = kMaxNestedText)
      : options_(options), max_nested_text_(max_nested_text) {}

  // Passes the text to `send` piece by piece; Take then returns "".
  void SendTo(TextBuffer::Send send) { out_.SendTo(std::move(send)); }
  void Module(const HloModule& module);
  // kBody: printed inline at its call, without its name; `nesting`: the depth of inline bodies.
  enum class Place : uint8_t { kAlone, kEntry, kBody };
  void Computation(const HloComputation& computation, int nesting = 0, Place place = Place::kAlone);
  void Instruction(const HloInstruction& instruction, int nesting = 0);
  std::string Take() { return out_.Take(); }

 private:
  void ModuleHeader(const HloModule& module);
  void OriginRecoveryTable(const std::vector<OriginRecovery>& table);
  void StackFrameTables(const HloModule& module);
  void ProgramShape(const HloComputation& computation);

  void Name(std::string_view name);
  void InstructionName(const HloInstruction& instruction);  // canonical, if the options say so
  const StackFrameIndex::FileLocation* InlinedLocation(const HloInstruction& instruction) const;
  // Prints an item that the module shares: a copy of its earlier text, or by `append`.
  template <class AppendItem>
  void Interned(const void* item, AppendItem append) {
    Printed& recent = RecentOf(item);
    if (IsRecent(recent, item)) return out_.AppendAll(TextBuffer::Again{recent.offset, recent.size});
    const size_t offset = out_.size();
    append();
    recent = {item, offset, out_.size() - offset};
  }
  void InternedShape(const Shape& shape) {
    Interned(&shape, [&] { AppendShape(out_, shape, options_.include_layout_in_shapes); });
  }
  // Under an address within the shape.
  void InternedShapeWithoutLayout(const Shape& shape) {
    Interned(reinterpret_cast<const char*>(&shape) + 1, [&] { AppendShape(out_, shape, false); });
  }
  void Metadata(const HloInstruction& instruction);
  bool PlainHead(const HloInstruction& instruction);
  void WholeHead(const HloInstruction& instruction);  // name = shape opcode(operands)
  void Head(const HloInstruction& instruction);       // name = shape
  void Operands(const HloInstruction& instruction);
  void Operand(const HloInstruction& operand);
  void ExtraAttributes(const HloInstruction& instruction, int nesting, bool without_frontend_attributes = false);

  void OpcodeAttributes(const HloInstruction& instruction);
  template <class T>
  void Fields(const HloInstruction& instruction, const T& attributes);
  void CalledComputations(const HloInstruction& instruction, int nesting);
  void Called(std::string_view key, const HloComputation& computation, bool body, int nesting);
  void CalledList(std::string_view key, const HloInstruction& instruction, bool body, int nesting);
  void AsyncAttributesOf(const HloInstruction& instruction, int nesting);
  void Separate(std::string_view key) { out_.AppendAll(", ", key); }
  template <size_t N>
  [[gnu::always_inline]] void Separate(const char (&key)[N]) {
    out_.AppendAll(", ", key);
  }

  const PrintOptions& options_;
  size_t max_nested_text_;
  // Instructions are printed as %name, at definitions and uses (the default).
  const bool is_plain_ = options_.print_percent && options_.print_ids && options_.print_operand_names &&
                         !options_.print_operand_shape && !options_.compact_gte &&
                         !options_.canonicalize_instruction_names;
  // Up to so many operands are printed as a list of names alone; 0: lines are not plain.
  size_t PlainOperands() const;
  const size_t plain_operands_ = PlainOperands();
  bool sugar_ = options_.syntax_sugar_async_ops;
  TextBuffer out_;
  // Positions in out_ of recently printed shapes and metadata, most of which repeat soon. By hash of the address.
  struct Printed {
    const void* item = nullptr;
    size_t offset = 0, size = 0;
  };
  std::array<Printed, 512> recent_{};
  Printed& RecentOf(const void* item) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(item);
    return recent_[(address >> 4 ^ address >> 12 ^ address << 8) % recent_.size()];
  }
  bool IsRecent(const Printed& recent, const void* item) const {
    return recent.item == item && recent.offset >= out_.sent();
  }
  // Canonical names: tmp_N, where N is the position in the printed computation. By instruction id; set on printing.
  std::vector<int32_t> canonical_;
  bool in_computation_ = false;
};

// The wrapped instruction of an async computation that otherwise has only parameters: then `op-start` is printed. For
// async-update and async-done, that of their start. nullptr: async-start, … are printed.
const HloInstruction* AsyncWrapped(const HloInstruction& instruction);
// True if it has only parameters besides its root, which has a known opcode.
bool CanBeSugar(const HloComputation& computation);

}  // namespace hloir
