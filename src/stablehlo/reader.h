// Reader: MLIR's text by recursive descent over its bytes. The generic syntax, types and attributes are read here;
// PrettyOperation (pretty.cc) adds the short forms. The first error is kept, and all functions then return at once.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parser/flat_map.h"
#include "mlir.h"

namespace hloir::stablehlo {

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Letters, digits, _ . $ -, by byte.
constexpr std::array<bool, 256> kIsNameByte = [] {
  std::array<bool, 256> is{};
  for (int c = 0; c < 256; ++c)
    is[static_cast<size_t>(c)] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                                 c == '_' || c == '.' || c == '$' || c == '-';
  return is;
}();
inline bool IsNameByte(char c) { return kIsNameByte[static_cast<unsigned char>(c)]; }

class Reader {
 public:
  explicit Reader(Module& module) : module_(module), text_(*module.text) {}
  Status ReadModule();

 private:
  friend class PrettyOperation;
  struct DepthGuard {
    explicit DepthGuard(Reader& reader) : reader(reader) {
      if (++reader.depth_ > kMaxDepth) reader.Fail("nested too deep", StatusCode::kResourceExhausted);
    }
    ~DepthGuard() { --reader.depth_; }
    Reader& reader;
  };
  static constexpr int kMaxDepth = 200;

  // Bytes.
  bool failed() const { return failed_; }
  bool Fail(std::string_view message, StatusCode code = StatusCode::kInvalidArgument) {
    return FailAt(at_, message, code);
  }
  bool FailAt(size_t offset, std::string_view message, StatusCode code = StatusCode::kInvalidArgument);
  bool Expected(std::string_view what);
  void Skip() {  // blanks and comments
    if (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ < text_.size() && text_[at_] > ' ' && text_[at_] != '/') return;  // most often
    SkipAll();
  }
  void SkipAll();
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Next(std::string_view token) {  // the text continues with this (after blanks)
    if (failed()) return false;
    Skip();
    return text_.size() - at_ >= token.size() && std::memcmp(text_.data() + at_, token.data(), token.size()) == 0;
  }
  bool Take(std::string_view token) {  // and skips it
    if (!Next(token)) return false;
    at_ += token.size();
    return true;
  }
  bool TakeWord(std::string_view word);
  bool Want(std::string_view token) { return Take(token) || ExpectedToken(token); }
  bool ExpectedToken(std::string_view token);
  std::string_view Word();  // letters, digits, _ . $ -; "" if none
  std::string_view Since(size_t begin) const { return text_.substr(begin, at_ - begin); }
  bool ReadString(std::string_view& value);
  bool ReadInteger(int64_t& value);
  bool SkipBalanced();  // one balanced pair of brackets and its contents; strings are skipped whole

  // Types and attributes: attributes.cc.
  bool ReadType(Type& type);
  bool ReadTensor(Shape& shape);
  bool ReadElementType(PrimitiveType& type);
  bool ReadTypeList(std::vector<Type>& types);  // without parentheses
  bool ReadParenthesizedTypes(std::vector<Type>& types);
  bool ReadFunctionType(Type& type);
  bool ReadAttribute(Attribute& attribute);
  bool ReadList(Attribute& attribute);
  bool ReadDictionary(Attribute& attribute);
  bool ReadNumber(Attribute& attribute);
  bool ReadTypedArray(Attribute& attribute);
  bool ReadIntegers(Attribute& attribute);
  bool ReadDense(Attribute& attribute);
  bool ReadNewDense(Attribute& attribute);
  bool ReadDialectAttribute(Attribute& attribute);
  bool ReadDenseElements(std::vector<std::string_view>& flat, DimVector& dimensions, size_t level);
  bool FillDense(Attribute& attribute, const std::vector<std::string_view>& flat, const DimVector& dimensions);
  bool FillDenseFromHex(Attribute& attribute, std::string_view hex);
  bool ReadEntries(Attribute& attribute, std::string_view end);
  bool ReadPlainValue(Attribute& attribute);

  // Bytes of constants at the end of the text: resources.cc.
  bool ReadKey(std::string_view& key);
  bool ReadResourceEntries(bool is_builtin, int level);
  bool ReadResources();
  bool ReadDenseResource(Attribute& attribute);

  // Operations.
  bool ReadAliases();
  bool ReadOperation(Region& region, Operation* parent);
  bool ReadGenericOperation(Operation& op);
  struct ResultName {
    std::string_view name;
    size_t count;
  };
  using ResultNames = SmallVector<ResultName, 2>;
  bool ReadResults(ResultNames& names);
  bool ReadOperand(Operation& op);
  bool ReadOperandList(Operation& op, std::string_view end);
  bool ReadRegion(Operation& op, bool isolated = false, Values arguments = {},
                  std::vector<std::string_view> names = {});
  bool ReadBlockArguments(Values& values, std::vector<std::string_view>& names);
  bool ReadLocation(std::string_view& location);
  bool SetTypes(Operation& op, const std::vector<Type>& inputs, const std::vector<Type>& results);
  bool SetFunctionType(Operation& op, const Type& type) { return SetTypes(op, type.inputs, type.results); }
  bool ReadFunctionTypeOf(Operation& op);  // ": (…) -> …"
  // The same, if all are tensors that were read before and fit; else at_ stays. `may_be_short`: or one type for all.
  bool ReadKnownTypesOf(Operation& op, bool may_be_short);
  const Shape* KnownTensorAt(size_t at, size_t& end) const;
  Value* NewValue(const Shape* shape, Operation* op, size_t index);
  // Successive results of an op, or one argument.
  struct Named {
    Value* first = nullptr;
    uint32_t count = 0;
    uint32_t scope = 0;  // of isolated_: the name is visible in there
  };
  Named& Entry(std::string_view name);
  void Define(std::string_view name, Named values);
  Value* Lookup(std::string_view name, size_t index);

  Module& module_;
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  Status status_;
  bool failed_ = false;  // status_ is an error
  // Names in scope; the end of a region removes those that it defined.
  std::vector<Named> numbered_;  // %0, %1, …
  FlatMap<std::string_view, Named> others_;
  uint32_t isolated_ = 0, isolated_count_ = 0;  // the isolated region around, and the last one
  std::vector<std::pair<std::string_view, Named>> undo_;
  // Tensor types read last, by their text, which few others share a slot with: most types of a module recur.
  struct KnownTensor {
    std::string_view text;  // between < and >
    const Shape* shape = nullptr;
  };
  std::vector<KnownTensor> known_tensors_ = std::vector<KnownTensor>(256);
  static size_t SlotOf(std::string_view inside);
  // The same for short constants.
  struct KnownConstant {
    std::string_view text;  // <0> : tensor<f32>
    const Shape* type = nullptr;
    std::shared_ptr<Literal> literal;
  };
  KnownConstant* KnownConstantAt(size_t at, std::string_view& text);
  std::vector<KnownConstant> known_constants_ = std::vector<KnownConstant>(64);
  std::unordered_map<std::string_view, Attribute> aliases_;
  std::unordered_map<std::string_view, Type> type_aliases_;
  std::unordered_map<std::string_view, std::string_view> resources_;  // as text; once has_resources_
  bool has_resources_ = false;
};

// The short form of an op, after its name.
class PrettyOperation {
 public:
  PrettyOperation(Reader& reader, Operation& op) : r_(reader), op_(op) {}
  bool Read();

 private:
  using Form = bool (PrettyOperation::*)();
  bool Module();
  bool Function();
  bool Call();
  bool Return();
  bool Constant();
  bool Reduce();
  bool While();
  bool Convolution();
  bool CustomCall();
  bool Composite();
  bool TopK();
  bool GetTupleElement();
  bool Mesh();
  bool ShardingConstraint();
  bool ManualComputation();
  bool Items();
  bool Item();
  bool Types();
  bool SetPretty(std::string_view key, Attribute value);
  bool Symbol(std::string_view attribute);
  bool OptionalAttributes() { return !r_.Next("{") || r_.ReadDictionary(op_.attributes); }
  Attribute& Add(std::string_view name) {
    op_.attributes.entries.emplace_back(name, Attribute());
    return op_.attributes.entries.back().value;
  }
  void AddInteger(std::string_view name, int64_t value);
  // The text up to the end of one balanced pair of brackets.
  bool Raw(std::string_view name);

  Reader& r_;
  Operation& op_;
  int words_ = 0;
};

}  // namespace hloir::stablehlo
