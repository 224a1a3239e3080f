// See match.h. The search first matches instructions whose whole computations from the parameters are equal, by hashes;
// among several equals, those at the same operand positions of matched users, users first. Then, in rounds, it matches
// instructions that are equal given matched operands (congruence: of several equals in the first module one is matched,
// and the others are merged into its match), and pairs with the most neighbours, text and op_name in common, best
// first. This runs for pairs of computations, from the entries to the callees of matched instructions, and at the end
// over all unmatched instructions, to find those moved to another computation. Transparent instructions come last:
// fusions, parameters, elements of tuples.
#include "analysis/match.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "support/hash.h"

namespace hloir {
namespace {

constexpr size_t kMostUsers = 24;  // neighbours of an instruction that are compared with those of its match
constexpr int kMostRounds = 64;

class Matcher {
 public:
  Matcher(const FlatModule& before, const FlatModule& after) : a_(before), b_(after) {
    result_.after_of.assign(a_.nodes().size(), -1);
    result_.before_of.assign(b_.nodes().size(), -1);
    result_.merged_into.assign(a_.nodes().size(), -1);
    size_t computations = 0;
    for (const HloComputation* home : a_.homes()) computations = std::max(computations, Id(*home) + 1);
    result_.after_home.resize(computations);
    paired_b_.resize(static_cast<size_t>(b_.homes().front()->module()->computation_id_limit()));
  }

  NodeMatch Run() {
    std::unordered_map<const HloComputation*, std::vector<int32_t>> in_a = ByHome(a_), in_b = ByHome(b_);
    PairHomes(*a_.homes().front(), *b_.homes().front());
    for (size_t k = 0; k < pairs_.size(); ++k) {
      const auto [a, b] = pairs_[k];
      MatchWithin(in_a[a], in_b[b], a, b);
    }
    next_home_ = pairs_.size();
    Nodes all_a = Left(a_, result_.after_of), all_b = Left(b_, result_.before_of);
    moved_ = true;
    MatchWithin(all_a, all_b, nullptr, nullptr);
    moved_ = false;
    for (; next_home_ < pairs_.size(); ++next_home_) {
      const auto [a, b] = pairs_[next_home_];
      MatchWithin(in_a[a], in_b[b], a, b);
    }
    MatchWrapping();
    return std::move(result_);
  }

 private:
  using Nodes = std::vector<int32_t>;

  static size_t Id(const HloComputation& computation) { return static_cast<size_t>(computation.id()); }
  int32_t& AfterOf(int32_t a) { return result_.after_of[static_cast<size_t>(a)]; }
  int32_t& BeforeOf(int32_t b) { return result_.before_of[static_cast<size_t>(b)]; }
  bool AreFree(int32_t a, int32_t b) { return AfterOf(a) < 0 && BeforeOf(b) < 0; }

  static std::unordered_map<const HloComputation*, Nodes> ByHome(const FlatModule& module) {
    std::unordered_map<const HloComputation*, Nodes> result;
    for (int32_t n : module.order())
      if (!module[n].looked_through) result[module[n].home].push_back(n);
    return result;
  }
  static Nodes Left(const FlatModule& module, const Nodes& match) {
    Nodes left;
    for (int32_t n : module.order())
      if (!module[n].looked_through && match[static_cast<size_t>(n)] < 0) left.push_back(n);
    return left;
  }

  void PairHomes(const HloComputation& a, const HloComputation& b) {
    if (result_.after_home[Id(a)] != nullptr || paired_b_[Id(b)]) return;
    result_.after_home[Id(a)] = &b;
    paired_b_[Id(b)] = true;
    pairs_.push_back({&a, &b});
    if (a.parameter_count() != b.parameter_count()) return;
    for (int64_t k = 0; k < a.parameter_count(); ++k) {
      const int32_t p = a_.NodeOf(*a.parameter(k)), q = b_.NodeOf(*b.parameter(k));
      if (AreFree(p, q)) Match(p, q);
    }
  }

  void Match(int32_t a, int32_t b) {
    AfterOf(a) = b, BeforeOf(b) = a;
    queue_.push_back({a, b});
    const HloInstruction &i = *a_[a].instruction, &j = *b_[b].instruction;
    const size_t calls = std::min(i.called_computations().size(), j.called_computations().size());
    for (size_t k = 0; k < calls; ++k) {
      const HloComputation &p = *i.called_computations()[k], &q = *j.called_computations()[k];
      if (!a_.IsLookedThrough(p) && !b_.IsLookedThrough(q)) PairHomes(p, q);
    }
  }

  // Continues from the latest matches to equal operands at the same position.
  void MatchEqualOperands(uint64_t FlatModule::Node::*hash) {
    while (!queue_.empty()) {
      const auto [a, b] = queue_.back();
      queue_.pop_back();
      const std::vector<int32_t>&x = a_[a].operands, &y = b_[b].operands;
      for (size_t k = 0; k < std::min(x.size(), y.size()); ++k)
        if (AreFree(x[k], y[k]) && a_[x[k]].*hash == b_[y[k]].*hash) Match(x[k], y[k]);
    }
  }

  // Nodes with equal hashes. `in_a` and `in_b` have operands before users.
  void MatchEqual(const Nodes& in_a, const Nodes& in_b, uint64_t FlatModule::Node::*hash) {
    std::unordered_map<uint64_t, std::pair<Nodes, Nodes>> buckets;
    for (int32_t a : in_a)
      if (AfterOf(a) < 0) buckets[a_[a].*hash].first.push_back(a);
    for (int32_t b : in_b) {
      if (BeforeOf(b) >= 0) continue;
      if (const auto found = buckets.find(b_[b].*hash); found != buckets.end()) found->second.second.push_back(b);
    }
    for (auto it = in_a.rbegin(); it != in_a.rend(); ++it) {  // users first
      const auto found = buckets.find(a_[*it].*hash);
      if (found == buckets.end() || found->second.first.size() != 1 || found->second.second.size() != 1) continue;
      if (AreFree(*it, found->second.second[0])) Match(*it, found->second.second[0]);
    }
    MatchEqualOperands(hash);
    // Equal nodes whose users do not distinguish them are matched by name and op_name, then in order.
    for (auto it = in_a.rbegin(); it != in_a.rend(); ++it) {
      if (AfterOf(*it) >= 0) continue;
      const auto found = buckets.find(a_[*it].*hash);
      if (found == buckets.end()) continue;
      Nodes &as = found->second.first, &bs = found->second.second;
      std::erase_if(as, [&](int32_t a) { return AfterOf(a) >= 0; });
      std::erase_if(bs, [&](int32_t b) { return BeforeOf(b) >= 0; });
      for (const bool by_name : {true, false}) {
        std::unordered_map<std::string_view, Nodes> named;
        for (auto b = bs.rbegin(); b != bs.rend(); ++b)
          if (BeforeOf(*b) < 0) named[Key(b_[*b], by_name)].push_back(*b);
        for (int32_t a : as) {
          if (AfterOf(a) >= 0) continue;
          const auto same = named.find(Key(a_[a], by_name));
          if (same == named.end() || same->second.empty()) continue;
          Match(a, same->second.back());
          same->second.pop_back();
        }
      }
      for (size_t k = 0, b = 0; k < as.size(); ++k) {
        if (AfterOf(as[k]) >= 0) continue;
        while (b < bs.size() && BeforeOf(bs[b]) >= 0) ++b;
        if (b == bs.size()) break;
        Match(as[k], bs[b]);
      }
      as.clear(), bs.clear();  // the remaining ones have no counterpart
      MatchEqualOperands(hash);
    }
  }
  static std::string_view OpName(const FlatModule::Node& node) {
    const OpMetadata* metadata = node.instruction->metadata();
    return metadata == nullptr ? std::string_view() : metadata->op_name;
  }
  static std::string_view Key(const FlatModule::Node& node, bool by_name) {
    return by_name ? node.instruction->name() : OpName(node);
  }

  // The node of the second module with the value of `a`; -1: unknown.
  int32_t ImageOf(int32_t a) { return AfterOf(a) >= 0 ? AfterOf(a) : result_.merged_into[static_cast<size_t>(a)]; }
  bool IsSame(int32_t a, int32_t b) {
    if (ImageOf(a) == b) return true;
    // A removed loop ran at least one iteration; an instruction hoisted out of a loop reads its initial values.
    const int32_t start = a_[a].start;
    return start >= 0 && (moved_ || AfterOf(a) < 0) && ImageOf(start) == b;
  }

  // The index of an element is irrelevant if the tuples differ.
  static bool IsOfOtherTuple(const HloInstruction& i, const HloInstruction& j) {
    return i.opcode() == HloOpcode::kGetTupleElement && !i.operand(0)->shape().Compatible(j.operand(0)->shape());
  }

  // Nodes computed in the same way from matched nodes.
  uint64_t KeyOf(const FlatModule::Node& node, std::vector<int32_t>& operands) const {
    if (node.instruction->Is(kCommutative) && operands.size() == 2 && operands[0] > operands[1])
      std::swap(operands[0], operands[1]);
    uint64_t hash = node.own_plain;
    for (int32_t operand : operands) hash = Mix(hash, static_cast<uint64_t>(operand));
    return hash;
  }
  using ByKey = std::unordered_map<uint64_t, Nodes>;
  ByKey Computed(const Nodes& in_b) const {
    ByKey computed;
    std::vector<int32_t> operands;
    for (int32_t b : in_b) {
      operands = b_[b].operands;
      if (!operands.empty()) computed[KeyOf(b_[b], operands)].push_back(b);
    }
    return computed;
  }
  bool MatchCongruent(const Nodes& in_a, const ByKey& computed) {
    std::vector<int32_t> operands;
    bool any = false;
    for (int32_t a : in_a) {
      const HloInstruction& i = *a_[a].instruction;
      if (ImageOf(a) >= 0 || a_[a].operands.empty()) continue;
      auto found = computed.end();
      for (const bool from_start : {false, true}) {
        operands.clear();
        for (int32_t operand : a_[a].operands) {
          int32_t image = ImageOf(operand);
          if (a_[operand].start >= 0 && (image < 0 || (from_start && moved_))) image = ImageOf(a_[operand].start);
          operands.push_back(image);
        }
        if (std::find(operands.begin(), operands.end(), -1) != operands.end()) continue;
        found = computed.find(KeyOf(a_[a], operands));
        if (found != computed.end()) break;
      }
      if (found == computed.end()) continue;
      int32_t best = -1;
      for (int32_t b : found->second) {
        const HloInstruction& j = *b_[b].instruction;
        if (j.opcode() != i.opcode() || BeforeOf(b) >= 0 || IsOfOtherTuple(i, j)) continue;
        if (best < 0 || b_[b].instruction->name() == i.name()) best = b;
      }
      if (best >= 0) Match(a, best);
      else if (IsOfOtherTuple(i, *b_[found->second.front()].instruction)) continue;
      else result_.merged_into[static_cast<size_t>(a)] = found->second.front();
      any = true;
    }
    return any;
  }
  // A leaf with fewer equals in the second module.
  void MergeLeaves(const Nodes& in_a, const Nodes& in_b) {
    std::unordered_map<uint64_t, int32_t> leaves;
    for (int32_t b : in_b)
      if (b_[b].operands.empty() && !b_[b].instruction->IsParameter()) leaves.try_emplace(b_[b].own_plain, b);
    for (int32_t a : in_a) {
      if (ImageOf(a) >= 0 || !a_[a].operands.empty()) continue;
      if (const auto found = leaves.find(a_[a].own_plain); found != leaves.end())
        result_.merged_into[static_cast<size_t>(a)] = found->second;
    }
  }

  // Equal except for one instruction that only one of the modules has.
  bool IsNear(int32_t a, int32_t b) {
    const std::vector<int32_t>&x = a_[a].operands, &y = b_[b].operands;
    return (ImageOf(a) < 0 && std::any_of(x.begin(), x.end(), [&](int32_t n) { return IsSame(n, b); })) ||
           (BeforeOf(b) < 0 && std::any_of(y.begin(), y.end(), [&](int32_t n) { return IsSame(a, n); }));
  }

  // The score of a pair, from the nodes matched so far.
  double Score(int32_t a, int32_t b) {
    const FlatModule::Node &x = a_[a], &y = b_[b];
    const HloInstruction &i = *x.instruction, &j = *y.instruction;
    double score = 0;
    if (x.own_plain == y.own_plain && !IsOfOtherTuple(i, j)) score += 3;
    else if (i.shape().Compatible(j.shape())) score += 1.5;
    else if (i.shape().IsArray() && j.shape().IsArray() && i.shape().ElementCount() == j.shape().ElementCount())
      score += 1;
    else if (i.shape().IsTuple()) score += 1;
    const size_t slots = std::max(x.operands.size(), y.operands.size());
    double together = 0, apart = 0;
    if (i.opcode() == HloOpcode::kTuple && slots > x.operands.size() + y.operands.size() - slots) {
      for (int32_t operand : x.operands) {  // elements came or went
        const int32_t image = ImageOf(operand);
        if (image >= 0 && std::find(y.operands.begin(), y.operands.end(), image) != y.operands.end()) ++together;
      }
    } else {
      for (size_t k = 0; k < std::min(x.operands.size(), y.operands.size()); ++k) {
        const int32_t p = x.operands[k], q = y.operands[k];
        if (IsSame(p, q)) ++together;
        else if (IsNear(p, q)) together += 0.6;
        else if (ImageOf(p) >= 0 || BeforeOf(q) >= 0) ++apart;
        else together += a_[p].instruction->opcode() == b_[q].instruction->opcode() ? 0.3 : 0;
      }
      if (x.operands.size() == 2 && i.Is(kCommutative) && IsSame(x.operands[0], y.operands[1]) &&
          IsSame(x.operands[1], y.operands[0]))
        together = 2, apart = 0;
    }
    if (slots > 0) score += (3 * together - apart) / static_cast<double>(slots);
    size_t users = 0, shared = 0;
    for (int32_t user : x.users) {
      if (++users > kMostUsers) break;
      const int32_t image = AfterOf(user);
      if (image < 0) continue;
      const std::vector<int32_t>& theirs = b_[image].operands;
      if (std::find(theirs.begin(), theirs.end(), b) != theirs.end()) ++shared;
    }
    if (users > 0) score += 2.0 * static_cast<double>(shared) / static_cast<double>(users);
    if (x.start >= 0 && y.start >= 0) score += IsSame(x.start, y.start) ? 2 : ImageOf(x.start) >= 0 ? -2 : 0;
    const std::string_view left = OpName(x), right = OpName(y);
    if (!left.empty() && !right.empty()) score += left == right ? 2 : -1;
    if (i.name() == j.name()) score += 1;
    return score;
  }

  // Neighbours of matched pairs, the best first.
  void MatchNeighbours(const Nodes& in_a, const ByKey& computed, const HloComputation* home, double enough) {
    struct Candidate {
      double score;
      int32_t a, b;
    };
    std::vector<Candidate> candidates;
    const auto propose = [&](int32_t a, int32_t b) {
      const FlatModule::Node &x = a_[a], &y = b_[b];
      if (!AreFree(a, b) || x.looked_through || y.looked_through || (home != nullptr && y.home != home)) return;
      if (x.instruction->opcode() != y.instruction->opcode()) return;
      const double score = Score(a, b);
      if (score >= enough) candidates.push_back({score, a, b});
    };
    for (int round = 0; round < kMostRounds; ++round) {
      const bool congruent = MatchCongruent(in_a, computed);
      candidates.clear();
      for (int32_t a : in_a) {
        if (ImageOf(a) >= 0) continue;
        // Candidates are the neighbours of the matches of its neighbours.
        for (size_t k = 0; k < a_[a].operands.size(); ++k) {
          const int32_t operand = a_[a].operands[k];
          const bool from_start = a_[operand].start >= 0 && (moved_ || ImageOf(operand) < 0);
          const int32_t image = ImageOf(from_start ? a_[operand].start : operand);
          if (image < 0 || b_[image].users.size() > kMostUsers) continue;
          for (int32_t user : b_[image].users) propose(a, user);
        }
        // Also the neighbours of a neighbour, in case an instruction was inserted or removed in between.
        for (int32_t operand : a_[a].operands) {
          if (ImageOf(operand) >= 0) continue;
          for (size_t k = 0; k < std::min<size_t>(a_[operand].operands.size(), 4); ++k) {
            const int32_t image = ImageOf(a_[operand].operands[k]);
            if (image < 0 || b_[image].users.size() > kMostUsers) continue;
            for (int32_t user : b_[image].users) propose(a, user);
          }
        }
        size_t users = 0;
        for (int32_t user : a_[a].users) {
          if (++users > kMostUsers) break;
          const int32_t image = AfterOf(user);
          if (image < 0) continue;
          const std::vector<int32_t>&ours = a_[user].operands, &theirs = b_[image].operands;
          for (size_t k = 0; k < std::min(ours.size(), theirs.size()); ++k)
            if (ours[k] == a) propose(a, theirs[k]);
        }
      }
      std::stable_sort(candidates.begin(), candidates.end(),
                       [](const Candidate& x, const Candidate& y) { return x.score > y.score; });
      bool any = congruent;
      for (const Candidate& c : candidates) {
        if (!AreFree(c.a, c.b)) continue;
        Match(c.a, c.b);
        any = true;
      }
      queue_.clear();
      if (!any) break;
    }
  }

  // Nodes that are unique in their text and surroundings on both sides.
  enum class Context { kOpName, kOperandsAndUsers, kOperands };
  void MatchUnique(const Nodes& in_a, const Nodes& in_b, Context context) {
    std::unordered_map<uint64_t, std::pair<Nodes, Nodes>> buckets;
    const auto key = [context](const FlatModule& module, int32_t n) {
      const FlatModule::Node& node = module[n];
      uint64_t hash = node.own_plain;
      if (context == Context::kOpName) return Mix(hash, std::hash<std::string_view>()(OpName(node)));
      for (int32_t operand : node.operands) {
        hash = Mix(hash, module[operand].own_plain);
        for (int32_t next : module[operand].operands) hash = Mix(hash, module[next].own_plain);
      }
      if (context == Context::kOperandsAndUsers)
        for (int32_t user : node.users) hash += Scramble(module[user].own_plain);  // in no order
      return hash;
    };
    const auto counts = [context](const FlatModule::Node& node) {
      return context == Context::kOpName ? !OpName(node).empty() : !node.operands.empty();
    };
    for (int32_t a : in_a)
      if (ImageOf(a) < 0 && counts(a_[a])) buckets[key(a_, a)].first.push_back(a);
    for (int32_t b : in_b)
      if (BeforeOf(b) < 0 && counts(b_[b])) buckets[key(b_, b)].second.push_back(b);
    for (int32_t a : in_a) {
      if (ImageOf(a) >= 0) continue;
      const auto found = buckets.find(key(a_, a));
      if (found == buckets.end() || found->second.first.size() != 1 || found->second.second.size() != 1) continue;
      if (AreFree(a, found->second.second[0])) Match(a, found->second.second[0]);
    }
    queue_.clear();
  }

  // For two computations, or (null) for all unmatched nodes.
  void MatchWithin(const Nodes& in_a, const Nodes& in_b, const HloComputation* home_a, const HloComputation* home_b) {
    constexpr double kMuch = 5.5, kEnough = 4, kEnoughLater = 2.2;
    // From the roots down; among equal nodes, the one used at the same operand position.
    if (home_a != nullptr) {
      const int32_t a = a_.Resolve(*home_a->root()), b = b_.Resolve(*home_b->root());
      if (AreFree(a, b) && a_[a].value == b_[b].value) Match(a, b);
      MatchEqualOperands(&FlatModule::Node::value);
    }
    MatchEqual(in_a, in_b, &FlatModule::Node::value);
    MatchEqual(in_a, in_b, &FlatModule::Node::value_plain);
    if (home_a != nullptr) {
      const int32_t a = a_.Resolve(*home_a->root()), b = b_.Resolve(*home_b->root());
      if (AreFree(a, b) && a_[a].instruction->opcode() == b_[b].instruction->opcode()) Match(a, b);
    }
    queue_.clear();
    MergeLeaves(in_a, in_b);
    const ByKey computed = Computed(in_b);
    MatchNeighbours(in_a, computed, home_b, kMuch);
    MatchNeighbours(in_a, computed, home_b, kEnough);
    for (const Context context : {Context::kOpName, Context::kOperandsAndUsers, Context::kOperands}) {
      MatchUnique(in_a, in_b, context);
      MatchNeighbours(in_a, computed, home_b, kEnough);
    }
    MatchNeighbours(in_a, computed, home_b, kEnoughLater);
  }

  static const HloInstruction* CallOf(const FlatModule& module, int32_t n) {
    const HloInstruction* caller = module.WrapperOf(*module[n].instruction->parent());
    return caller != nullptr && caller->opcode() == HloOpcode::kCall ? caller : nullptr;
  }

  // Transparent nodes are matched by their contents or values.
  void MatchWrapping() {
    // Remaining calls: by the computations they call. Fusions: the one with the most matched instructions.
    std::unordered_map<const HloInstruction*, std::unordered_map<const HloInstruction*, int64_t>> common;
    for (int32_t a : a_.order()) {
      const int32_t b = AfterOf(a);
      if (b < 0 || a_[a].looked_through) continue;
      const HloInstruction *f = a_[a].fusion, *g = b_[b].fusion;
      if (f == nullptr) f = CallOf(a_, a);
      if (g == nullptr) g = CallOf(b_, b);
      if (f != nullptr && g != nullptr && f->opcode() == g->opcode()) ++common[f][g];
    }
    struct Candidate {
      int64_t count;
      int32_t a, b;
    };
    std::vector<Candidate> candidates;
    for (const auto& [f, others] : common)
      for (const auto& [g, count] : others) candidates.push_back({count, a_.NodeOf(*f), b_.NodeOf(*g)});
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
      return std::tuple(-x.count, x.a, x.b) < std::tuple(-y.count, y.a, y.b);
    });
    for (const Candidate& c : candidates)
      if (AreFree(c.a, c.b)) Match(c.a, c.b);
    // Parameters of matched wrappers, and elements of matched tuples: by their values.
    const auto whole = [](const FlatModule& module, const HloInstruction& i) -> int32_t {
      if (i.opcode() == HloOpcode::kGetTupleElement) return module.NodeOf(*i.operand(0));
      return i.IsParameter() ? module.NodeOf(*module.WrapperOf(*i.parent())) : -1;
    };
    std::map<std::tuple<int32_t, int32_t>, Nodes> theirs;
    for (auto b = b_.order().rbegin(); b != b_.order().rend(); ++b) {
      const HloInstruction& j = *b_[*b].instruction;
      if (b_[*b].looked_through && BeforeOf(*b) < 0) theirs[{b_.Resolve(j), whole(b_, j)}].push_back(*b);
    }
    for (int32_t a : a_.order()) {
      const HloInstruction& i = *a_[a].instruction;
      if (!a_[a].looked_through || AfterOf(a) >= 0) continue;
      const int32_t in = whole(a_, i), source = AfterOf(a_.Resolve(i));
      if (in < 0 || AfterOf(in) < 0 || source < 0) continue;
      const auto found = theirs.find({source, AfterOf(in)});
      if (found == theirs.end() || found->second.empty()) continue;
      if (b_[found->second.back()].instruction->opcode() != i.opcode()) continue;
      Match(a, found->second.back());
      found->second.pop_back();
    }
    // The tuple of the results of a fusion or call.
    for (int32_t a : a_.order()) {
      const HloInstruction& i = *a_[a].instruction;
      if (!a_[a].looked_through || AfterOf(a) >= 0 || i.opcode() != HloOpcode::kTuple) continue;
      const int32_t wrapper = AfterOf(a_.NodeOf(*a_.WrapperOf(*i.parent())));
      if (wrapper < 0 || b_[wrapper].instruction->called_computations().size() != 1) continue;
      const int32_t root = b_.NodeOf(*b_[wrapper].instruction->to_apply()->root());
      if (BeforeOf(root) < 0 && b_[root].instruction->opcode() == HloOpcode::kTuple) Match(a, root);
    }
    queue_.clear();
  }

  const FlatModule &a_, &b_;
  NodeMatch result_;
  std::vector<bool> paired_b_;
  std::vector<std::pair<const HloComputation*, const HloComputation*>> pairs_;
  size_t next_home_ = 0;
  bool moved_ = false;                              // searching for nodes that moved to another computation
  std::vector<std::pair<int32_t, int32_t>> queue_;  // matched nodes whose operands are not processed yet
};

}  // namespace

NodeMatch MatchNodes(const FlatModule& before, const FlatModule& after) { return Matcher(before, after).Run(); }

}  // namespace hloir
