// Printer: HLO's graph to StableHLO text, the reverse of convert.h. Functions, regions and values are in print.cc, the
// ops with their attributes in print_ops.cc, types and constants in print_values.cc. Ops are in MLIR's generic form,
// except elementwise ones and constants. Tested by tests/unit/stablehlo_print_test.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir::stablehlo {

// ---- Types, attributes and constants ----

// A type in MLIR: "tensor<2x3xf32>", "tuple<…>", "!stablehlo.token". Empty if it has none.
std::string TypeText(const Shape& shape);
// "text" in quotes, with escapes.
std::string Quoted(std::string_view text);
// A name without quotes where MLIR allows it, otherwise quoted.
std::string NameText(std::string_view name);
// dense<…>, without the type. The literal is of an array and not elided.
std::string DenseText(const Literal& literal);
// {key = "value", …}
std::string FrontendText(const FrontendAttributes& attributes);

// "key = value" of a dictionary, separated by commas.
class Entries {
 public:
  void Add(std::string_view key, std::string_view value);
  void AddInt(std::string_view key, int64_t value, std::string_view type = "i64");
  void AddUnit(std::string_view key);
  void AddBool(std::string_view key, bool value) { Add(key, value ? "true" : "false"); }
  void AddInts(std::string_view key, std::span<const int64_t> values);                          // array<i64: 1, 2>
  void AddList(std::string_view key, std::span<const int64_t> values);                          // [1, 2]
  void AddRows(std::string_view key, const std::vector<std::vector<int64_t>>&, int64_t width);  // dense<[[1, 2]]> : …
  // #stablehlo<enumeration WORD>
  void AddWord(std::string_view key, std::string_view enumeration, std::string_view word);
  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

 private:
  std::string text_;
};

// ---- Ops ----

// An instruction as an op.
struct OpText {
  std::string name;                              // "stablehlo.add"
  Entries properties;                            // the op's own attributes
  Entries attributes;                            // other dialects'
  std::vector<const HloComputation*> regions;    // blocks whose arguments are the computation's parameters
  std::vector<const HloComputation*> functions;  // that it calls
  bool is_flat = false;                          // takes and gives the leaves of tuples
  bool is_short = false;                         // stablehlo.add %a, %b : tensor<4xf32>
};

class Printer {
 public:
  explicit Printer(const HloModule& module) : module_(module) {}
  StatusOr<std::string> Print();

 private:
  // A value of the text. A tuple may exist as its elements alone.
  struct Named {
    Shape shape;
    std::string name;
    std::vector<Named> elements;  // if there is no name
  };

  static Status Refuse(const HloInstruction& instruction, std::string_view why);

  // print_ops.cc: the op of an instruction, or why there is none.
  StatusOr<OpText> OpOf(const HloInstruction& instruction);
  Status CustomCallOp(const HloInstruction& instruction, OpText& op);
  Status CompositeOp(const HloInstruction& instruction, OpText& op);

  // print.cc
  Entries ModuleAttributes() const;
  Status Function(const HloComputation& computation, const std::string& symbol);
  std::string ParameterAttributes(const HloInstruction& parameter) const;
  std::string ResultAttributes(const HloInstruction& root, int64_t result) const;
  // Prints the instructions of a computation whose parameters have names; gives the root's.
  StatusOr<Named> Body(const HloComputation& computation, std::vector<Named> parameters);
  Status Instruction(const HloInstruction& instruction);
  Status Conditional(const HloInstruction& instruction);
  Status Transfer(const HloInstruction& instruction);
  // A region in parentheses: with a block of arguments for each leaf of the parameters, or with those names for them.
  Status Region(const HloComputation& computation, const std::vector<Named>* parameters);
  // Prints a whole op, or its parts before and after the regions.
  void Begin(const OpText& op, const std::vector<Named>& operands, const std::vector<Shape>& results,
             std::string_view base);
  void End(const HloInstruction& instruction, const OpText& op, const std::vector<Named>& operands,
           const std::vector<Shape>& results);
  Status Emit(const HloInstruction& instruction, const OpText& op, const std::vector<Named>& operands);

  const std::string& Symbol(const HloComputation& computation);
  std::string Unique(std::string_view name);
  std::string LocationText(const HloInstruction& instruction) const;
  void Indent() { text_.append(static_cast<size_t>(2 * depth_), ' '); }

  // An element of a tuple, all of a tuple by one name, and its leaves; these may print ops.
  Named Element(const Named& tuple, int64_t index);
  Named Whole(const Named& value);
  void AddLeaves(const Named& value, std::vector<Named>& leaves);
  // A tuple of these leaves, from `next` on.
  static Named FromLeaves(const Shape& shape, std::span<const std::string> leaves, size_t& next);
  // The value of an op whose `count` results are its leaves.
  static Named FromFlatResults(const Shape& shape, const std::string& base, size_t count);
  // Results of a call: the elements of a tuple, unless there is one.
  static std::vector<Shape> ResultsOf(const Shape& shape);
  static Named FromResults(const Shape& shape, std::string_view base);
  static std::vector<Shape> LeavesOf(const Shape& shape);

  static constexpr int kMaxDepth = 150;  // of regions; the reader's limit is 200 levels

  const HloModule& module_;
  std::string text_;
  int depth_ = 1;
  int64_t ops_ = 0, most_ops_ = 0;  // regions are repeated where computations are shared
  std::unordered_map<const HloInstruction*, Named> values_;
  std::unordered_set<std::string> names_;  // of the function
  std::unordered_map<const HloComputation*, std::string> symbols_;
  std::unordered_set<std::string> used_symbols_;
  std::vector<const HloComputation*> pending_;  // functions to print
};

}  // namespace hloir::stablehlo
