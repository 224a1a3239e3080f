// Prints expressions in one line, and finds where two of them begin to differ, for the report of an open step. See
// expr.h.
#include <algorithm>

#include "equivalence/expr.h"
#include "support/format.h"

namespace hloir::equivalence::inside {

std::string Exprs::Text(const Index& index, int depth) const {
  std::string text;
  for (const auto& [term, factor] : index.terms) {
    const IndexTerm& t = TermAt(term);
    if (!text.empty()) text += factor < 0 ? "-" : "+";
    else if (factor < 0) text += "-";
    if (factor != 1 && factor != -1) text += Format("{}*", factor < 0 ? -factor : factor);
    if (t.kind == IndexTerm::Kind::kVar) {
      const Variable& v = VariableAt(t.var);
      text += Format("{}{}",
                     v.level == Variable::kDimension ? "d"
                     : v.level == Variable::kFresh   ? "f"
                     : v.level == Variable::kTurn    ? "t"
                                                     : Format("b{}.", v.level),
                     v.place);
    } else if (t.kind == IndexTerm::Kind::kValue) {
      text += "<" + Text(t.value, depth - 1) + ">";
    } else {
      text += "(" + Text(t.inner, depth - 1) + ")";
      if (t.div != 1) text += Format("/{}", t.div);
      if (t.mod != 0) text += Format("%{}", t.mod);
    }
  }
  if (index.constant != 0 || text.empty())
    text += Format("{}{}", index.constant >= 0 && !text.empty() ? "+" : "", index.constant);
  return text;
}

std::string Exprs::Text(ExprId e, int depth) const {
  if (depth < 0) return "…";
  const Expr& x = At(e);
  std::string text;
  const auto list = [&](const std::vector<Index>& all) {
    std::string out = "[";
    for (const Index& index : all) out += (out.size() > 1 ? "," : "") + Text(index, depth - 1);
    return out + "]";
  };
  switch (x.kind) {
    case Expr::Kind::kSum:
      for (const Monomial& m : x.sum) {
        if (text.size() > 600) return text + " + …";
        if (!text.empty()) text += " + ";
        std::string product = IsInteger(x.type)
                                  ? Format("{}", m.integer)
                                  : Format("{}", m.real.high) + (m.real.low == 0 ? "" : Format("{:+}", m.real.low));
        if (product == "1" && !m.factors.empty()) product.clear();
        for (const Factor& f : m.factors) {
          if (!product.empty()) product += "*";
          const bool pred = TypeOf(f.base) == PrimitiveType::PRED;
          product += (pred                                  ? "["
                      : At(f.base).kind == Expr::Kind::kSum ? "("
                                                            : "") +
                     Text(f.base, depth - 1) +
                     (pred                                  ? "]"
                      : At(f.base).kind == Expr::Kind::kSum ? ")"
                                                            : "");
          if (f.power != kOne)
            product += f.power % kOne == 0 ? Format("^{}", f.power / kOne) : Format("^({}/12)", f.power);
        }
        text += product;
      }
      return text.empty() ? "0" : text;
    case Expr::Kind::kLeaf: {
      const Leaf& leaf = LeafAt(x.tag);
      if (leaf.key[0] == -2) return Format("parameter{}{}", leaf.key[1], list(x.index));
      const char* what = leaf.value >= 0           ? "value"
                         : leaf.literal != nullptr ? "constant"
                         : leaf.key[0] == -16      ? "loop"
                         : leaf.key[0] == -3       ? "carried"
                                                   : "leaf";
      if (leaf.key[0] == -5)
        return Format("{}#{}{}", OpcodeName(static_cast<HloOpcode>(leaf.key[1])), x.tag, list(x.index));
      return Format("{}#{}{}", what, x.tag, list(x.index));
    }
    case Expr::Kind::kIndex: return Text(x.index[0], depth - 1);
    case Expr::Kind::kGuard: return Text(x.index[0], depth - 1) + (x.tag == 1 ? "=0" : ">=0");
    case Expr::Kind::kFunction:
    case Expr::Kind::kBind:
      text = std::string(OpcodeName(x.op));
      for (int64_t d : x.data) text += Format(".{}", d);
      if (x.kind == Expr::Kind::kBind) {
        text += "{";
        for (VarId v : x.bound)
          text += Format("b{}.{}<{} ", VariableAt(v).level, VariableAt(v).place, VariableAt(v).size);
        text += "}";
      }
      text += "(";
      for (size_t k = 0; k < x.args.size(); ++k) text += (k > 0 ? ", " : "") + Text(x.args[k], depth - 1);
      return text + ")" + (x.index.empty() ? "" : list(x.index));
  }
  return text;
}

// The monomials that only one of the two sums has.
std::pair<ExprId, ExprId> Exprs::Apart(ExprId a, ExprId b) {
  if (At(a).kind != Expr::Kind::kSum || At(b).kind != Expr::Kind::kSum || TypeOf(a) != TypeOf(b)) return {a, b};
  const auto only = [](const Polynomial& in, const Polynomial& out) {
    Polynomial left;
    for (const Monomial& m : in) {
      const bool has = std::any_of(out.begin(), out.end(), [&](const Monomial& o) {
        return o.factors == m.factors && o.real == m.real && o.integer == m.integer;
      });
      if (!has) left.push_back(m);
    }
    return left;
  };
  Polynomial of_a = only(At(a).sum, At(b).sum), of_b = only(At(b).sum, At(a).sum);
  const PrimitiveType type = TypeOf(a);
  return {Sum(std::move(of_a), type), Sum(std::move(of_b), type)};
}

std::pair<ExprId, ExprId> Exprs::Difference(ExprId a, ExprId b, std::vector<std::pair<ExprId, ExprId>>* around) {
  for (int turn = 0; turn < 200 && a != b; ++turn) {
    const Expr &x = At(a), &y = At(b);
    if (x.kind != y.kind || x.type != y.type) break;
    ExprId p = -1, q = -1;
    if (x.kind == Expr::Kind::kSum) {
      // If each remainder is a single product, only its differing factors.
      std::vector<const Monomial*> only_x, only_y;
      const auto has = [](const Polynomial& all, const Monomial& m) {
        return std::any_of(all.begin(), all.end(), [&](const Monomial& o) {
          return o.factors == m.factors && o.real == m.real && o.integer == m.integer;
        });
      };
      for (const Monomial& m : x.sum) {
        if (!has(y.sum, m)) only_x.push_back(&m);
      }
      for (const Monomial& m : y.sum) {
        if (!has(x.sum, m)) only_y.push_back(&m);
      }
      if (only_x.size() != 1 || only_y.size() != 1 || only_x[0]->real != only_y[0]->real) {
        // If one side has a name that the other does not, that name.
        std::unordered_set<int64_t> of_a = NamesIn(a), of_b = NamesIn(b);
        const std::unordered_set<int64_t> both = of_b;
        std::erase_if(of_b, [&](int64_t name) { return of_a.count(name) != 0; });
        std::erase_if(of_a, [&](int64_t name) { return both.count(name) != 0; });
        if (of_a.size() != of_b.size() || of_a.empty()) break;
        a = LeafAt(*std::min_element(of_a.begin(), of_a.end())).value;
        b = LeafAt(*std::min_element(of_b.begin(), of_b.end())).value;
        continue;
      }
      std::vector<Factor> fx, fy;
      for (const Factor& f : only_x[0]->factors) {
        if (std::find(only_y[0]->factors.begin(), only_y[0]->factors.end(), f) == only_y[0]->factors.end())
          fx.push_back(f);
      }
      for (const Factor& f : only_y[0]->factors) {
        if (std::find(only_x[0]->factors.begin(), only_x[0]->factors.end(), f) == only_x[0]->factors.end())
          fy.push_back(f);
      }
      if (fx.empty() || fy.empty() || fx[0].power != fy[0].power) break;
      p = fx[0].base, q = fy[0].base;
    } else if (x.kind == Expr::Kind::kLeaf) {
      const Leaf &l = LeafAt(x.tag), &r = LeafAt(y.tag);
      for (size_t k = 0; k < x.index.size() && x.tag == y.tag && p < 0; ++k) {
        // For reads of one leaf, the first integer values in their indices.
        const auto data = [&](const Index& index) {
          for (const auto& [term, factor] : index.terms) {
            if (TermAt(term).kind == IndexTerm::Kind::kValue) return TermAt(term).value;
          }
          return ExprId{-1};
        };
        if (!(x.index[k] == y.index[k]) && data(x.index[k]) >= 0 && data(y.index[k]) >= 0 &&
            data(x.index[k]) != data(y.index[k]))
          p = data(x.index[k]), q = data(y.index[k]);
      }
      if (x.tag != y.tag && l.value >= 0 && r.value >= 0) p = l.value, q = r.value;
      if (l.key[0] == kLoopLeaf && r.key[0] == kLoopLeaf) {
        // For two loops, the first class that only one of them has.
        for (size_t k = 4; k < std::min(l.key.size(), r.key.size()) && p < 0; ++k) {
          if (l.key[k] == r.key[k]) continue;
          const std::vector<int64_t>&c = LeafAt(l.key[k]).key, &d = LeafAt(r.key[k]).key;
          if (c.size() == 5 && d.size() == 5) p = static_cast<ExprId>(c[2]), q = static_cast<ExprId>(d[2]);
        }
      }
    } else if (x.op == y.op && x.data == y.data && x.bound == y.bound && x.index == y.index &&
               x.args.size() == y.args.size()) {
      for (size_t k = 0; k < x.args.size() && p < 0; ++k) {
        if (x.args[k] != y.args[k]) p = x.args[k], q = y.args[k];
      }
    }
    if (p < 0) break;
    if (around != nullptr) around->push_back({a, b});
    a = p, b = q;
  }
  return {a, b};
}

}  // namespace hloir::equivalence::inside
