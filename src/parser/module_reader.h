// ModuleReader: reads one module in one pass over the text. Each module is read by a new reader, so that modules share
// no state. module.cc has the header and computations; instruction.cc instructions and operands; rules.cc the rules for
// one instruction; async.cc the async sugar; names.cc names; parts.cc large texts by several threads; shape.cc a table
// of known shapes; attributes.cc the attributes of each op; metadata.cc and sharding.cc values that instructions share.
// The graph is built through GraphLoader (ir/graph_loader.h).
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flat_map.h"
#include "fragment_reader.h"
#include "hloir/detail/unique_name.h"
#include "hloir/module.h"
#include "ir/stack_frames.h"
#include "ir/graph_loader.h"
#include "name_table.h"
#include "parser_cores.h"
#include "seen_texts.h"

namespace hloir {

class ModuleReader final : public FragmentReader {
 public:
  // Continues at `cursor`. `text` is the cursor's text; the module keeps it. If `several_modules`, a line `// -----`
  // between computations ends the module; otherwise it is a comment.
  ModuleReader(const TextCursor& cursor, const std::shared_ptr<const std::string>& text, bool several_modules,
               const ParserCores& cores = {});

  // Reads a module, bare computations or one instruction, up to the end of the text, the next module or a line `//
  // -----`. Returns nullptr if there was an error, which cursor() has.
  std::unique_ptr<HloModule> ReadModule();
  // The current place.
  const TextCursor& cursor() const { return *this; }
  // The number of parts read in parallel; 0: the text was read sequentially.
  size_t part_count() const { return part_count_; }

  struct FieldReader;  // attributes.cc

 private:
  std::string_view Keep(std::string_view text) override { return loader_.KeepText(text); }
  bool ParseTupleElement(Shape& shape) override;

  // ---- Header and computations (module.cc).
  bool ParseModule();
  bool ParseHeader();
  bool ParseHeaderAttribute(const Word& name, const char* place);
  // Cold: what is read at most once in a module, or rarely, is compiled for size.
  [[gnu::cold]] bool ParseAliasing();
  [[gnu::cold]] bool ParseBufferDonors();
  bool ParseProgramShape(ProgramShape& shape);
  bool ParseStackTables();
  bool ParseComputations();
  void ReserveFor(std::string_view text);
  // The text before a computation's body, and facts for the checks after it.
  struct Head {
    bool is_entry = false;
    Word name;
    const Shape* stated = nullptr;  // the result's; nullptr: not stated
    const char *place = nullptr, *name_place = nullptr, *shape_place = nullptr;
  };
  bool ParseComputation();
  bool ParseHead(Head& head);
  bool CheckResult(const Head& head, const HloInstruction& root);
  // [", execution_thread=" STRING]: "" if it is missing or "main".
  bool ParseThread(std::string_view& thread);
  bool LooksLikeComputation();
  bool ParseParameterList();
  [[gnu::cold]] bool ParseSingleInstruction();
  // Instructions up to the closing brace.
  bool ParseBody(HloComputation* computation, const char* place);
  // Completes a computation: checks its parameters and adds it to the module.
  bool FinishComputation(HloComputation* computation, HloInstruction* root, const char* place);
  bool OrderParameters(HloComputation* computation, const char* place);
  bool FinishModule();
  HloComputation* EntryOrLast();
  // A computation by name, or an inline body.
  bool ParseComputationReference(HloComputation*& computation);
  bool ParseOriginRecoveryTable(std::vector<OriginRecovery>& table);  // metadata.cc

  // ---- Computations read at once by several threads (parts.cc).
  struct Body;
  struct Whole;
  struct Part;
  ModuleReader(const TextCursor& cursor, Part& part);
  bool ParseInParallel();
  bool FindBodies(Whole& whole);
  bool ReadPart();
  bool Join(Whole& whole);
  bool NamesClash(const Whole& whole) const;
  // In a part: reports that its text depends on the other parts. The whole text is then read sequentially. Returns
  // false.
  [[gnu::cold]] bool GiveUpPart();
  HloComputation* FindInOtherPart(std::string_view name);

  // ---- Instructions (instruction.cc).
  bool ParseInstruction(HloInstruction*& instruction, bool& is_root);
  struct Opcode {
    HloOpcode opcode = HloOpcode::kTuple;
    bool is_sugar = false;  // op-start, op-update, op-done: an async op around `wrapped`
    HloOpcode wrapped = HloOpcode::kTuple;
    std::string_view unknown{};  // the word itself, if the opcode is unknown
  };
  bool ParseOpcode(Opcode& opcode);
  static bool NeedsWholeModule(const Opcode& opcode, const Word& name);
  // What stands before an instruction's shape. An anonymous one has no name.
  struct Definition {
    Word name;
    const char* place;
    int32_t line;
  };
  // The text after `name =`.
  bool ParseInstructionBody(const Definition& definition, bool is_nested, HloInstruction*& instruction);
  bool ReadUsualOpcode(const char*& at, HloOpcode& opcode) const;
  bool ReadUsualOperands(const char*& at);
  bool ParseOperandList(size_t before);
  bool ParseOperand();
  bool IsLastDefined(const char* at) const;
  bool ParseTupleElementChain(HloInstruction*& operand, const Word& base);
  bool CheckArity(HloOpcode opcode, size_t count, const char* place);
  HloInstruction* NewParameter(int64_t number, const Shape* shape, HloComputation* parent);
  bool ParseParameterNumber(HloInstruction* instruction);
  bool ParseConstantValue(HloInstruction* instruction, const char* place);

  // ---- Rules for one instruction (rules.cc).
  bool CheckInstruction(HloInstruction* instruction, const Opcode& opcode, const char* place);
  bool CheckCustomCall(HloInstruction* instruction, const char* place);
  [[gnu::cold]] bool InferMissingShape(HloInstruction* instruction, const char* place);
  void SettleShape(HloInstruction* instruction);

  // ---- Async sugar (async.cc).
  bool WrapAsyncStart(HloInstruction* start, HloOpcode wrapped, const char* place);
  HloInstruction* ChainStart(HloInstruction* instruction);
  bool CheckAsync(HloInstruction* instruction, const Opcode& opcode, const char* place);
  void ShareWithWrapped(HloInstruction* async, HloInstruction* wrapped);
  bool CheckAsyncCalls(HloInstruction* instruction, HloComputation* named, const char* place);
  void SetExecutionThread(HloComputation* computation, std::string_view thread);

  // ---- Names (names.cc).
  [[gnu::always_inline]] bool Define(const Word& name, HloInstruction* instruction, const char* place) {
    // (It was read as a word.)
    if ((MayBeTypeWord(name.text()) || name.data[0] == '_') && !IsLegalName(name.text()))
      return FailName(name.text(), place);
    bool is_new = false;
    NameTable::Slot& slot = names_.FindOrAdd(name, is_new);
    GraphLoader::set_name(instruction, name.text());
    last_defined_ = instruction;
    last_name_ = name;
    const char* digit = name.data + name.size - 1;
    while (digit != name.data && IsDigit(digit[-1])) --digit;
    if (!is_new || *digit == '0') return DefineUnusual(name, slot, is_new, instruction, place);
    names_.SetOwn(slot, name, instruction);
    return true;
  }
  // A name that is taken, or may have zeroes before its number.
  bool DefineUnusual(const Word& name, NameTable::Slot& slot, bool is_new, HloInstruction* instruction,
                     const char* place);
  [[gnu::cold]] bool FailName(std::string_view name, const char* place);
  HloInstruction* FindInstruction(const Word& name);
  bool CheckNoTypeWord(const Word& name);
  std::string_view LegalComputationName(std::string_view name);
  void NameAnonymous(HloInstruction* instruction, std::string_view base);
  void GiveName(std::string_view wanted, bool is_new, HloInstruction* instruction);
  void MakeUnique(std::string_view wanted, HloInstruction* instruction);
  void GiveNamesAnew();

  // ---- Shapes (shape.cc).
  bool ParseInternedShape(const Shape*& shape);

  // ---- Attributes (attributes.cc).
  struct AttributeContext;
  // `outer` is the instruction itself, or the async-start around it, which takes the attributes that are not the op's
  // own. A nested instruction has no attributes in text; a missing required one is an error.
  bool ParseAttributes(HloInstruction* instruction, HloInstruction* outer, bool is_nested, const char* place);

  // An opcode's own attributes by their text; instructions with the same text share them.
  struct SeenAttributes {
    std::string_view text;
    void* attributes = nullptr;  // nullptr: the slot is free
    uint64_t fields_seen = 0;
    HloOpcode opcode = HloOpcode::kTuple;
  };
  // The opcode's own attributes of the instruction being read.
  struct OwnAttributes {
    std::string_view text;           // up to the metadata or a call
    SeenAttributes* slot = nullptr;  // to be filled with attributes of this text
    void* attributes = nullptr;      // those that were seen with this text
    uint64_t fields_seen = 0;
    const char* end = nullptr;  // of the last field read
    bool has_metadata = false, has_others = false;
  };
  bool ParseMoreAttributes(HloInstruction* instruction, HloInstruction* outer, bool is_nested, const char* place,
                           OwnAttributes& own);
  bool ParseField(AttributeContext& context, void* attributes, const Word& name, bool& known);
  bool ParseParameterReplication(HloInstruction* parameter, const char* place);
  bool ParseOtherAttribute(AttributeContext& context, const Word& name);
  bool CheckFields(const AttributeContext& context, void* attributes);
  std::string_view TextOfOwnAttributes() const;
  bool ParseGenericAttribute(AttributeContext& context, bool& known);
  bool ParseCallAttribute(AttributeContext& context, const Word& name, bool& known);
  bool ParseIgnoredAttribute(HloOpcode opcode, const Word& name, bool& known);
  bool ParseOuterAsyncAttribute(HloInstruction* outer, const Word& name, bool& known);
  bool CheckDimensions(const HloInstruction& instruction, DimVector& dimensions, bool seen, const char* place);
  bool FinishCalls(AttributeContext& context);
  bool ParseUnknownOperation(HloInstruction* instruction, std::string_view opcode, bool is_nested, const char* place);
  bool ParseComputationList(std::vector<HloComputation*>& list);
  [[gnu::cold]] bool FailUnknownAttribute(HloOpcode opcode, const char* place, std::string_view name);
  bool ParseSharedMetadata(HloInstruction* instruction);  // metadata.cc
  bool ParseSharedFrontendAttributes(HloInstruction* instruction);
  bool ParseSharedSharding(const Sharding*& sharding);  // sharding.cc

  const bool several_modules_;
  ParserCores cores_;
  size_t part_count_ = 0;
  Part* part_ = nullptr;  // the part that this reader reads; nullptr: the whole text
  std::unique_ptr<HloModule> module_;
  GraphLoader loader_;
  HloComputation* computation_ = nullptr;  // the one being read
  // The computation created for a text of a single instruction.
  HloComputation* single_computation_ = nullptr;
  NameTable names_{&loader_};
  // The instruction that was read last, and its name in the text.
  HloInstruction* last_defined_ = nullptr;
  Word last_name_;
  UniqueNamer namer_;
  // Names of the surrounding computations that inline bodies shadow, to be restored.
  std::vector<std::pair<Word, HloInstruction*>> shadowed_;
  // The original names of renamed instructions.
  std::vector<std::pair<const HloInstruction*, std::string_view>> renamed_from_;
  bool has_inline_computations_ = false;
  bool has_threads_ = false;  // some computation is not on the main thread
  // The async-start of each async-update's chain.
  std::unordered_map<const HloInstruction*, HloInstruction*> chain_starts_;
  std::vector<HloInstruction*> operands_;  // a stack: the operands of the instructions being read
  // A computation name's users look it up by the name in the text.
  FlatMap<std::string_view, HloComputation*> computations_;

  // Shapes by their text.
  struct ShapeSlot {
    const char* text = nullptr;
    uint32_t size = 0, hash = 0;
    const Shape* shape = nullptr;
  };
  // The slot of that text, or the free slot for it.
  [[gnu::always_inline]] const ShapeSlot& FindShapeSlot(const char* text, uint32_t size, uint32_t hash) const {
    const size_t mask = shape_mask_;
    const ShapeSlot* const slots = shape_slots_.data();
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
      const ShapeSlot& slot = slots[i];
      if (slot.shape == nullptr || (slot.hash == hash && slot.size == size && SameBytes(slot.text, text, size)))
        return slot;
    }
  }
  // Reads an array's shape, up to the next blank, if its text is in the table; otherwise nullptr, and reads nothing.
  [[gnu::always_inline]] const Shape* ReadKnownShape(const char*& at) const {
    const char* const start = at;
    constexpr ptrdiff_t kLongest = 128;  // because many searches in one long text would take quadratic time
    const char* const limit = start + std::min(kLongest, lexer_.end() - start);
    const char* const stop = scan::FindEither<' ', '\n'>(start, limit);
    // (A layout may follow after a blank.)
    if (stop == limit || stop == start || !IsWordStart(stop[1])) return nullptr;
    const uint32_t size = static_cast<uint32_t>(stop - start);
    const ShapeSlot& slot = FindShapeSlot(start, size, HashBytes(start, size));
    if (slot.shape != nullptr) at = stop;
    return slot.shape;
  }
  std::vector<ShapeSlot> shape_slots_ = std::vector<ShapeSlot>(256);
  size_t shape_count_ = 0, shape_mask_ = shape_slots_.size() - 1;

  static constexpr size_t kSeenAttributes = 256;
  std::array<SeenAttributes, kSeenAttributes> seen_attributes_{};  // the latest of a hash
  std::array<uint8_t, kOpcodeCount> latest_attributes_{};          // of an opcode: a place in seen_attributes_
  void FindSeenAttributes(HloInstruction* instruction, OwnAttributes& own);

  SeenTexts<const OpMetadata> seen_metadata_;
  SeenTexts<const Sharding> seen_shardings_;
  SeenTexts<InstructionExtras> seen_frontend_attributes_;  // extras that are these alone
  StackFrameCompactor stack_frames_;
};

}  // namespace hloir
