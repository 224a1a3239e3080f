// A syntax tree of MLIR text: the subset used by StableHLO programs. Every op has the structure of MLIR's generic
// syntax (operands, results, named attributes, regions); pretty.cc parses the short forms. convert.cc interprets ops.
// The tree references the text. Tested by tests/unit/stablehlo_test.cc and tests/cli/stablehlo.test.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "hloir/literal.h"
#include "hloir/shape.h"
#include "hloir/status.h"
#include "parser/flat_map.h"

namespace hloir::stablehlo {

struct Operation;
struct Value;
inline const Shape kNoShape;
using Values = SmallVector<Value*, 3>;

// A tensor, token or tuple type is one of Module's shapes; `(a, b) -> c` has its parts.
struct Type {
  const Shape* interned = &kNoShape;
  bool is_function = false;
  std::vector<Type> inputs, results;

  const Shape& shape() const { return *interned; }
};

struct NamedAttribute;

// A constant that an op carries.
struct Attribute {
  enum class Kind {
    kUnit,
    kBool,
    kInteger,
    kFloat,
    kString,
    kSymbol,
    kWord,
    kType,
    kArray,
    kIntegers,
    kDictionary,
    kDense,
    kDialect
  };
  Kind kind = Kind::kUnit;
  std::string_view source;  // as it stands in the text
  size_t offset = 0;        // where
  int64_t integer = 0;      // of kBool, too
  double number = 0;
  std::string_view text;                // a string, a symbol or word, the name of a dialect's attribute
  DimVector integers;                   // of kIntegers, an array of numbers or truths alone: array<i64: …>, [0, 1]
  std::vector<Attribute> elements;      // of kArray
  std::vector<NamedAttribute> entries;  // of kDictionary
  const Shape* type = &kNoShape;        // of kType (but functions) and kDense, and of words
  std::shared_ptr<Literal> literal;     // of kDense

  // Not inline, as many places copy attributes.
  Attribute();
  Attribute(const Attribute&);
  Attribute(Attribute&&) noexcept;
  Attribute& operator=(const Attribute&);
  Attribute& operator=(Attribute&&) noexcept;
  ~Attribute();
  const Attribute* Find(std::string_view name) const;
};

// An entry of a dictionary.
struct NamedAttribute {
  explicit NamedAttribute(std::string_view key, Attribute value = {}) : key(key), value(std::move(value)) {}
  std::string_view key;
  Attribute value;
};

inline const Attribute* Attribute::Find(std::string_view name) const {
  for (const auto& [key, value] : entries) {
    if (key == name) return &value;
  }
  return nullptr;
}

// A result of an op, or an argument of a block.
struct Value {
  const Shape* interned = nullptr;
  Operation* op = nullptr;  // nullptr: an argument
  size_t index = 0;
  size_t offset = 0;
  Value* forward = nullptr;  // the simplifier's: the value that replaced it
  int64_t uses = 0;          // and by how many operands it is read

  const Shape& shape() const { return *interned; }
};

// A region of one block.
struct Region {
  std::string_view label;  // of the block; "" for none
  Values arguments;
  std::vector<Operation*> operations;
};

// What an op's name says, found once for each name of a text.
struct OpKind {
  static constexpr size_t kAny = ~size_t{0};
  std::string_view name, base;  // "stablehlo.add", "add"
  size_t index = 0;             // of the kinds of the text
  bool is_stablehlo = false, is_chlo = false;
  bool is_return = false, is_constant = false;
  bool has_arity = false;  // it has one result, and as many operands:
  size_t least_operands = 0, most_operands = kAny;
};
inline const OpKind kNoOp;

// The name of an op: a text, and what is known of it.
class OpName {
 public:
  OpName() = default;
  explicit OpName(const OpKind* kind) : kind_(kind) {}
  operator std::string_view() const { return kind_->name; }
  const OpKind* operator->() const { return kind_; }
  bool empty() const { return kind_->name.empty(); }
  friend bool operator==(OpName a, std::string_view b) { return a.kind_->name == b; }

 private:
  const OpKind* kind_ = &kNoOp;
};

struct Operation {
  OpName name;
  size_t offset = 0;
  Values operands, results;
  Attribute attributes;  // a dictionary
  std::vector<Region> regions;
  std::string_view location;  // inside loc(…)
  Operation* parent = nullptr;

  const Attribute* Find(std::string_view attribute) const { return attributes.Find(attribute); }
};

// Items at stable addresses, in blocks of growing size.
template <class T>
class Pool {
 public:
  T& Add() {
    if (used_ == room_) {
      constexpr size_t kLeast = 8, kMost = 512;
      room_ = std::clamp(2 * room_, kLeast, kMost);
      blocks_.push_back(std::make_unique<T[]>(room_));
      used_ = 0;
    }
    ++size_;
    return blocks_.back()[used_++];
  }
  size_t size() const { return size_; }

 private:
  std::vector<std::unique_ptr<T[]>> blocks_;
  size_t used_ = 0, room_ = 0, size_ = 0;
};

// A parsed text.
struct Module {
  std::shared_ptr<const std::string> text;
  std::string file_name;
  Operation* root = nullptr;  // builtin.module
  Pool<Operation> operations;
  Pool<Value> values;
  std::unordered_map<std::string_view, std::string_view> locations;  // #loc1 -> the text inside loc(…)
  std::deque<std::string> unescaped;                                 // strings that differ from their text

  // An op's name; its text must outlive the module.
  OpName Name(std::string_view name);
  // The one copy of a shape, at a stable address.
  const Shape* Intern(const Shape& shape) { return &*shapes_.insert(shape).first; }

 private:
  struct Hash {
    size_t operator()(const Shape& shape) const { return shape.Hash(); }
  };
  std::unordered_set<Shape, Hash> shapes_;
  FlatMap<std::string_view, OpKind*> kinds_;
  Pool<OpKind> kind_pool_;
};

// "FILE:LINE:COLUMN: error: …", the line and a caret.
Status ErrorAt(const Module& module, size_t offset, std::string_view message,
               StatusCode code = StatusCode::kInvalidArgument);
int LineAt(std::string_view text, size_t offset);

// LineAt for many offsets of one text, in any order: reads at most a block of it for each.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);
  int At(size_t offset) const;

 private:
  static constexpr size_t kBlock = 256;
  std::string_view text_;
  std::vector<int> before_;  // by block: the line ends before it
};

// Depths over the limit are ResourceExhausted.
StatusOr<std::unique_ptr<Module>> ParseMlir(std::shared_ptr<const std::string> text, std::string file_name);

}  // namespace hloir::stablehlo
