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

// The opcode of an instruction that no table knows: see ModuleReader::ParseUnknownOperation. "" for any other.
inline std::string_view UnknownOpcode(const HloInstruction& instruction) {
  if (!instruction.has_extras()) return {};
  const auto& unknown = instruction.extras().unknown_attributes;
  return !unknown.empty() && unknown.front().first.empty() ? unknown.front().second : std::string_view();
}

class Printer {
 public:
  // Bodies printed in place grow as calls nest: below a depth, and past a size of text, callees are only named.
  static constexpr int kMaxNesting = 100;
  static constexpr size_t kMaxNestedText = size_t{1} << 26;

  explicit Printer(const PrintOptions& options, size_t max_nested_text = kMaxNestedText)
      : options_(options), max_nested_text_(max_nested_text) {}

  // The text goes to `send`, piece by piece; Take returns nothing then.
  void SendTo(TextBuffer::Send send) { out_.SendTo(std::move(send)); }
  void Module(const HloModule& module);
  // kBody: printed where it is called, without its name; `nesting`: in how many computations that is.
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
  // An item that the module has once, as it was printed before, or by `append`.
  template <class AppendItem>
  void Interned(const void* item, AppendItem append) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(item);
    Printed& recent = recent_[(address >> 4 ^ address >> 12) % recent_.size()];
    if (recent.item == item && recent.offset >= out_.sent()) return out_.AppendAgain(recent.offset, recent.size);
    const size_t offset = out_.size();
    append();
    recent = {item, offset, out_.size() - offset};
  }
  void InternedShape(const Shape& shape) {
    Interned(&shape, [&] { AppendShape(out_, shape, options_.include_layout_in_shapes); });
  }
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
  // Instructions are %name, here and as operands, as they are by default.
  const bool is_plain_ = options_.print_percent && options_.print_ids && options_.print_operand_names &&
                         !options_.print_operand_shape && !options_.compact_gte &&
                         !options_.canonicalize_instruction_names;
  bool sugar_ = options_.syntax_sugar_async_ops;
  TextBuffer out_;
  // Of shapes and metadata printed lately, where in out_ they stand: most of a module come again soon. By hash of the
  // address.
  struct Printed {
    const void* item = nullptr;
    size_t offset = 0, size = 0;
  };
  std::array<Printed, 512> recent_{};
  // Canonical names: tmp_N, where N is the place in the printed computation. By instruction id; set as they are
  // printed.
  std::vector<int32_t> canonical_;
  bool in_computation_ = false;
};

// The instruction that an async computation wraps, if it has nothing else but parameters: then text writes `op-start`.
// For async-update and async-done, that of the start they belong to. nullptr: print async-start, … themselves.
const HloInstruction* AsyncWrapped(const HloInstruction& instruction);
// It has only parameters beside its root, which is an op that a table knows.
bool CanBeSugar(const HloComputation& computation);

}  // namespace hloir
