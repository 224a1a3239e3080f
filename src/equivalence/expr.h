// Values in index notation: each element of an array as an expression over the reals (or integers modulo 2^n) in its
// index variables. Expressions are made once (equal ones have one id) and are in normal form as they are made:
// sums of products of factors to rational powers, conditions as factors that are 0 or 1, sums over index variables,
// leaves read at affine indices. Two values whose expressions are one id are the same function.
//
// equivalence.h is the interface. index.cc has index arithmetic, ranges.cc bounds of integers, expr.cc the table,
// numbers.cc constants, algebra.cc sums and products, complex.cc the imaginary unit, conditions.cc conditions,
// conversions.cc and functions.cc other elementwise operations, sums.cc operations that bind variables, prefix.cc
// prefix sums, order.cc their canonical order, cases.cc equality by cases, tiles.cc equality by tiles, bounds.cc
// clamps, regions.h sums over pieces of arrays, evaluate.cc constant evaluation. Covered by
// tests/unit/equivalence_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "equivalence/double_double.h"
#include "equivalence/id_table.h"
#include "hloir/attributes.h"
#include "hloir/literal.h"
#include "hloir/opcode.h"
#include "hloir/primitive_type.h"

namespace hloir::equivalence::inside {

using ExprId = int32_t;
using VarId = int32_t;
using TermId = int32_t;

// An index: a constant plus terms with factors, in the order of the terms' ids.
struct Index {
  int64_t constant = 0;
  std::vector<std::pair<TermId, int64_t>> terms;
  bool operator==(const Index&) const = default;
};
struct Range {
  int64_t low, high;
};
inline constexpr int64_t kUnbounded = int64_t{1} << 60;  // a range with this bound, or its negative, is unbounded there
// The numbers of an integer type.
Range RangeOfType(PrimitiveType type);

// A term of an index: a variable, (inner div by) mod to (mod 0: no mod), or an integer value.
struct IndexTerm {
  enum class Kind : uint8_t { kVar, kDivMod, kValue } kind = Kind::kVar;
  VarId var = -1;
  Index inner;
  int64_t div = 1, mod = 0;
  ExprId value = -1;
  Range range{0, 0};
  std::vector<VarId> free;  // sorted
};

// Variables: a dimension of a value (level kDimension, numbered by place), a variable that a sum binds (levels from 0,
// canonical), or one without a canonical name (kFresh).
struct Variable {
  static constexpr int32_t kDimension = -1, kFresh = -2, kTurn = -3;  // kTurn: iteration of a loop, or mesh axis
  int64_t size = 0;
  int32_t level = 0, place = 0;
};

inline constexpr int32_t kOne = 12;  // exponents are in twelfths
struct Factor {
  ExprId base;
  int32_t power;
  bool operator==(const Factor&) const = default;
  auto operator<=>(const Factor&) const = default;
};
struct Monomial {
  DoubleDouble real;    // the coefficient of a real or complex monomial
  int64_t integer = 0;  // the coefficient of an integer monomial
  std::vector<Factor> factors;
};
using Polynomial = std::vector<Monomial>;  // sorted by factors, without duplicates

struct Expr {
  enum class Kind : uint8_t {
    kSum,       // a polynomial; a constant has at most one monomial without factors
    kLeaf,      // element `index` of leaf `tag`
    kIndex,     // index[0] as a number
    kGuard,     // tag 0: index[0] >= 0; tag 1: index[0] == 0
    kFunction,  // op of args, elementwise
    kBind,      // op over `bound` of args; `tag` is the rule: kSumOf, kExtremeOf, kRow
  };
  Kind kind = Kind::kSum;
  PrimitiveType type = PrimitiveType::F64;  // F64 stands for all floats, C128 for all complex numbers
  HloOpcode op = HloOpcode::kTuple;
  int64_t tag = 0;
  std::vector<int64_t> data;
  std::vector<ExprId> args;
  std::vector<Index> index;
  std::vector<VarId> bound;
  Polynomial sum;
  // Derived from the fields above.
  std::vector<VarId> free;  // sorted
  int32_t depth = 0, level = -1;
  bool open = false;        // depends on more than constants and indices
  bool has_bounds = false;  // of a sum: a bound variable shares a bound with other variables
  int64_t weight = 1;
};
inline constexpr int64_t kLoopLeaf = -16;  // Leaf::key[0] of the final value of a loop
// Expr::tag of kBind.
inline constexpr int64_t kSumOf = 0, kExtremeOf = 1, kRow = 2;

// A leaf: an input, or a named value. A named value's elements are `value`, in dimension variables.
struct Leaf {
  std::vector<int64_t> key;
  std::vector<int64_t> sizes;
  PrimitiveType type = PrimitiveType::F64;
  PrimitiveType stored = PrimitiveType::F64;  // an input's own type
  ExprId value = -1;                          // -1: opaque
  std::shared_ptr<const Literal> literal;     // of a constant
};

// The assumptions of rewrites to normal form.
enum Use : uint32_t {
  kRounds = 1 << 0,       // arithmetic is over the reals, without rounding
  kFiniteOnly = 1 << 1,   // no value is infinite or NaN
  kNarrows = 1 << 2,      // only one side rounds a value to a narrower float
  kConstants = 1 << 3,    // a constant was folded, and rounded
  kDomain = 1 << 4,       // a root's or logarithm's argument is positive
  kCancels = 1 << 5,      // log1p or expm1 was expanded: digits are lost near 0
  kSameUnknown = 1 << 6,  // calls of one unknown target are the same function of their operands
  kSameElided = 1 << 7,   // constants that both texts elide are the same
  kSameRandom = 1 << 8,   // random numbers and infeeds come in the same order
  kSameDraws = 1 << 9,    // rng draws what XLA's expansion computes, from a key of the compiler's choice
  kInBounds = 1 << 10,    // the whole program's dynamic-update-slices start within bounds
};
inline constexpr uint32_t kAssumptions = kSameUnknown | kSameElided | kSameRandom | kSameDraws | kInBounds;

class Exprs {
 public:
  explicit Exprs(int64_t max_work);

  const Expr& At(ExprId e) const { return *exprs_[static_cast<size_t>(e)]; }
  PrimitiveType TypeOf(ExprId e) const { return At(e).type; }
  bool Spent(int64_t work = 1) { return (work_left_ -= work) < 0; }
  bool OutOfWork() const { return work_left_ < 0; }
  int64_t work_left() const { return work_left_; }
  // Keeps most of the work for later, and returns how much; GiveBack returns it.
  int64_t SetAside() {
    const int64_t kept = work_left_ / 4 * 3;
    work_left_ -= kept;
    return kept;
  }
  void GiveBack(int64_t kept) { work_left_ = std::max<int64_t>(work_left_, 0) + kept; }
  // More work, for a search after the proof.
  void Allow(int64_t work) { work_left_ = std::max<int64_t>(work_left_, work); }
  // Ends the work: an expression has no normal form. refusal() is the reason; null if there was none.
  void Refuse(const char* why) {
    if (refusal_ == nullptr) refusal_ = why;
    work_left_ = -1;
  }
  const char* refusal() const { return refusal_; }
  int64_t count() const { return static_cast<int64_t>(exprs_.size()); }
  uint32_t TakeUses() { return std::exchange(uses_, 0); }
  void Uses(uint32_t use) { uses_ |= use; }

  // ---- Indices (index.cc) ----
  VarId Dimension(int32_t place, int64_t size) { return NewVariable({size, Variable::kDimension, place}); }
  VarId Fresh(int64_t size) { return NewVariable({size, Variable::kFresh, next_fresh_++}); }
  VarId Turn(int32_t level, int64_t turns) { return NewVariable({turns, Variable::kTurn, level}); }
  const Variable& VariableAt(VarId v) const { return variables_[static_cast<size_t>(v)]; }
  const IndexTerm& TermAt(TermId t) const { return *terms_[static_cast<size_t>(t)]; }
  // Adds the operands of `x` to `work`: arguments, factors, and values in its indices. Calls on_index(const Index&) for
  // each index of `x`, those inside a div and mod too.
  template <class OnIndex>
  void PushOperands(const Expr& x, std::vector<ExprId>& work, OnIndex on_index) const {
    work.insert(work.end(), x.args.begin(), x.args.end());
    for (const Monomial& m : x.sum) {
      for (const Factor& f : m.factors) work.push_back(f.base);
    }
    std::vector<const Index*> indices;
    for (const Index& index : x.index) indices.push_back(&index);
    while (!indices.empty()) {
      const Index* index = indices.back();
      indices.pop_back();
      on_index(*index);
      for (const auto& [term, factor] : index->terms) {
        const IndexTerm& t = TermAt(term);
        if (t.kind == IndexTerm::Kind::kValue) work.push_back(t.value);
        else if (t.kind == IndexTerm::Kind::kDivMod) indices.push_back(&t.inner);
      }
    }
  }
  void PushOperands(const Expr& x, std::vector<ExprId>& work) const {
    PushOperands(x, work, [](const Index&) {});
  }
  // Calls visit(id) once for `e` and each expression below it, and on_index as PushOperands does, until the budget is
  // spent.
  template <class Visit, class OnIndex>
  void ForEachBelow(ExprId e, Visit visit, OnIndex on_index) {
    std::set<ExprId> seen;
    std::vector<ExprId> work{e};
    while (!work.empty() && !Spent()) {
      const ExprId at = work.back();
      work.pop_back();
      if (!seen.insert(at).second) continue;
      visit(at);
      PushOperands(At(at), work, on_index);
    }
  }
  Index Var(VarId v);
  static Index Number(int64_t value) { return {value, {}}; }
  Index Plus(const Index& a, const Index& b, int64_t factor = 1);
  Index Times(const Index& a, int64_t factor);
  Index Div(const Index& a, int64_t by);
  Index Mod(const Index& a, int64_t by);
  Range RangeOf(const Index& a) const;
  Range RangeOf(ExprId e);  // an integer expression (ranges.cc)
  // by * whole + rest, with 0 <= rest < by.
  struct IndexSplit {
    int64_t by;
    Index whole, rest;
  };
  // Splits the index at the largest possible divisor of `multiple` above 1.
  std::optional<IndexSplit> SplitBelow(const Index& index, int64_t multiple);
  Index ValueTerm(ExprId e);  // an integer expression as an index term
  void AddFree(const Index& a, std::vector<VarId>& free) const;
  // The row-major position of an element of an array of these sizes, and its inverse.
  Index Flatten(std::span<const Index> index, std::span<const int64_t> sizes);
  std::vector<Index> Unflatten(const Index& flat, std::span<const int64_t> sizes);

  // ---- Construction (expr.cc) ----
  ExprId Make(Expr e);
  // Frees all expressions made since `mark` of which the kept ones are not made. Ids are not used again.
  struct Mark {
    size_t exprs, terms, leaves, stand_ins;
  };
  Mark Here() const { return {exprs_.size(), terms_.size(), leaves_.size(), stands_for_.size()}; }
  void Forget(const Mark& mark, std::span<const ExprId> kept);
  ExprId MakeLeaf(int32_t leaf, std::vector<Index> index);
  int32_t LeafOf(Leaf leaf);
  const Leaf& LeafAt(int64_t leaf) const { return leaves_[static_cast<size_t>(leaf)]; }
  bool IsNamed(ExprId e) const { return At(e).kind == Expr::Kind::kLeaf && LeafAt(At(e).tag).value >= 0; }
  // What a named leaf stands for, as it was named; any other expression itself.
  const Expr& Unnamed(ExprId e) const { return IsNamed(e) ? At(LeafAt(At(e).tag).value) : At(e); }
  ExprId IndexValue(const Index& index, PrimitiveType type);
  ExprId Guard(bool equal, Index index);
  using Substitution = std::vector<std::pair<VarId, Index>>;
  using Place = Substitution;  // variables with numbers
  std::vector<Place> PlacesOf(std::span<const Index> indices, bool is_table) const;
  Monomial Here(const Place& place);
  ExprId WrittenOut(const Expr& leaf);
  ExprId Substitute(ExprId e, const Substitution& by) { return by.empty() ? e : Rebuilt(e, by, nullptr); }
  using Replacement = std::unordered_map<ExprId, ExprId>;
  Index Substitute(const Index& index, const Substitution& by, const Replacement* instead = nullptr);
  ExprId Replaced(ExprId e, const Replacement& instead) { return Rebuilt(e, {}, nullptr, &instead); }
  // Returns a named leaf for a large value, otherwise `e`. `always`: names values of any size.
  ExprId Named(ExprId e, bool always = false);
  // The value of a named leaf; -1 for anything else.
  ExprId Opened(ExprId leaf);
  // Returns whether the two are equal after names that only one of them has are expanded, or in each case of their
  // conditions (cases.cc).
  bool EqualInside(ExprId a, ExprId b, int64_t budget);
  // The same, separately for each tile of a split index and for each device (tiles.cc).
  bool EqualInTiles(ExprId a, ExprId b, int64_t budget);
  // Returns whether two expressions have the same values where they depend on constants alone, up to rounding
  // (evaluate.cc).
  bool EqualClosed(ExprId a, ExprId b);

  // A number that is none over the reals, equal to no other. No proof may rest on one: values that a loop carries are
  // taken for equal only for a while, and unspecified() is set back to what it was.
  ExprId Unspecified(PrimitiveType type);
  int64_t unspecified() const { return unspecified_; }
  void SetUnspecified(int64_t count) { unspecified_ = count; }

  // ---- Printing (text.cc) ----
  std::string Text(const Index& index, int depth = 6) const;
  std::string Text(ExprId e, int depth = 6) const;
  // The innermost parts in which two expressions differ. `around` receives the parts around these, the outermost first.
  std::pair<ExprId, ExprId> Difference(ExprId a, ExprId b, std::vector<std::pair<ExprId, ExprId>>* around = nullptr);
  std::pair<ExprId, ExprId> Apart(ExprId a, ExprId b);

  // ---- Sums and products (algebra.cc) ----
  ExprId Real(DoubleDouble value);
  ExprId Integer(int64_t value, PrimitiveType type);
  ExprId Constant(const Literal& literal, int64_t element);
  void KnowLiteral(double value);
  // `e` depends on constants alone and folds to `folded` in its type's arithmetic: returns that constant if the text
  // has it, else `e`.
  ExprId StandIn(ExprId e, double folded);
  // The constant `e` rounded to a narrower type if the text has the result, else -1.
  ExprId RoundedConstant(ExprId e, PrimitiveType to);
  std::optional<DoubleDouble> RealOf(ExprId e) const;
  std::optional<double> NumberOf(ExprId e) const;  // including infinities and NaN
  std::optional<int64_t> IntegerOf(ExprId e) const;
  ExprId Add(ExprId a, ExprId b, double factor = 1);
  ExprId Multiply(ExprId a, ExprId b);
  ExprId Power(ExprId a, int32_t power);
  Polynomial PolynomialOf(ExprId e);
  ExprId Sum(Polynomial p, PrimitiveType type);
  ExprId OfMonomial(Monomial m, PrimitiveType type);
  ExprId If(ExprId condition, ExprId a, ExprId b);
  // log(exp a + exp b).
  ExprId LogOfExps(ExprId a, ExprId b);
  // The expression as an index, if it is one.
  std::optional<Index> AsIndex(ExprId e);
  // Expressions of this weight or more are named.
  void SetLarge(int64_t weight) { large_ = weight; }
  // Whether a sum over a named polynomial of sums is multiplied out, which takes much work.
  void SetOpensSums(bool opens) { opens_sums_ = opens; }
  // Whether elements of small tables of constants are sums over the values of their indices.
  void SetOpensTables(bool opens) { opens_tables_ = opens; }
  bool has_tables() const { return tables_; }
  void FoldsInF64() { wide_ = true; }
  // Whether comparisons of integers of any size with indices are bounds, as of a start that no device clamps.
  void SetBoundsData(bool bounds) { bounds_data_ = bounds; }
  void KeepBits() { keep_bits_ = true; }

  // ---- Functions (functions.cc) ----
  ExprId Function(HloOpcode op, PrimitiveType type, std::vector<ExprId> args, std::vector<int64_t> data = {});
  ExprId True() { return Guard(false, Number(0)); }
  ExprId False() { return Guard(false, Number(-1)); }
  ExprId Not(ExprId a);
  ExprId And(ExprId a, ExprId b);
  ExprId Or(ExprId a, ExprId b) { return Not(And(Not(a), Not(b))); }
  ExprId Compare(int direction, ExprId a, ExprId b);
  ExprId Convert(ExprId a, PrimitiveType from, PrimitiveType to);

  // ---- Operations that bind variables (sums.cc) ----
  // The variables must be fresh. An extreme may be a product, too. A reduction whose result's number is -1 - k in
  // `data` takes its elements in any order.
  ExprId SumOver(std::vector<VarId> variables, ExprId body);
  // The sum over the members of a group. Partial results that are polynomials of sums are multiplied out.
  ExprId SumOverMembers(VarId member, ExprId body);
  // The sum of the exponentials of `body` where `mask` holds.
  ExprId SumOfExps(std::vector<VarId> variables, ExprId body, ExprId mask);
  ExprId ExtremeOver(HloOpcode op, std::vector<VarId> variables, ExprId body, ExprId mask);
  ExprId Row(HloOpcode op, std::vector<int64_t> data, std::vector<VarId> variables, std::vector<ExprId> bodies,
             std::vector<Index> at, PrimitiveType type);

 private:
  VarId NewVariable(Variable v);
  Range RangeOf(ExprId e, const std::vector<std::pair<ExprId, Range>>& given, int depth);
  Range RangeOfFunction(ExprId e, const std::vector<std::pair<ExprId, Range>>& given, int depth);
  Range RangeOfSum(ExprId e, const std::vector<std::pair<ExprId, Range>>& given, int depth);
  std::optional<Range> RangeOfConditions(const Expr& sum) const;
  std::optional<Index> WholeOf(const Index& index) const;
  static uint64_t HashOf(const IndexTerm& term);
  Index WithTerm(IndexTerm term);
  Index Canonical(Index a);
  static void Put(Index& a, TermId term, int64_t factor);
  void Derive(Expr& e) const;
  ExprId Rebuilt(ExprId e, const Substitution& by, const std::unordered_set<int64_t>* open,
                 const Replacement* instead = nullptr);
  // prefix.cc
  struct Scan {
    HloOpcode op;
    std::vector<VarId> variables;
    std::vector<ExprId> conditions;
    ExprId body;
  };
  std::optional<Scan> ScanOf(ExprId e);
  ExprId OfScan(const Scan& scan);
  ExprId JoinedScans(ExprId tile, ExprId before);
  bool JoinPrefixes(Polynomial& p, PrimitiveType type);
  bool JoinPrefixes(Monomial& m);
  bool JoinPrefixes(std::vector<ExprId>& parts);
  bool IsNarrow(ExprId e, PrimitiveType type, int depth = 0);
  struct Bounds {
    Index index;        // the bounded index,
    ExprId value = -1;  // or the bounded value
    Range range, all;   // the range under the condition, and the unconditional range
  };
  std::optional<Bounds> BoundsOf(ExprId condition);
  std::vector<ExprId> ConditionsApart(ExprId a, ExprId b);
  Replacement ClampsWithin(ExprId e, ExprId value, Range range);
  Replacement ReadsWithin(ExprId e, ExprId value, Range range);
  std::map<VarId, int64_t> CutsOf(ExprId e);
  bool EqualInTiles(ExprId a, ExprId b, int64_t budget, int64_t tiles);
  ExprId Unrolled(ExprId e);
  bool MovesIn(ExprId e, VarId v);
  bool EqualUnrolled(ExprId a, ExprId b, int64_t budget);
  ExprId EqualsIndex(ExprId e, Index index);  // conditions.cc
  std::optional<std::pair<ExprId, ExprId>> BeforeWidening(ExprId a, ExprId b, bool equality);
  ExprId JoinedHalves(ExprId a, ExprId b);
  std::optional<ExprId> BesideItsExtreme(ComparisonDirection d, ExprId a, ExprId b);
  // bounds.cc
  struct Tile {
    size_t variable;
    Index index;
  };
  std::optional<Index> MixedIndex(ExprId e, bool needs_index = true);
  bool OfDevices(const Index& index) const;
  bool BoundsTile(const Monomial& m, const Expr& guard) const;
  std::optional<std::pair<Index, int64_t>> Clamped(ExprId e);
  bool UseBoundsOfClamps(Monomial& m);
  struct ClampBound {
    TermId term;
    int64_t factor;
    Index rest, value;  // the condition is rest + factor * term >= 0, or = 0; the term clamps `value`
    bool equal;
  };
  std::optional<ClampBound> ClampBoundOf(ExprId condition);
  bool Reads(ExprId e, TermId term);
  // An integer that is 0 unless the conditions hold, and then an index that they bound.
  struct Masked {
    std::vector<ExprId> conditions;
    Index inside;
    Range range;  // of the integer
  };
  std::optional<Masked> MaskedOf(ExprId e);
  bool UseMasks(Monomial& m);
  bool UseBoundsOfWindows(Monomial& m);
  bool UseWindowsOfClamps(Polynomial& p, PrimitiveType type);
  std::optional<Tile> TileOf(const std::vector<VarId>& variables, Monomial& m);
  bool EqualByCases(ExprId a, ExprId b, int depth);
  bool EqualCloser(ExprId a, ExprId b);
  std::unordered_set<int64_t> NamesIn(ExprId e);
  ExprId OpenedOnly(ExprId e, const std::unordered_set<int64_t>& names);
  Monomial Times(const Monomial& a, const Monomial& b, PrimitiveType type);
  bool Tidy(Monomial& m, PrimitiveType type);  // returns false if the product is 0
  DoubleDouble LeadOf(const Polynomial& p);
  // A hash that ignores the names of variables.
  uint64_t HashOf(ExprId e) {
    std::unordered_map<ExprId, uint64_t> done;
    return HashWith(e, {}, done);
  }
  bool IsNonNegative(ExprId e, int depth = 0);
  bool TakeSigns(Monomial& m);
  bool TakeUnits(Monomial& m);
  ExprId AsLogOfExps(ExprId condition, ExprId a, ExprId b);
  ExprId ImaginaryUnit();
  ExprId Complex(ExprId re, ExprId im);
  ExprId PartOf(ExprId e, bool real);
  std::optional<bool> GivenEquality(const Index& index, ExprId condition);
  bool TidyGuards(Monomial& m);
  std::optional<std::pair<VarId, int64_t>> PlaceOf(ExprId condition) const;
  bool JoinPlaces(Polynomial& p, PrimitiveType type);
  bool UseEqualities(Monomial& m);
  bool IsPlainGuard(ExprId e) const;  // a bound of variables alone
  Polynomial Product(const Polynomial& a, const Polynomial& b, PrimitiveType type);
  void SortSum(Polynomial& p, PrimitiveType type);
  bool JoinDigits(Polynomial& p, PrimitiveType type);
  DoubleDouble Coefficient(DoubleDouble value, double folded = 0);
  bool TakeConstant(std::map<DoubleDouble, DoubleDouble>::iterator computed, double constant);
  double Folded(const DoubleDouble& value) const;
  // sums.cc: variables in canonical order, split and joined as the indices require.
  struct Ordered {
    std::vector<VarId> variables;
    std::vector<ExprId> bodies;
    std::vector<Index> in_given;  // each of the given variables in terms of `variables`
  };
  Ordered Order(std::vector<VarId> variables, std::vector<ExprId> bodies, bool reshape);
  bool CutOrJoin(Ordered& order);
  std::vector<Index> IndicesIn(const Polynomial& sum, PrimitiveType type, std::vector<ExprId>& factors) const;
  uint64_t HashWith(ExprId e, const std::unordered_map<VarId, uint64_t>& colours,
                    std::unordered_map<ExprId, uint64_t>& done);
  uint64_t HashWith(const Index& index, const std::unordered_map<VarId, uint64_t>& colours,
                    std::unordered_map<ExprId, uint64_t>& done);
  // A bound variable that is another, moved, in all that is read.
  struct Moved {
    size_t variable;  // which of them
    VarId made;
    Substitution by;
    std::vector<ExprId> implied, conditions;  // that go, and that come
  };
  std::optional<Moved> MovedVariable(const std::vector<VarId>& variables, const std::vector<ExprId>& conditions,
                                     const std::vector<ExprId>& parts);
  bool TakeNeutral(HloOpcode op, ExprId& body, ExprId& mask);
  bool IsPartialResult(const Expr& leaf) const;
  void SumOfMonomial(std::vector<VarId> variables, Monomial m, PrimitiveType type, Polynomial& out);
  ExprId Bound(Expr e, std::vector<VarId> variables, bool in_order);
  Polynomial Expanded(Monomial m, PrimitiveType type);

  std::vector<std::unique_ptr<const Expr>> exprs_;       // null: forgotten
  std::vector<std::unique_ptr<const IndexTerm>> terms_;  // null: forgotten
  std::deque<Leaf> leaves_;
  std::vector<Variable> variables_;
  IdTable by_hash_, leaf_by_hash_, term_by_hash_;
  std::map<std::pair<int64_t, int64_t>, VarId> variable_by_;
  std::unordered_map<ExprId, uint64_t> plain_hash_;
  std::unordered_map<ExprId, bool> is_led_by_minus_;  // of sums: the sign of LeadOf
  std::unordered_map<ExprId, Range> range_;
  std::map<DoubleDouble, DoubleDouble> coefficients_;  // known numbers with their representatives, all positive
  std::unordered_set<double> written_, taken_;         // literals; those that stand for a computed number
  std::unordered_map<ExprId, ExprId> stands_for_;      // constants that replace constant expressions
  std::unordered_map<ExprId, std::pair<ExprId, ExprId>> products_;  // sums that were multiplied out, with their factors
  int32_t next_fresh_ = 0;
  int64_t unspecified_ = 0, next_unspecified_ = 0;
  uint32_t uses_ = 0;
  bool naming_ = false, joining_ = false, keep_bits_ = false, in_tiles_ = false;
  bool wide_ = false;  // folds constants in f64 instead of f32
  int64_t work_left_, large_ = 160;
  bool opens_sums_ = false, bounds_data_ = false, opens_tables_ = false, tables_ = false;
  VarId member_ = -1;  // over which SumOverMembers adds
  const char* refusal_ = nullptr;
};

inline bool HasVariable(const std::vector<VarId>& sorted, VarId v) {
  return std::binary_search(sorted.begin(), sorted.end(), v);
}

// The integer wrapped to the type's width and sign-extended, unsigned ones too.
inline int64_t Wrapped(int64_t value, PrimitiveType type) {
  const int width = BitWidth(type);
  if (width >= 64 || width <= 0) return value;
  const uint64_t low = static_cast<uint64_t>(value) << (64 - width);
  return static_cast<int64_t>(low) >> (64 - width);
}

inline uint64_t MixHash(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15 + (hash << 6) + (hash >> 2);
  hash *= 0xBF58476D1CE4E5B9;
  return hash ^ (hash >> 31);
}
inline uint64_t HashOf(const DoubleDouble& value) {
  return MixHash(__builtin_bit_cast(uint64_t, value.high),
                 value.low == 0 ? 0 : __builtin_bit_cast(uint64_t, value.low));  // -0 hashes as 0
}

}  // namespace hloir::equivalence::inside
