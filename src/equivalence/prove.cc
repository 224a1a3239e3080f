// Compares structure first, then normal forms (prove_terms.h), then asks the solver (prove_solver.h). See prove.h.
#include "hloir/prove.h"

#include <set>
#include <utility>

#include "equivalence/equivalence.h"
#include "equivalence/prove_solver.h"
#include "equivalence/prove_terms.h"
#include "hloir/analysis.h"
#include "hloir/evaluator.h"
#include "support/format.h"

namespace hloir {
namespace {

using equivalence::Term;

// Describes the first pair of subterms, from the top, whose operations differ.
std::string FirstDifference(const Term* a, const Term* b) {
  const auto name = [](const Term* t) -> std::string {
    switch (t->kind) {
      case Term::Kind::kParameter:
        return equivalence::IsLoopVariable(t) ? "loop-carried value" : Format("parameter {}", t->data[0]);
      case Term::Kind::kConstant: return "constant";
      case Term::Kind::kIota: return "iota";
      case Term::Kind::kView: return "view";
      case Term::Kind::kRing: return "sum of products";
      case Term::Kind::kBits: return "bitwise expression";
      case Term::Kind::kOp: break;
    }
    return std::string(OpcodeName(t->opcode));
  };
  for (int steps = 0; steps < 1 << 16; ++steps) {
    if (a->kind != b->kind || a->opcode != b->opcode || a->operands.size() != b->operands.size() ||
        a->data != b->data) {
      const std::string x = name(a), y = name(b);
      return x == y ? Format("two different terms ({})", x) : Format("{} against {}", x, y);
    }
    bool deeper = false;
    for (size_t k = 0; k < a->operands.size() && !deeper; ++k) {
      if (a->operands[k] == b->operands[k]) continue;
      const Term *x = a->operands[k], *y = b->operands[k];
      a = x, b = y;
      deeper = true;
    }
    if (!deeper) return Format("two different terms ({})", name(a));
  }
  return "";
}

// Collects pairs of arrays whose equality implies that `a` equals `b`: the operands that differ under equal operations.
// Returns false if a difference is not in an array, or if there are too many pairs.
bool FindGoals(const Term* a, const Term* b, std::vector<std::pair<const Term*, const Term*>>& goals) {
  constexpr size_t kMostGoals = 32, kMostSteps = 4096;
  std::vector<std::pair<const Term*, const Term*>> todo{{a, b}};
  std::set<std::pair<int32_t, int32_t>> seen;
  for (size_t at = 0; at < todo.size(); ++at) {
    const auto [x, y] = todo[at];
    if (x == y || !seen.insert({x->id, y->id}).second) continue;
    if (!x->shape.Compatible(y->shape) || todo.size() > kMostSteps || goals.size() > kMostGoals) return false;
    const bool same_head = x->kind == Term::Kind::kOp && y->kind == Term::Kind::kOp && x->opcode == y->opcode &&
                           x->data == y->data && x->operands.size() == y->operands.size() && !x->IsElementwise() &&
                           (x->like == nullptr) == (y->like == nullptr) &&
                           (x->like == nullptr || EqualAttributes(*x->like, *y->like));
    // The solver models integers, conditions and selects itself.
    const bool moves =
        x->like == nullptr && (x->opcode == HloOpcode::kConcatenate || x->opcode == HloOpcode::kDynamicSlice ||
                               x->opcode == HloOpcode::kDynamicUpdateSlice);
    const PrimitiveType type = x->shape.element_type();
    const auto rounds = [&](const Term* t) {
      return t->kind == Term::Kind::kOp && t->IsElementwise() && t->opcode != HloOpcode::kSelect &&
             (IsFloat(type) || IsComplex(type));
    };
    if (rounds(x) || rounds(y)) {
      if (!rounds(x) || !rounds(y) || x->opcode != y->opcode || x->data != y->data) return false;
      for (size_t k = 0; k < x->operands.size(); ++k) todo.push_back({x->operands[k], y->operands[k]});
      continue;
    }
    if (same_head && !moves) {
      for (size_t k = 0; k < x->operands.size(); ++k) todo.push_back({x->operands[k], y->operands[k]});
    } else if (x->shape.IsArray()) {
      goals.push_back({x, y});
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

bool HasProofSolver() { return equivalence::HasSolver(); }

// A collective's result depends on the number of devices. A module without collectives computes the same on any number.
bool equivalence::ForOtherDevices(const HloModule& a, const HloModule& b) {
  const DeviceCounts x = DeviceCountsOf(a), y = DeviceCountsOf(b);
  return (x.replicas != y.replicas || x.partitions != y.partitions) && UsesDevices(a) && UsesDevices(b);
}

Proof Prove(const HloModule& a, const HloModule& b, const ProveOptions& options) {
  if (a.entry_computation() == nullptr || b.entry_computation() == nullptr)
    return {false, "a module has no entry computation", {}};
  if (&a != &b && equivalence::ForOtherDevices(a, b))
    return {false, "the modules run on different numbers of devices", {}};
  if (&a == &b || StructurallyEqual(*a.entry_computation(), *b.entry_computation()))
    return {true, "the two have the same structure", {}};
  equivalence::Terms terms(options.max_work + options.work_for_each * (a.instruction_count() + b.instruction_count()));
  const Term* x = terms.Of(a);
  if (x == nullptr) return {false, terms.why(), {}};
  const Term* y = terms.Of(b);
  if (y == nullptr) return {false, terms.why(), {}};
  if (x == y) return {true, "the two have the same normal form", {}};
  Proof proof{false, "their normal forms differ: " + FirstDifference(x, y), {}};
  std::vector<std::pair<const Term*, const Term*>> goals;
  if (options.solver_work <= 0 || !equivalence::HasSolver() || !FindGoals(x, y, goals)) return proof;
  for (const auto& [p, q] : goals) {
    const equivalence::Solved solved = equivalence::Solve(p, q, options.solver_work);
    if (solved.equal) continue;
    if (!solved.counterexample.empty() && options.confirm)
      proof.counterexample = options.confirm(a, b, solved.counterexample);
    if (!proof.counterexample.empty()) proof.how += "; the solver found inputs on which they give different results";
    else if (!solved.why.empty()) proof.how += "; " + solved.why;
    return proof;
  }
  return {true, "the solver finds no values for which they differ", {}};
}

}  // namespace hloir
