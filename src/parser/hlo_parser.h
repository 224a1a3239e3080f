// HloParser: the recursive descent behind parser.h, one pass over the text. Every Parse… and Read… function reads one
// thing at the lexer's place and returns true, or records the error and returns false; the first error is the one
// reported. Where things are: parser.cc the entry points and errors; module.cc header and computations; instruction.cc
// instructions and operands; async.cc the async sugar; names.cc names; shape.cc, literal.cc; attributes.cc (which
// attribute belongs to which op), values.cc (the attributes' values), sharding.cc (shardings, meshes, device groups),
// metadata.cc (metadata and what else tells of an op's origin). Tested by tests/unit/parser_test.cc and
// tests/parse_errors.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hloir/module.h"
#include "hloir/parser.h"
#include "hloir/stack_frames.h"
#include "lexer.h"
#include "name_table.h"

namespace hloir {

class HloParser {
 public:
  HloParser(std::string_view text, const ParserOptions& options)
      : options_(options), lexer_(text), lines_(text.data()) {}

  // The text that the modules keep. Without it only fragments can be parsed.
  void set_owner(std::shared_ptr<const std::string> text) { owner_ = std::move(text); }
  // A line `// -----` between computations ends a module; otherwise it is but a comment.
  void set_several_modules(bool several) { several_modules_ = several; }
  // A module, or bare computations, or one instruction, up to the end, a module's beginning or a line `// -----`.
  bool ParseModule(std::unique_ptr<HloModule>& module);
  bool AtEnd() { return lexer_.AtEnd(); }
  bool ExpectEnd();
  Status TakeStatus() const;

  // Values, by type. values.cc, unless another file is named.
  bool Read(bool& value);
  bool Read(int64_t& value);
  bool Read(float& value);
  bool Read(double& value);
  bool Read(std::string& value);
  bool Read(DimVector& value);
  bool Read(BoolList& value);
  bool Read(PrecisionList& value);
  bool Read(Int64Pairs& value);
  bool Read(Int64Lists& value);
  bool Read(SliceRanges& value);
  bool Read(PaddingConfig& value);
  bool Read(Window& value);
  bool Read(ConvDimensionNumbers& value);
  bool Read(SparsityConfig& value);
  bool Read(OutputOperandAliasing& value);
  bool Read(OptionalLiteral& value);
  bool Read(Shape& value) { return ParseShape(value, Adjacent::kNo); }
  bool Read(std::vector<Shape>& value);
  bool Read(ReplicaGroups& value);   // sharding.cc
  bool Read(Sharding& value);        // sharding.cc
  bool Read(DomainMetadata& value);  // sharding.cc
  bool Read(ResultAccuracy& value);
  template <class E>
  requires(kHasEnumWords<E>) bool Read(E& value) {
    int64_t index = 0;
    if (!ReadEnumWord(EnumWords<E>(), index)) return false;
    value = static_cast<E>(index);
    return true;
  }
  template <class T>
  bool Read(std::optional<T>& value) {
    return Read(value.emplace());
  }
  // A literal with its shape before it, as in `f32[2]{0} {1, 2}` and `(f32[] 1, s32[] 2)`.
  bool ParseShapedLiteral(Literal& literal);

 private:
  // Whether a layout's brace must follow its shape without a blank, because a literal may come next.
  enum class Adjacent : uint8_t { kNo, kYes };

  // ---- Errors (parser.cc). All return false.
  bool Fail(const char* place, std::string message);
  bool FailLimit(const char* place, std::string message);
  // "expected <what>, found <what stands there>".
  bool FailExpected(std::string_view what);
  bool Expect(char c) { return lexer_.Accept(c) || FailExpected(c); }
  bool FailExpected(char c);
  std::string DescribeNext();
  // Counts nesting, in units of a small stack frame, so that no input can exhaust the stack.
  class Nesting {
   public:
    Nesting(HloParser& parser, int weight) : parser_(parser), weight_(weight) { parser_.depth_ += weight_; }
    ~Nesting() { parser_.depth_ -= weight_; }
    bool TooDeep() const { return parser_.depth_ > parser_.options_.max_depth || parser_.depth_ > kMaxDepth; }

   private:
    HloParser& parser_;
    int weight_;
  };
  static constexpr int kMaxDepth = 8192;
  static constexpr int kInstructionWeight = 16, kValueWeight = 4;
  bool FailDepth(const char* place) { return FailLimit(place, "nested too deeply"); }

  // ---- Header and computations (module.cc).
  bool ParseHeader();
  bool ParseHeaderAttribute(const Word& name, const char* place);
  bool ParseAliasing();
  bool ParseBufferDonors();
  bool ParseProgramShape(ProgramShape& shape);
  bool ParseStackTables();
  bool ParseComputations();
  bool ParseComputation();
  bool LooksLikeComputation();
  bool ParseParameterList();
  bool ParseSingleInstruction();
  // Listed in the module by FinishComputation only: a computation comes after those that it calls.
  HloComputation* NewComputation(std::string_view name, int32_t line);
  void NameComputation(HloComputation* computation);
  // Instructions up to the closing brace.
  bool ParseBody(HloComputation* computation, const char* place);
  bool AtWord(std::string_view word);
  // The computation is complete: checks its parameters and lists it in the module.
  bool FinishComputation(HloComputation* computation, HloInstruction* root, const char* place);
  bool FinishModule();
  // A computation by name, or an inline body.
  bool ParseComputationReference(HloComputation*& computation);

  // ---- Instructions (instruction.cc).
  void* RoomForInstruction();
  bool ParseInstruction(HloInstruction*& instruction, bool& is_root);
  struct Opcode {
    HloOpcode opcode = HloOpcode::kTuple;
    bool is_sugar = false;  // op-start, op-update, op-done: an async op around `wrapped`
    HloOpcode wrapped = HloOpcode::kTuple;
    std::string_view unknown{};  // the word itself, where no table knows it
  };
  bool ParseOpcode(Opcode& opcode);
  bool LooksLikeShape();
  // What follows `name =`; an anonymous one if the name is empty.
  bool ParseInstructionBody(const Word& name, const char* place, bool is_nested, HloInstruction*& instruction);
  bool ParseOperandList(size_t& first);
  bool ParseOperand();
  bool ParseTupleElementChain(HloInstruction*& operand, const Word& base);
  bool CheckArity(HloOpcode opcode, size_t count, const char* place);
  bool CheckInstruction(HloInstruction* instruction, const Opcode& opcode, const char* place);
  bool InferMissingShape(HloInstruction* instruction, const char* place);
  HloInstruction* NewInstruction(HloOpcode opcode, const Shape* shape, std::span<HloInstruction* const> operands,
                                 HloComputation* parent);
  HloInstruction* NewParameter(int64_t number, const Shape* shape, HloComputation* parent);
  void Append(HloComputation* computation, HloInstruction* instruction);
  bool ParseParameterNumber(HloInstruction* instruction);
  bool ParseConstantValue(HloInstruction* instruction, const char* place);

  // ---- Async sugar (async.cc).
  bool WrapAsyncStart(HloInstruction* start, HloOpcode wrapped, const char* place);
  const HloInstruction* ChainStart(const HloInstruction* instruction);
  bool CheckAsync(HloInstruction* instruction, const Opcode& opcode, const char* place);
  void ShareWithWrapped(HloInstruction* async, HloInstruction* wrapped);
  void SettleShape(HloInstruction* instruction);
  bool CheckAsyncCalls(HloInstruction* instruction, HloComputation* named, const char* place);
  void SetExecutionThread(HloComputation* computation, std::string_view thread);

  // ---- Names (names.cc).
  bool ReadName(Word& name, std::string_view what) {
    if (lexer_.Peek() == '%') lexer_.set_at(lexer_.at() + 1);
    // No blank between % and the name.
    if (!IsWordStart(*lexer_.at())) return FailExpected(what);
    name = lexer_.ReadWord();
    // Dumps of 2017 and 2018 have a colon after some names.
    if (*lexer_.at() == ':') lexer_.set_at(lexer_.at() + 1);
    return true;
  }
  bool Define(const Word& name, HloInstruction* instruction, const char* place);
  HloInstruction* FindInstruction(const Word& name);
  void NameAnonymous(HloInstruction* instruction, std::string_view base);
  std::string_view NameGiven(std::string_view wanted, bool is_new);
  std::string_view UniqueName(std::string_view wanted);
  void RenameInCompletionOrder();

  // ---- Shapes (shape.cc).
  bool ParseInternedShape(const Shape*& shape);
  bool ParseKnownShape(const Shape*& shape);
  bool ParseShape(Shape& shape, Adjacent adjacent);
  bool ParseTupleElement(Shape& shape);
  bool ParseArrayShape(Shape& shape, Adjacent adjacent);
  bool ParseLayout(Shape& shape);
  bool ParseLayoutExtras(LayoutExtras& extras, int64_t rank);
  const char* ShapeEnd(const char* at) const;
  bool LooksLikeTupleShape() const;

  // ---- Literals (literal.cc). `shape` must outlive the call.
  bool ParseLiteral(const Shape& shape, Literal& literal);
  bool ParseArrayLiteral(const Shape& shape, Literal& literal);
  template <class Element>
  bool ParseElements(Literal& literal, PrimitiveType type);
  template <class Element>
  bool ParseElement(PrimitiveType type, Element& element);
  bool ParseReal(PrimitiveType type, double& value, uint64_t& nan_payload, bool& has_payload, bool& negative_nan);
  bool ParseIntElement(PrimitiveType type, int64_t& value);
  bool CheckLiteralSize(const Shape& shape, const char* place);

  // ---- Attributes (attributes.cc).
  struct AttributeContext;
  // `outer` is the instruction itself, or the async-start around it, which takes what is not the op's own. A nested
  // instruction has no attributes in text; what it needs must not be missing all the same.
  bool ParseAttributes(HloInstruction* instruction, HloInstruction* outer, bool is_nested, const char* place);
  template <class A>
  bool ParseAttributesOf(HloInstruction* instruction, HloInstruction* outer, bool is_nested, const char* place);
  bool ParseGenericAttribute(AttributeContext& context, const Word& name, const char* place, bool& known);
  bool ParseCallAttribute(AttributeContext& context, const Word& name, bool& known);
  bool ParseIgnoredAttribute(HloOpcode opcode, const Word& name, bool& known);
  bool ParseOuterAsyncAttribute(HloInstruction* outer, const Word& name, bool& known);
  bool CheckDimensions(const HloInstruction& instruction, DimVector& dimensions, bool seen, const char* place);
  bool FinishCalls(AttributeContext& context);
  bool ParseUnknownOperation(HloInstruction* instruction, std::string_view opcode, bool is_nested, const char* place);
  bool ParseComputationList(std::vector<HloComputation*>& list);
  bool SkipAttributeValue(std::string_view& raw);
  bool FailUnknownAttribute(HloOpcode opcode, const Word& name);

  // ---- Values.
  // "{" [item {"," item}] "}"; read() reads an item.
  template <class ReadItem>
  bool ReadList(ReadItem&& read) {
    if (!Expect('{')) return false;
    if (lexer_.Accept('}')) return true;
    do {
      if (!read()) return false;
    } while (lexer_.Accept(','));
    return Expect('}');
  }
  bool ReadEnumWord(std::span<const std::string_view> words, int64_t& index);
  bool ReadString(std::string_view& text);  // unescaped; kept as long as the module
  bool ReadShapeIndex(ShapeIndex& index) { return Read(index); }
  bool ReadPadding(PaddingConfig& value, bool with_interior);
  bool ReadDimensionByX(DimVector& sizes);

  // ---- Shardings (sharding.cc).
  bool ParseTiledSharding(Sharding& sharding);
  bool ParseNamedSharding(Sharding& sharding);
  bool ParseShardingSuffix(Sharding& sharding);
  bool ParseMesh(Mesh& mesh);
  bool ParseAxisRef(MeshAxisRef& axis);
  bool ParseAxisList(std::vector<MeshAxisRef>& axes);
  bool ParseIotaDevices(DeviceList& devices);
  bool ReadIntsUntil(char close, std::vector<int64_t>& values);
  bool ParseShardingMetadata(std::vector<OpMetadata>& metadata);
  bool ParseSharedSharding(const Sharding*& sharding);

  // ---- Metadata and origin (metadata.cc).
  bool ParseMetadata(OpMetadata& metadata);
  bool ParseSharedMetadata(const OpMetadata*& metadata);
  bool ParseFrontendAttributes(FrontendAttributes& attributes);
  bool ParseBackendConfig(std::string_view& config);
  bool ParseStatistics(Statistics& statistics);
  bool ParseOriginalValue(OriginalValue& value);
  bool ParseOriginalElement(OriginalValue& value);
  bool ParseOriginalArray(OriginalArray& array);
  bool ParseOriginRecoveryTable(std::vector<OriginRecovery>& table);

  const ParserOptions& options_;
  Lexer lexer_;
  LineCounter lines_;
  std::shared_ptr<const std::string> owner_;
  bool several_modules_ = false;
  int depth_ = 0;

  // The module being read.
  HloModule* module_ = nullptr;
  std::byte* room_ = nullptr;  // in its arena, for the next instructions
  size_t room_left_ = 0, room_size_ = 16;
  HloComputation* computation_ = nullptr;  // the one being read
  // Where one instruction is all the text: the computation made for it.
  HloComputation* single_computation_ = nullptr;
  NameTable names_;
  std::unordered_map<std::string_view, int64_t> next_suffix_;
  // Names that inline bodies took from the computations around them, to be given back.
  std::vector<std::pair<uint32_t, HloInstruction*>> shadowed_;
  std::unordered_map<const HloInstruction*, std::string_view> renamed_from_;
  bool has_inline_computations_ = false;
  // The async-start that each async-update goes back to.
  std::unordered_map<const HloInstruction*, const HloInstruction*> chain_starts_;
  std::vector<HloInstruction*> operands_;  // a stack: the operands of the instructions being read
  // A computation name's users look it up by the name in the text.
  std::unordered_map<std::string_view, HloComputation*> computations_;
  std::unordered_map<std::string_view, int64_t> next_computation_suffix_;

  // Shapes by their text.
  struct ShapeSlot {
    const char* text = nullptr;
    uint32_t size = 0, hash = 0;
    const Shape* shape = nullptr;
  };
  // The slot of that text, or the free one where it belongs.
  ShapeSlot& FindShapeSlot(const char* text, uint32_t size, uint32_t hash);
  std::vector<ShapeSlot> shape_slots_ = std::vector<ShapeSlot>(256);
  size_t shape_count_ = 0;

  std::string_view last_metadata_text_, last_sharding_text_;
  const OpMetadata* last_metadata_ = nullptr;
  StackFrameCompactor stack_frames_;
  const Sharding* last_sharding_ = nullptr;

  StatusCode error_code_ = StatusCode::kOk;
  const char* error_at_ = nullptr;
  std::string error_message_;
};

}  // namespace hloir
