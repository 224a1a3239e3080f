// copy-insertion: copies values that would share a buffer and be overwritten before their last use.
//
// BEFORE
// HloModule example
//
// condition {
//   p = (s32[], f32[4]{0}, f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   n = s32[] constant(3)
//   ROOT less = pred[] compare(i, n), direction=LT
// }
//
// body {
//   p = (s32[], f32[4]{0}, f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next = s32[] add(i, one)
//   a = f32[4]{0} get-tuple-element(p), index=1
//   b = f32[4]{0} get-tuple-element(p), index=2
//   ROOT t = (s32[], f32[4]{0}, f32[4]{0}) tuple(next, b, a)
// }
//
// ENTRY main {
//   zero = s32[] constant(0)
//   x = f32[4]{0} parameter(0)
//   y = f32[4]{0} exponential(x)
//   start = (s32[], f32[4]{0}, f32[4]{0}) tuple(zero, x, y)
//   ROOT loop = (s32[], f32[4]{0}, f32[4]{0}) while(start), condition=condition, body=body
// }
// AFTER
// HloModule example
//
// condition {
//   p = (s32[], f32[4]{0}, f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   n = s32[] constant(3)
//   ROOT less = pred[] compare(i, n), direction=LT
// }
//
// body {
//   p = (s32[], f32[4]{0}, f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next = s32[] add(i, one)
//   b = f32[4]{0} get-tuple-element(p), index=2
//   copy.1 = f32[4]{0} copy(b)
//   a = f32[4]{0} get-tuple-element(p), index=1
//   copy.2 = f32[4]{0} copy(a), control-predecessors={copy.1}
//   copy.5 = f32[4]{0} copy(copy.1), control-predecessors={copy.2}
//   ROOT t = (s32[], f32[4]{0}, f32[4]{0}) tuple(next, copy.5, copy.2)
// }
//
// ENTRY main {
//   zero = s32[] constant(0)
//   copy.3 = s32[] copy(zero)
//   x = f32[4]{0} parameter(0)
//   copy.4 = f32[4]{0} copy(x)
//   y = f32[4]{0} exponential(x)
//   start = (s32[], f32[4]{0}, f32[4]{0}) tuple(copy.3, copy.4, y)
//   ROOT loop = (s32[], f32[4]{0}, f32[4]{0}) while(start), condition=condition, body=body
// }
// END
//
// A loop-carried value has one buffer from the initial value to the result, and a conditional's branches write to one
// buffer. So three kinds of values are copied: initial values that the loop changes, if they are parameters, constants,
// used in two elements, or read by an instruction that may run after the loop; results of a body or branch, if they are
// one of these, another carried value, or computed before the last read of the old value; and results of the entry that
// are parameters, constants, or duplicates. Control dependencies count as operands: an ordered reader needs no copy.
// The copy of a body's result overwrites the old value, so all readers of the old value are ordered before it, by a
// control edge if necessary; if two such copies read each other's buffers, the old value is copied first. XLA inserts
// more copies and removes those that its live ranges show to be redundant; this pass decides by dependencies, or the
// schedule. hloir's engine plans its own buffers and treats a copy as its operand, so these copies cost nothing there.
// Leaves alone: donated parameters; parts of arrays that updates write in place.
#include <algorithm>
#include <set>
#include <vector>

#include "hloir/analysis.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kCopyStart = {"copy-loop-start",
                                 "while(A) => while(copy(A)), for state that changes and has other users"};
constexpr RuleInfo kCopyCarried = {"copy-carried", "a round's result A => copy(A), where A is in another's place"};
constexpr RuleInfo kCopyBranch = {
    "copy-branch-result", "a branch's result A => copy(A), where A is its parameter, a constant or there twice"};
constexpr RuleInfo kCopyResult = {"copy-result",
                                  "the result A => copy(A), where A is a parameter, a constant or there twice"};

// The definition of an array: tuples and ops that forward a buffer are looked through.
struct Source {
  HloInstruction* instruction = nullptr;
  ShapeIndex index;
  bool operator==(const Source&) const = default;
};
Source SourceOf(HloInstruction* i, ShapeIndex index) {
  for (;;) {
    switch (i->opcode()) {
      case HloOpcode::kTuple: {
        if (index.empty()) return {i, index};
        i = i->operand(index[0]);
        index = ShapeIndex(index.begin() + 1, index.end());
        break;
      }
      case HloOpcode::kGetTupleElement: {
        ShapeIndex longer{i->tuple_index()};
        for (int64_t d : index) longer.push_back(d);
        index = longer;
        i = i->operand(0);
        break;
      }
      case HloOpcode::kBitcast:
      case HloOpcode::kOptimizationBarrier:
      case HloOpcode::kAddDependency: i = i->operand(0); break;
      default: return {i, index};  // makes the array
    }
  }
}
// The leaves of a shape, and where each is.
void FindLeaves(const Shape& shape, ShapeIndex& index, std::vector<ShapeIndex>& leaves) {
  if (!shape.IsTuple()) {
    if (shape.IsArray()) leaves.push_back(index);
    return;
  }
  for (int64_t k = 0; k < shape.tuple_size(); ++k) {
    index.push_back(k);
    FindLeaves(shape.tuple_shapes(k), index, leaves);
    index.pop_back();
  }
}
std::vector<ShapeIndex> LeavesOf(const Shape& shape) {
  std::vector<ShapeIndex> leaves;
  ShapeIndex index;
  FindLeaves(shape, index, leaves);
  return leaves;
}

// Those who read the array that `i` has at `index`, or hand it out of the computation; not who only hands it on.
// `except` is not looked at.
void FindReaders(HloInstruction* i, const ShapeIndex& index, const HloInstruction* except,
                 std::set<std::pair<int32_t, ShapeIndex>>& seen, std::vector<HloInstruction*>& readers) {
  std::vector<std::pair<HloInstruction*, ShapeIndex>> work{{i, index}};
  while (!work.empty()) {
    auto [at, where] = std::move(work.back());
    work.pop_back();
    if (!seen.emplace(at->id(), where).second) continue;
    for (HloInstruction* user : at->users()) {
      if (user == except) continue;
      switch (user->opcode()) {
        case HloOpcode::kTuple:
          for (int64_t k = 0; k < user->operand_count(); ++k) {
            if (user->operand(k) != at) continue;
            ShapeIndex longer{k};
            for (int64_t d : where) longer.push_back(d);
            work.emplace_back(user, longer);
          }
          break;
        case HloOpcode::kGetTupleElement:
          if (!where.empty() && where[0] == user->tuple_index())
            work.emplace_back(user, ShapeIndex(where.begin() + 1, where.end()));
          break;
        case HloOpcode::kBitcast:
        case HloOpcode::kOptimizationBarrier: work.emplace_back(user, where); break;
        default: readers.push_back(user);  // reads the array
      }
    }
  }
}

// True if the op may write its result over operand k, element by element as it reads it.
bool MayOverwrite(const HloInstruction& i, const HloInstruction* operand) {
  if (i.Is(kElementwise)) return operand->shape().ByteSize() == i.shape().ByteSize();
  const bool in_place = i.opcode() == HloOpcode::kDynamicUpdateSlice || i.opcode() == HloOpcode::kScatter;
  return in_place && i.OperandIndex(operand) == 0;
}

class CopyInsertion : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    changed_ = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      is_scheduled_ = module.config().is_scheduled;
      for (HloInstruction* i : InOrder(*computation)) {
        if (i->opcode() == HloOpcode::kWhile) {
          CopyCarried(*i);
          CopyStart(i);
        } else if (i->opcode() == HloOpcode::kConditional) {
          for (HloComputation* branch : i->called_computations()) CopyResults(*branch, kCopyBranch);
        }
      }
      if (computation->IsEntry()) CopyResults(*computation, kCopyResult);
    }
    return changed_;
  }

 private:
  // True if `reader` always runs before `later`.
  bool ComesBefore(const HloInstruction& reader, const HloInstruction& later) {
    if (&reader == &later) return false;
    if (!is_scheduled_) return DependsOn(later, reader);
    for (const HloInstruction* i = later.prev(); i != nullptr; i = i->prev())
      if (i == &reader) return true;
    return false;
  }
  // The same value with copies in place of these leaves.
  HloInstruction* WithCopies(HloInstruction* value, const std::vector<ShapeIndex>& leaves, size_t depth) {
    HloComputation* computation = value->parent();
    if (value->shape().IsArray()) {
      HloInstruction* copy = computation->AddInstruction(HloOpcode::kCopy, value->shape(), {value}, NoAttributes());
      InheritAnnotations(copy, *value);
      made_.emplace_back(leaves[0], copy);
      return copy;
    }
    std::vector<HloInstruction*> elements;
    for (int64_t k = 0; k < value->shape().tuple_size(); ++k) {
      std::vector<ShapeIndex> inside;
      for (const ShapeIndex& leaf : leaves)
        if (leaf[depth] == k) inside.push_back(leaf);
      HloInstruction* element =
          value->opcode() == HloOpcode::kTuple ? value->operand(k) : computation->AddGetTupleElement(value, k);
      elements.push_back(inside.empty() ? element : WithCopies(element, inside, depth + 1));
    }
    HloInstruction* tuple = computation->AddTuple(elements);
    InheritAnnotations(tuple, *value);
    // Users of the copy still wait for the control predecessors of the old value.
    for (HloInstruction* before : value->control_predecessors()) before->AddControlDependencyTo(tuple);
    return tuple;
  }
  // Puts the copies between the value and `user`, or the computation's result if that is nullptr.
  void Insert(HloInstruction* value, HloInstruction* user, const std::vector<ShapeIndex>& leaves) {
    made_.clear();
    if (leaves.empty()) return;
    HloComputation* computation = value->parent();
    // In the schedule before the one who needs them.
    HloInstruction* last = computation->last();
    HloInstruction* copied = WithCopies(value, leaves, 0);
    if (user != nullptr) {
      for (HloInstruction* made = last->next(); made != nullptr;) {
        HloInstruction* next = made->next();
        computation->MoveBefore(made, user);
        made = next;
      }
      value->ReplaceUseWith(user, copied);
    } else {
      computation->set_root(copied);
    }
    gate_.Done(copied);
    RemoveIfDead(value);
    changed_ = true;
  }
  bool Wants(const RuleInfo& rule, HloInstruction* at, const ShapeIndex& leaf, const char* why) {
    return Ask(rule, *at, gate_.explaining() ? Text(leaf) + ": " + why : std::string());
  }
  static std::string Text(const ShapeIndex& index) {
    std::string text = "{";
    for (size_t i = 0; i < index.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(index[i]);
    return text + "}";
  }

  // True if the iteration returns the value at `leaf` unchanged.
  static bool IsUnchanged(const HloInstruction& loop, const ShapeIndex& leaf) {
    HloComputation* body = const_cast<HloInstruction&>(loop).while_body();
    return SourceOf(body->root(), leaf) == Source{body->parameter(0), leaf};
  }

  void CopyStart(HloInstruction* loop) {
    HloInstruction* start = loop->operand(0);
    std::vector<ShapeIndex> copied;
    std::vector<Source> before;
    for (const ShapeIndex& leaf : LeavesOf(start->shape())) {
      if (IsUnchanged(*loop, leaf)) continue;
      const Source source = SourceOf(start, leaf);
      const char* why = nullptr;
      if (source.instruction->IsParameter()) why = "a parameter";
      else if (source.instruction->IsConstant()) why = "a constant";
      else if (std::find(before.begin(), before.end(), source) != before.end()) why = "carried twice";
      else if (IsReadElsewhere(source, loop)) why = "read elsewhere";
      before.push_back(source);
      if (why != nullptr && Wants(kCopyStart, loop, leaf, why)) copied.push_back(leaf);
    }
    Insert(start, loop, copied);
  }
  bool IsReadElsewhere(const Source& source, const HloInstruction* loop) {
    std::set<std::pair<int32_t, ShapeIndex>> seen;
    std::vector<HloInstruction*> readers;
    FindReaders(source.instruction, source.index, loop, seen, readers);
    for (const auto& [id, index] : seen) {
      const HloInstruction* root = source.instruction->parent()->root();
      if (root->id() == id) return true;
    }
    return std::any_of(readers.begin(), readers.end(),
                       [&](const HloInstruction* reader) { return !ComesBefore(*reader, *loop); });
  }

  void CopyCarried(HloInstruction& loop) {
    HloComputation* body = loop.while_body();
    HloInstruction *root = body->root(), *parameter = body->parameter(0);
    std::vector<ShapeIndex> copied;
    std::vector<Source> before;
    for (const ShapeIndex& leaf : LeavesOf(root->shape())) {
      const Source source = SourceOf(root, leaf);
      const char* why = nullptr;
      if (source.instruction == parameter) {
        if (source.index != leaf) why = "another's place";
      } else if (source.instruction->IsConstant()) {
        why = "a constant";
      } else if (std::find(before.begin(), before.end(), source) != before.end()) {
        why = "there twice";
      } else if (source.instruction->opcode() != HloOpcode::kCopy &&
                 OldIsStillRead(parameter, leaf, *source.instruction)) {
        why = "the old value is still read";
      }
      before.push_back(source);
      if (why != nullptr && Wants(kCopyCarried, root, leaf, why)) copied.push_back(leaf);
    }
    Insert(root, nullptr, copied);
    const std::vector<std::pair<ShapeIndex, HloInstruction*>> made = std::move(made_);
    for (const auto& [leaf, copy] : made) ReadBefore(parameter, leaf, copy);
  }
  // Orders all readers of the carried value before `copy`, which overwrites it.
  void ReadBefore(HloInstruction* parameter, const ShapeIndex& leaf, HloInstruction* copy) {
    std::set<std::pair<int32_t, ShapeIndex>> seen;
    std::vector<HloInstruction*> readers;
    FindReaders(parameter, leaf, nullptr, seen, readers);
    HloInstruction* kept = nullptr;  // the old value, for those who come after
    for (HloInstruction* reader : readers) {
      if (reader == copy || ComesBefore(*reader, *copy)) continue;
      const bool after = is_scheduled_ ? ComesBefore(*copy, *reader) : DependsOn(*reader, *copy);
      if (!after) {
        reader->AddControlDependencyTo(copy);
        continue;
      }
      for (int64_t k = 0; k < reader->operand_count(); ++k) {
        HloInstruction* operand = reader->operand(k);
        if (!operand->shape().IsArray() || !(SourceOf(operand, {}) == Source{parameter, leaf})) continue;
        if (kept == nullptr) {
          kept = copy->parent()->AddInstruction(HloOpcode::kCopy, operand->shape(), {operand}, NoAttributes());
          kept->CopyMetadataOf(*operand);
          copy->parent()->MoveBefore(kept, copy);
          if (SourceOf(copy->operand(0), {}) != Source{parameter, leaf}) kept->AddControlDependencyTo(copy);
        }
        reader->ReplaceOperandWith(k, kept);
      }
    }
  }
  // True if a reader of the carried value may run after `made`.
  bool OldIsStillRead(HloInstruction* parameter, const ShapeIndex& leaf, const HloInstruction& made) {
    std::set<std::pair<int32_t, ShapeIndex>> seen;
    std::vector<HloInstruction*> readers;
    FindReaders(parameter, leaf, nullptr, seen, readers);
    // A copy for another place of the result reads it.
    for (const auto& [id, index] : seen)
      if (id == parameter->parent()->root()->id() && index != leaf) return true;
    for (HloInstruction* reader : readers) {
      if (reader == &made) {
        for (const HloInstruction* operand : made.operands()) {
          const bool is_it = operand->shape().IsArray() &&
                             SourceOf(const_cast<HloInstruction*>(operand), {}) == Source{parameter, leaf};
          if (is_it && !MayOverwrite(made, operand)) return true;
        }
      } else if (!ComesBefore(*reader, made)) {
        return true;
      }
    }
    return false;
  }

  void CopyResults(HloComputation& computation, const RuleInfo& rule) {
    HloInstruction* root = computation.root();
    const auto& aliases = computation.module()->config().input_output_alias;
    std::vector<ShapeIndex> copied;
    std::vector<Source> before;
    for (const ShapeIndex& leaf : LeavesOf(root->shape())) {
      const Source source = SourceOf(root, leaf);
      const bool given_away = computation.IsEntry() && source.instruction->IsParameter() &&
                              std::any_of(aliases.begin(), aliases.end(), [&](const InputOutputAlias& alias) {
                                return alias.output_index == leaf &&
                                       alias.parameter == source.instruction->parameter_number() &&
                                       alias.parameter_index == source.index;
                              });
      const char* why = nullptr;
      if (source.instruction->IsParameter() && !given_away) why = "a parameter";
      else if (source.instruction->IsConstant()) why = "a constant";
      else if (std::find(before.begin(), before.end(), source) != before.end()) why = "there twice";
      before.push_back(source);
      if (why != nullptr && Wants(rule, root, leaf, why)) copied.push_back(leaf);
    }
    Insert(root, nullptr, copied);
  }

  std::vector<std::pair<ShapeIndex, HloInstruction*>> made_;  // the latest copies by Insert, and their operands
  bool changed_ = false, is_scheduled_ = false;
};

}  // namespace

PassDefinition DefineCopyInsertion() {
  return {MakePassOf<CopyInsertion>, {kCopyStart, kCopyCarried, kCopyBranch, kCopyResult}};
}

}  // namespace hloir
