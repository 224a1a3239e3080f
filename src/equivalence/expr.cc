// The expression table: each expression is made once. Substitution, named values and their expansion. See expr.h.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "equivalence/expr.h"

namespace hloir::equivalence::inside {
namespace {

constexpr int32_t kDeep = 48;  // depth limit

uint64_t HashOfParts(const Index& a) {
  uint64_t hash = MixHash(3, static_cast<uint64_t>(a.constant));
  for (const auto& [term, factor] : a.terms)
    hash = MixHash(MixHash(hash, static_cast<uint64_t>(term)), static_cast<uint64_t>(factor));
  return hash;
}
uint64_t HashOfParts(const Expr& e) {
  uint64_t hash = MixHash(static_cast<uint64_t>(e.kind), static_cast<uint64_t>(e.type));
  hash = MixHash(MixHash(hash, static_cast<uint64_t>(e.op)), static_cast<uint64_t>(e.tag));
  for (int64_t value : e.data) hash = MixHash(hash, static_cast<uint64_t>(value));
  for (ExprId arg : e.args) hash = MixHash(hash, static_cast<uint64_t>(arg));
  for (const Index& index : e.index) hash = MixHash(hash, HashOfParts(index));
  for (VarId v : e.bound) hash = MixHash(hash, static_cast<uint64_t>(v));
  for (const Monomial& m : e.sum) {
    hash = MixHash(MixHash(hash, static_cast<uint64_t>(m.integer)), HashOf(m.real));
    for (const Factor& f : m.factors)
      hash = MixHash(MixHash(hash, static_cast<uint64_t>(f.base)), static_cast<uint64_t>(f.power));
  }
  return hash;
}
bool SameParts(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.type != b.type || a.op != b.op || a.tag != b.tag || a.data != b.data || a.args != b.args ||
      a.index != b.index || a.bound != b.bound || a.sum.size() != b.sum.size())
    return false;
  for (size_t i = 0; i < a.sum.size(); ++i) {
    const Monomial &x = a.sum[i], &y = b.sum[i];
    if (x.integer != y.integer || x.real != y.real || x.factors != y.factors) return false;
  }
  return true;
}
void SortUnique(std::vector<VarId>& v) {
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
}

}  // namespace

Exprs::Exprs(int64_t max_work) : work_left_(max_work) {}

// Computes the free variables, the depth, the weight and the highest level bound inside.
void Exprs::Derive(Expr& e) const {
  const auto take = [&](ExprId part) {
    const Expr& x = At(part);
    e.free.insert(e.free.end(), x.free.begin(), x.free.end());
    e.depth = std::max(e.depth, x.depth + 1);
    e.level = std::max(e.level, x.level);
    e.open = e.open || x.open;
    e.weight = std::min<int64_t>(e.weight + x.weight, int64_t{1} << 40);
  };
  if (e.kind == Expr::Kind::kLeaf) {
    const Leaf& leaf = LeafAt(e.tag);
    e.open = leaf.literal == nullptr && (leaf.value < 0 || At(leaf.value).open);
  }
  for (ExprId arg : e.args) take(arg);
  for (const Monomial& m : e.sum) {
    ++e.weight;
    for (const Factor& f : m.factors) take(f.base);
  }
  const std::function<void(const Index&, int)> walk = [&](const Index& index, int depth) {
    for (const auto& [term, factor] : index.terms) {
      const IndexTerm& t = TermAt(term);
      if (t.kind == IndexTerm::Kind::kValue) take(t.value);
      else if (t.kind == IndexTerm::Kind::kDivMod && depth < 64) walk(t.inner, depth + 1);
    }
  };
  for (const Index& index : e.index) {
    AddFree(index, e.free);
    walk(index, 0);
  }
  SortUnique(e.free);
  if (e.kind == Expr::Kind::kBind && e.tag == kSumOf && At(e.args[0]).kind == Expr::Kind::kSum) {
    for (const Monomial& m : At(e.args[0]).sum) {
      for (const Factor& f : m.factors)
        e.has_bounds = e.has_bounds || (IsPlainGuard(f.base) && At(f.base).free.size() > 1);
    }
  }
  if (!e.bound.empty()) {
    std::erase_if(e.free, [&](VarId v) { return std::find(e.bound.begin(), e.bound.end(), v) != e.bound.end(); });
    for (VarId v : e.bound) e.level = std::max(e.level, VariableAt(v).level);
  }
}

ExprId Exprs::Make(Expr e) {
  const uint64_t hash = HashOfParts(e);
  if (const ExprId known = by_hash_.Find(hash, [&](ExprId other) { return SameParts(At(other), e); }); known >= 0)
    return known;
  Spent();
  e.free.clear();
  e.depth = 0, e.level = -1, e.weight = 1, e.open = e.has_bounds = false;
  Derive(e);
  const ExprId id = static_cast<ExprId>(exprs_.size());
  exprs_.push_back(std::make_unique<const Expr>(std::move(e)));
  by_hash_.Insert(hash, id);
  return id;
}

void Exprs::Forget(const Mark& mark, std::span<const ExprId> kept) {
  // Constants that stand for expressions are looked up by their ids.
  if (stands_for_.size() != mark.stand_ins) return;
  std::vector<bool> live(exprs_.size() - mark.exprs), live_terms(terms_.size() - mark.terms);
  std::vector<ExprId> work;
  const auto keep = [&](int64_t e) {
    const size_t at = static_cast<size_t>(e) - mark.exprs;
    if (e < static_cast<int64_t>(mark.exprs) || at >= live.size() || live[at]) return;
    live[at] = true;
    work.push_back(static_cast<ExprId>(e));
  };
  std::vector<const Index*> indices;
  for (ExprId e : kept) keep(e);
  while (!work.empty()) {
    const ExprId e = work.back();
    const Expr& x = At(e);
    work.pop_back();
    if (const auto product = products_.find(e); product != products_.end()) {
      keep(product->second.first);
      keep(product->second.second);
    }
    for (ExprId arg : x.args) keep(arg);
    for (const Monomial& m : x.sum) {
      for (const Factor& f : m.factors) keep(f.base);
    }
    // The data of rows, and the keys of leaves, may be ids of expressions.
    for (int64_t value : x.data) keep(value);
    if (x.kind == Expr::Kind::kLeaf && static_cast<size_t>(x.tag) >= mark.leaves) {
      keep(LeafAt(x.tag).value);
      for (int64_t value : LeafAt(x.tag).key) keep(value);
    }
    for (const Index& index : x.index) indices.push_back(&index);
    while (!indices.empty()) {
      const Index& index = *indices.back();
      indices.pop_back();
      for (const auto& [term, factor] : index.terms) {
        if (static_cast<size_t>(term) < mark.terms || live_terms[static_cast<size_t>(term) - mark.terms]) continue;
        live_terms[static_cast<size_t>(term) - mark.terms] = true;
        const IndexTerm& t = TermAt(term);
        if (t.kind == IndexTerm::Kind::kValue) keep(t.value);
        indices.push_back(&t.inner);
      }
    }
  }
  for (size_t at = 0; at < live.size(); ++at) {
    std::unique_ptr<const Expr>& expr = exprs_[mark.exprs + at];
    if (live[at] || expr == nullptr) continue;
    const ExprId id = static_cast<ExprId>(mark.exprs + at);
    by_hash_.Erase(HashOfParts(*expr), id);
    plain_hash_.erase(id);
    is_led_by_minus_.erase(id);
    range_.erase(id);
    products_.erase(id);
    expr.reset();
  }
  for (size_t at = 0; at < live_terms.size(); ++at) {
    std::unique_ptr<const IndexTerm>& term = terms_[mark.terms + at];
    if (live_terms[at] || term == nullptr) continue;
    term_by_hash_.Erase(HashOf(*term), static_cast<TermId>(mark.terms + at));
    term.reset();
  }
}

int32_t Exprs::LeafOf(Leaf leaf) {
  uint64_t hash = MixHash(1, static_cast<uint64_t>(leaf.type));
  for (int64_t k : leaf.key) hash = MixHash(hash, static_cast<uint64_t>(k));
  for (int64_t k : leaf.sizes) hash = MixHash(hash, static_cast<uint64_t>(k));
  hash = MixHash(hash, static_cast<uint64_t>(leaf.value));
  if (leaf.literal != nullptr) hash = MixHash(hash, leaf.literal->Hash());
  const int32_t known = leaf_by_hash_.Find(hash, [&](int32_t other) {
    const Leaf& l = LeafAt(other);
    return l.key == leaf.key && l.sizes == leaf.sizes && l.type == leaf.type && l.value == leaf.value &&
           (l.literal == nullptr) == (leaf.literal == nullptr) &&
           (l.literal == nullptr || l.literal->BitwiseEqual(*leaf.literal));
  });
  if (known >= 0) return known;
  Spent();
  leaves_.push_back(std::move(leaf));
  leaf_by_hash_.Insert(hash, static_cast<int32_t>(leaves_.size()) - 1);
  return static_cast<int32_t>(leaves_.size()) - 1;
}

ExprId Exprs::MakeLeaf(int32_t leaf, std::vector<Index> index) {
  Expr e;
  e.kind = Expr::Kind::kLeaf;
  e.type = LeafAt(leaf).type;
  e.tag = leaf;
  e.index = std::move(index);
  for (size_t d = 0; d < e.index.size(); ++d) {
    if (LeafAt(leaf).sizes[d] == 1) e.index[d] = {};
  }
  if (const Leaf& l = LeafAt(leaf); l.literal != nullptr) {
    // A constant index into a literal.
    const bool known = std::all_of(e.index.begin(), e.index.end(), [](const Index& i) { return i.terms.empty(); });
    bool inside = true;
    int64_t at = 0;
    for (size_t d = 0; d < e.index.size(); ++d) {
      inside = inside && e.index[d].constant >= 0 && e.index[d].constant < l.sizes[d];
      at = at * l.sizes[d] + e.index[d].constant;
    }
    if (known && inside) return Constant(*l.literal, at);
  }
  if (const ExprId out = WrittenOut(e); out >= 0) return out;
  return Make(std::move(e));
}

// The values of the variables of these indices, if one of these is read from a table; none if there are many.
std::vector<Exprs::Place> Exprs::PlacesOf(std::span<const Index> indices, bool is_table) const {
  constexpr int64_t kMostPlaces = 64;
  std::vector<VarId> free;
  for (const Index& index : indices) {
    AddFree(index, free);
    for (const auto& [term, factor] : index.terms) {
      const IndexTerm& t = TermAt(term);
      is_table = is_table || (t.kind == IndexTerm::Kind::kValue && !At(t.value).open);
    }
  }
  std::sort(free.begin(), free.end());
  free.erase(std::unique(free.begin(), free.end()), free.end());
  int64_t count = 1;
  for (VarId v : free) count = std::min(count * VariableAt(v).size, kMostPlaces + 1);
  std::vector<Place> places(is_table && !free.empty() && count <= kMostPlaces ? static_cast<size_t>(count) : 0);
  for (size_t place = 0; place < places.size(); ++place) {
    int64_t rest = static_cast<int64_t>(place);
    for (VarId v : free) {
      places[place].push_back({v, Number(rest % VariableAt(v).size)});
      rest /= VariableAt(v).size;
    }
  }
  return places;
}

// The condition that the variables have these values.
Monomial Exprs::Here(const Place& place) {
  Monomial here{1, 1, {}};
  for (const auto& [v, at] : place) here.factors.push_back({Guard(true, Plus(Var(v), at, -1)), kOne});
  return here;
}

// An element of a table of integers that are affine in the index as an index. With OpensTables, also an element of any
// small table, and a read at an index that such a table tells, as a sum over the values of the variables. Else -1.
ExprId Exprs::WrittenOut(const Expr& e) {
  const Leaf& leaf = LeafAt(e.tag);
  bool affine = leaf.literal != nullptr && IsInteger(e.type);
  if (!affine && !opens_tables_ && leaf.literal == nullptr) return -1;
  if (!IsInteger(e.type) && e.type != PrimitiveType::F64) return -1;
  const std::vector<Place> places = PlacesOf(e.index, leaf.literal != nullptr);
  tables_ = tables_ || !places.empty();
  if (places.empty() || (!affine && !opens_tables_)) return -1;
  Polynomial sum;
  Index line;  // through the first places in each direction
  for (const Place& place : places) {
    std::vector<Index> index;
    bool inside = !Spent();
    for (size_t d = 0; d < e.index.size(); ++d) {
      index.push_back(Substitute(e.index[d], place));
      inside = inside && (!index[d].terms.empty() || (index[d].constant >= 0 && index[d].constant < leaf.sizes[d]));
    }
    if (!inside) affine = false;
    if (!inside) continue;  // masked
    const ExprId value = MakeLeaf(static_cast<int32_t>(e.tag), std::move(index));
    const std::optional<int64_t> number = affine ? IntegerOf(value) : std::nullopt;
    if (number && *number > -kUnbounded && *number < kUnbounded && (*number >= 0 || IsSigned(e.type))) {
      int64_t moves = 0;
      VarId moved = -1;
      for (const auto& [v, at] : place) {
        if (at.constant != 0) moves += at.constant, moved = v;
      }
      if (moves == 0) line.constant = *number;
      else if (moves == 1) line = Plus(line, Var(moved), *number - line.constant);
      affine = Substitute(line, place) == Number(*number);
    } else {
      affine = false;
    }
    if (!affine && !opens_tables_) return -1;
    if (!opens_tables_) continue;
    for (Monomial& m : Product({Here(place)}, PolynomialOf(value), e.type)) sum.push_back(std::move(m));
  }
  if (affine) return IndexValue(line, e.type);
  Uses(kRounds | kFiniteOnly);
  return Sum(std::move(sum), e.type);
}

ExprId Exprs::IndexValue(const Index& index, PrimitiveType type) {
  if (index.terms.empty())
    return IsInteger(type) ? Integer(index.constant, type) : Real(static_cast<double>(index.constant));
  // The sum of the index's terms, so that it combines with other sums.
  Polynomial sum;
  for (const auto& [term, factor] : index.terms) {
    Expr e;
    e.kind = Expr::Kind::kIndex;
    e.type = type;
    e.index = {{0, {{term, 1}}}};
    const IndexTerm& t = TermAt(term);
    ExprId base = t.kind == IndexTerm::Kind::kValue ? Convert(t.value, TypeOf(t.value), type) : Make(std::move(e));
    Monomial m;
    m.real = static_cast<double>(factor);
    m.integer = factor;
    m.factors = {{base, kOne}};
    sum.push_back(std::move(m));
  }
  if (index.constant != 0) sum.push_back({static_cast<double>(index.constant), index.constant, {}});
  return Sum(std::move(sum), type);
}

// The index divided by a number and rounded down, where what the number does not divide adds a constant to it.
std::optional<Index> Exprs::WholeOf(const Index& index) const {
  const auto floor = [](int64_t a, int64_t by) { return a / by - (a % by < 0); };
  std::vector<int64_t> divisors{0};
  for (const auto& [term, factor] : index.terms) {
    divisors[0] = std::gcd(divisors[0], factor);
    divisors.push_back(std::abs(factor));
  }
  for (int64_t by : divisors) {
    if (by < 2) continue;
    Index whole, rest{index.constant, {}};
    for (const auto& [term, factor] : index.terms) {
      if (factor % by == 0) whole.terms.push_back({term, factor / by});
      else rest.terms.push_back({term, factor});
    }
    const Range range = RangeOf(rest);
    if (range.low <= -kUnbounded || range.high >= kUnbounded || floor(range.low, by) != floor(range.high, by)) continue;
    whole.constant = floor(range.low, by);
    return whole;
  }
  return std::nullopt;
}

ExprId Exprs::Guard(bool equal, Index index) {
  Range range = RangeOf(index);
  bool known = false, value = false;
  if (equal) {
    if (range.low > 0 || range.high < 0) known = true, value = false;
    else if (range.low == 0 && range.high == 0) known = true, value = true;
    if (!index.terms.empty() && index.terms[0].second < 0) index = Times(index, -1);
    // A multiple of m that is the only one in range is that one.
    if (!known && index.constant == 0 && index.terms.size() == 1) {
      const IndexTerm t = TermAt(index.terms[0].first);
      if (t.kind == IndexTerm::Kind::kDivMod && t.div == 1 && t.mod > 1) {
        const Range inner = RangeOf(t.inner);
        const bool bounded = inner.low > -kUnbounded && inner.high < kUnbounded;
        const int64_t first = inner.low + ((-inner.low % t.mod) + t.mod) % t.mod;
        if (bounded && first > inner.high) return Guard(false, Number(-1));
        if (bounded && first + t.mod > inner.high) return Guard(true, Plus(t.inner, Number(-first)));
      }
    }
    // At an end of its range a variable equals the end where it lies beyond.
    if (!known && index.terms.size() == 1 && TermAt(index.terms[0].first).kind == IndexTerm::Kind::kVar &&
        (range.low == 0 || range.high == 0))
      return Guard(false, RangeOf(index).low == 0 ? Times(index, -1) : index);
  } else {
    if (range.low >= 0) known = true, value = true;
    else if (range.high < 0) known = true, value = false;
    // 2 i - 3 >= 0 is i - 2 >= 0, and 4 i + j - 4 >= 0 is i - 1 >= 0 if 0 <= j < 4.
    if (const std::optional<Index> whole = known ? std::nullopt : WholeOf(index)) return Guard(false, *whole);
    // For integer values, r div 8 - 3 >= 0 is r - 24 >= 0, and 3 - r div 8 >= 0 is 31 - r >= 0.
    if (index.terms.size() == 1 && std::abs(index.terms[0].second) == 1) {
      const IndexTerm t = TermAt(index.terms[0].first);
      const bool of_data = t.kind == IndexTerm::Kind::kDivMod && t.mod == 0 &&
                           std::all_of(t.inner.terms.begin(), t.inner.terms.end(), [&](const auto& inner) {
                             return TermAt(inner.first).kind == IndexTerm::Kind::kValue;
                           });
      if (of_data && index.terms[0].second > 0) return Guard(false, Plus(Number(index.constant * t.div), t.inner));
      if (of_data) return Guard(false, Plus(Number(index.constant * t.div + t.div - 1), t.inner, -1));
    }
  }
  if (known) {
    index = Number(value ? 0 : -1);
    equal = false;
  }
  Expr e;
  e.kind = Expr::Kind::kGuard;
  e.type = PrimitiveType::PRED;
  e.tag = equal;
  e.index = {std::move(index)};
  return Make(std::move(e));
}

// ---- Substitution ----

Index Exprs::Substitute(const Index& index, const Substitution& by, const Replacement* instead) {
  Index result{index.constant, {}};
  for (const auto& [term, factor] : index.terms) {
    const IndexTerm t = TermAt(term);
    const bool touched = (instead != nullptr && t.kind != IndexTerm::Kind::kVar) ||
                         std::any_of(by.begin(), by.end(), [&](const auto& entry) {
                           return std::binary_search(t.free.begin(), t.free.end(), entry.first);
                         });
    Index part{0, {{term, 1}}};
    if (touched) {
      switch (t.kind) {
        case IndexTerm::Kind::kVar:
          for (const auto& [v, to] : by) {
            if (v == t.var) part = to;
          }
          break;
        case IndexTerm::Kind::kDivMod:
          part = Div(Substitute(t.inner, by, instead), t.div);
          if (t.mod != 0) part = Mod(part, t.mod);
          break;
        case IndexTerm::Kind::kValue: part = ValueTerm(Rebuilt(t.value, by, nullptr, instead)); break;
      }
    }
    result = Plus(result, part, factor);
  }
  return result;
}

ExprId Exprs::Rebuilt(ExprId e, const Substitution& by, const std::unordered_set<int64_t>* open,
                      const Replacement* instead) {
  std::unordered_map<ExprId, ExprId> done;
  const std::function<ExprId(ExprId)> visit = [&](ExprId at) -> ExprId {
    const Expr& x = At(at);
    if (instead != nullptr) {
      if (const auto found = instead->find(at); found != instead->end()) return found->second;
    }
    const bool touched =
        open != nullptr || instead != nullptr || std::any_of(by.begin(), by.end(), [&](const auto& entry) {
          return std::binary_search(x.free.begin(), x.free.end(), entry.first);
        });
    if (!touched || Spent()) return at;
    if (const auto found = done.find(at); found != done.end()) return found->second;
    ExprId result = at;
    switch (x.kind) {
      case Expr::Kind::kSum: {
        Polynomial sum;
        for (const Monomial& m : x.sum) {
          // If a factor becomes a sum, the product is multiplied out.
          Monomial bare;
          bare.real = m.real, bare.integer = m.integer;
          Polynomial product{bare};
          for (const Factor& f : m.factors) {
            const ExprId base = visit(f.base);
            const ExprId power = TypeOf(base) == PrimitiveType::PRED || f.power == kOne ? base : Power(base, f.power);
            product = Product(
                product,
                TypeOf(power) == PrimitiveType::PRED ? Polynomial{{1, 1, {{power, kOne}}}} : PolynomialOf(power),
                x.type);
          }
          sum.insert(sum.end(), product.begin(), product.end());
        }
        result = Sum(std::move(sum), x.type);
        break;
      }
      case Expr::Kind::kLeaf: {
        const int32_t leaf = static_cast<int32_t>(x.tag);
        std::vector<Index> index;
        for (const Index& i : x.index) index.push_back(Substitute(i, by, instead));
        result = MakeLeaf(leaf, std::move(index));
        // (What the name stands for may have been made before or after the name.)
        if (open != nullptr && open->count(leaf) != 0 && IsNamed(result)) result = Opened(result);
        break;
      }
      case Expr::Kind::kIndex: {
        result = IndexValue(Substitute(x.index[0], by, instead), x.type);
        break;
      }
      case Expr::Kind::kGuard: {
        result = Guard(x.tag != 0, Substitute(x.index[0], by, instead));
        break;
      }
      case Expr::Kind::kFunction: {
        std::vector<ExprId> args;
        for (ExprId arg : x.args) args.push_back(visit(arg));
        result = Function(x.op, x.type, std::move(args), x.data);
        break;
      }
      case Expr::Kind::kBind: {
        // Bound variables are renamed to fresh ones to avoid capture.
        std::vector<VarId> fresh;
        Substitution inside = by;
        std::erase_if(inside, [&](const auto& entry) {
          return std::find(x.bound.begin(), x.bound.end(), entry.first) != x.bound.end();
        });
        for (VarId v : x.bound) {
          fresh.push_back(Fresh(VariableAt(v).size));
          inside.push_back({v, Var(fresh.back())});
        }
        std::vector<ExprId> bodies;
        for (ExprId arg : x.args) bodies.push_back(Rebuilt(instead != nullptr ? visit(arg) : arg, inside, open));
        std::vector<Index> index;
        for (const Index& i : x.index) index.push_back(Substitute(i, by, instead));
        if (x.tag == kSumOf) result = SumOver(fresh, bodies[0]);
        else if (x.tag == kExtremeOf) result = ExtremeOver(x.op, fresh, bodies[0], bodies[1]);
        else result = Row(x.op, x.data, fresh, std::move(bodies), std::move(index), x.type);
        break;
      }
    }
    return done[at] = result;
  };
  return visit(e);
}

// ---- Named values ----

ExprId Exprs::Named(ExprId e, bool always) {
  const Expr& x = At(e);
  if (x.kind == Expr::Kind::kLeaf || x.kind == Expr::Kind::kIndex || x.kind == Expr::Kind::kGuard) return e;
  if (x.kind == Expr::Kind::kSum && x.sum.size() <= 1) {
    if (x.sum.empty() || x.sum[0].factors.empty()) return e;
    if (x.sum[0].factors.size() == 1 && x.sum[0].factors[0].power == kOne) {
      const Expr& only = At(x.sum[0].factors[0].base);
      if (only.kind == Expr::Kind::kLeaf || only.kind == Expr::Kind::kIndex) return e;
    }
  }
  if (!always && x.weight < large_ && x.depth < kDeep) return e;
  // No nested naming: values that are made while a name is given or expanded stay unnamed.
  if (naming_) return e;
  naming_ = true;
  const std::vector<VarId> free = x.free;
  Ordered order = Order(free, {e}, true);
  Leaf leaf;
  Substitution to;
  for (size_t k = 0; k < order.variables.size(); ++k) {
    leaf.sizes.push_back(VariableAt(order.variables[k]).size);
    to.push_back({order.variables[k], Var(Dimension(static_cast<int32_t>(k), leaf.sizes.back()))});
  }
  leaf.type = TypeOf(e);
  leaf.value = Substitute(order.bodies[0], to);
  leaf.key = {-1};
  std::vector<Index> index = std::move(order.in_given);
  naming_ = false;
  const int32_t id = LeafOf(std::move(leaf));
  return MakeLeaf(id, std::move(index));
}

ExprId Exprs::Opened(ExprId e) {
  const Expr& x = At(e);
  if (x.kind != Expr::Kind::kLeaf || LeafAt(x.tag).value < 0) return -1;
  const Leaf leaf = LeafAt(x.tag);
  Substitution by;
  for (size_t d = 0; d < leaf.sizes.size(); ++d)
    by.push_back({Dimension(static_cast<int32_t>(d), leaf.sizes[d]), x.index[d]});
  const bool was = std::exchange(naming_, true);
  const ExprId value = Substitute(leaf.value, by);
  naming_ = was;
  return value;
}

std::unordered_set<int64_t> Exprs::NamesIn(ExprId e) {
  std::unordered_set<int64_t> names;
  std::unordered_set<ExprId> seen;
  std::vector<ExprId> work{e};
  while (!work.empty()) {
    const ExprId at = work.back();
    work.pop_back();
    if (!seen.insert(at).second || Spent()) continue;
    const Expr& x = At(at);
    if (IsNamed(at)) names.insert(x.tag);
    PushOperands(x, work);
  }
  return names;
}

ExprId Exprs::OpenedOnly(ExprId e, const std::unordered_set<int64_t>& names) {
  if (names.empty()) return e;
  const bool was = std::exchange(naming_, true);
  const ExprId result = Rebuilt(e, {}, &names);
  naming_ = was;
  return result;
}

// Expands names, first those that only one of the two expressions has, until the expressions are equal.
bool Exprs::EqualInside(ExprId a, ExprId b, int64_t budget) {
  constexpr int kMostRounds = 10;
  constexpr int64_t kMostWeight = 8000;
  const int64_t left = work_left_;
  work_left_ = std::min(left, budget);
  const char* const refused = std::exchange(refusal_, nullptr);  // a refusal here only means that the two are not equal
  const int64_t unspecified = unspecified_;
  const ExprId whole_a = a, whole_b = b;
  bool equal = a == b;
  for (int round = 0; round < kMostRounds && !equal && !OutOfWork(); ++round) {
    if (At(a).weight > kMostWeight || At(b).weight > kMostWeight) break;
    const std::unordered_set<int64_t> in_a = NamesIn(a), in_b = NamesIn(b);
    std::unordered_set<int64_t> only_a, only_b;
    for (int64_t name : in_a) {
      if (in_b.count(name) == 0) only_a.insert(name);
    }
    for (int64_t name : in_b) {
      if (in_a.count(name) == 0) only_b.insert(name);
    }
    if (only_a.empty() && only_b.empty()) only_a = in_a, only_b = in_b;
    if (only_a.empty() && only_b.empty()) break;
    const ExprId p = OpenedOnly(a, only_a), q = OpenedOnly(b, only_b);
    if (p == a && q == b) break;
    a = p, b = q;
    equal = a == b && !OutOfWork();
  }
  if (!equal) equal = EqualCloser(whole_a, whole_b);
  if (!equal && (a != whole_a || b != whole_b)) equal = EqualCloser(a, b);
  work_left_ = left - (std::min(left, budget) - work_left_);
  refusal_ = refused;
  equal = equal && unspecified_ == unspecified;
  unspecified_ = unspecified;
  return equal;
}

ExprId Exprs::Unspecified(PrimitiveType type) {
  ++unspecified_;
  Leaf leaf;
  leaf.key = {-18, -1 - next_unspecified_++};  // UnspecifiedArray() counts from 0 up
  leaf.type = type;
  return MakeLeaf(LeafOf(std::move(leaf)), {});
}

}  // namespace hloir::equivalence::inside
