// HloComputation: adding and removing instructions, names, and the post-order.
#include "hloir/computation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_set>
#include <utility>

#include "hloir/detail/fetch_ahead.h"
#include "hloir/module.h"
#include "ir/graph_loader.h"
#include "ir/module_tables.h"
#include "ir/names.h"

namespace hloir {

bool HloComputation::IsEntry() const { return module_->entry_computation() == this; }

static_assert(sizeof(void*) != 8 || sizeof(HloComputation) == 160, "modules' memory depends on this size");

// Requests for unique names mostly share few roots: fusion.1, fusion.2, … Only names with requested roots are indexed;
// after too many roots, all names are.
struct HloComputation::Tables {
  static constexpr size_t kMostRoots = 4;
  std::vector<HloInstruction*> post_order;  // if knows_post_order_
  std::vector<std::string> roots;
  bool of_all_roots = false;
  NameIndex<HloInstruction> index;
  UniqueNamer namer;

  bool Has(std::string_view name) const {
    return of_all_roots || std::any_of(roots.begin(), roots.end(), [&](const std::string& root) {
             return name.starts_with(root) && NameRoot(name) == root;
           });
  }
};

HloComputation::Tables& HloComputation::tables() {
  if (tables_ == nullptr) tables_ = module_->arena_.New<Tables>();
  return *tables_;
}

void HloComputation::set_root(HloInstruction* root) {
  HLOIR_CHECK(root == nullptr || root->parent_ == this, "a root must be of the computation");
  root_ = root;
}

void HloComputation::set_execution_thread(std::string_view thread) { execution_thread_ = module_->InternText(thread); }

void HloComputation::set_name(std::string_view name) {
  if (name == name_) return;
  const std::string_view old = name_;
  name_ = module_->InternText(module_->UniqueComputationName(name));
  module_->computation_namer_.Release(old);
  module_->IndexName(this);
}

ProgramShape HloComputation::program_shape() const {
  ProgramShape shape;
  for (const HloInstruction* parameter : parameters_) shape.parameters.push_back(parameter->shape());
  if (root_ != nullptr) shape.result = root_->shape();
  return shape;
}

HloInstruction* HloComputation::fusion() {
  for (HloInstruction* caller : callers_) {
    if (caller->opcode() == HloOpcode::kFusion) return caller;
  }
  return nullptr;
}
const HloInstruction* HloComputation::fusion() const {
  for (const HloInstruction* caller : callers_) {
    if (caller->opcode() == HloOpcode::kFusion) return caller;
  }
  return nullptr;
}

std::vector<HloInstruction*> HloComputation::instructions() {
  std::vector<HloInstruction*> list;
  list.reserve(static_cast<size_t>(count_));
  for (HloInstruction* i = first_; i != nullptr; i = i->next_) list.push_back(i);
  return list;
}
std::vector<const HloInstruction*> HloComputation::instructions() const {
  std::vector<const HloInstruction*> list;
  list.reserve(static_cast<size_t>(count_));
  for (const HloInstruction* i = first_; i != nullptr; i = i->next_) list.push_back(i);
  return list;
}

namespace {

// The position of each instruction in its computation's list, counted from 1; 0: unset. Ids are dense in the module, so
// those of a computation from the parser are consecutive and index an array. After many edits they may be scattered
// over the module's ids, and arrays over their range would make a walk over all computations quadratic; then this is a
// hash table with open addressing.
class PlaceTable {
 public:
  PlaceTable(int32_t lowest_id, int32_t highest_id, int64_t count) : lowest_(lowest_id) {
    int64_t range = int64_t{highest_id} - lowest_id + 1;
    if (range <= 8 * count + 64) dense_.resize(static_cast<size_t>(range));
    else sparse_.resize(std::bit_ceil(2 * static_cast<size_t>(count)));
  }
  uint32_t& operator[](const HloInstruction* i) {
    if (!dense_.empty()) return dense_[static_cast<size_t>(i->id() - lowest_)];
    const size_t mask = sparse_.size() - 1;
    size_t at = static_cast<uint32_t>(i->id()) & mask;  // keeps consecutive ids in consecutive slots
    while (sparse_[at].id != i->id() && sparse_[at].id >= 0) at = (at + 1) & mask;
    sparse_[at].id = i->id();
    return sparse_[at].place;
  }

 private:
  struct Slot {
    int32_t id = -1;
    uint32_t place = 0;
  };
  int32_t lowest_;
  std::vector<uint32_t> dense_;
  std::vector<Slot> sparse_;
};

// True if the stored order is the post-order, as in most texts. Only for instructions whose ids are one run, as after
// parsing, and without control edges. A depth-first walk from an instruction visits an interval of the order that ends
// with it; its unvisited operands partition the rest of the interval into theirs. Instructions without users end the
// outermost intervals. So the test partitions each interval, from the last instruction on, and requires that nothing
// remains.
bool IsInPostOrder(const HloComputation& computation, int32_t lowest_id, uint32_t count, int64_t unused) {
  constexpr uint32_t kNotVisited = UINT32_MAX;
  constexpr uint32_t kFew = 32;
  uint32_t few[kFew];
  std::vector<uint32_t> many;
  uint32_t* begins = few;  // of the stretches, by place
  if (count > kFew) many.resize(count), begins = many.data();
  std::fill_n(begins, count, kNotVisited);
  uint32_t place = count;
  for (const HloInstruction* i = computation.last(); i != nullptr; i = i->prev()) {
    --place;
    if (i->id() != lowest_id + static_cast<int32_t>(place) || i->HasControlDependencies()) return false;
    uint32_t begin = begins[place];
    if (i->users().empty()) {
      begin = 0;
      if (--unused > 0) {
        begin = place;
        for (const HloInstruction* p = i->prev(); p != nullptr && !p->users().empty(); p = p->prev()) --begin;
      }
    }
    for (const HloInstruction* operand : i->operands()) {
      const uint32_t at = static_cast<uint32_t>(operand->id() - lowest_id);
      if (at >= place) return false;
      if (at < begin) continue;  // visited
      begins[at] = begin;
      begin = at + 1;
    }
    if (begin != place) return false;
  }
  return true;
}

}  // namespace

// The same walk as below without tables, for small computations: most are reducers and bodies of fusions. Returns an
// empty order if some instructions are unreachable from the root, or if there are control edges.
std::vector<HloInstruction*> HloComputation::MakeShortPostOrder() const {
  HloInstruction* list[kShort];
  size_t count = 0;
  for (HloInstruction* i = first_; i != nullptr; i = i->next_) {
    if (i->HasControlDependencies()) return {};
    list[count++] = i;
  }
  const auto place_of = [&](const HloInstruction* i) {
    size_t place = 0;
    while (place < count && list[place] != i) ++place;
    return place;
  };
  struct Step {
    HloInstruction* instruction;
    size_t next;  // operand
  };
  Step stack[kShort];
  size_t depth = 0;
  uint64_t seen = uint64_t{1} << count;  // and instructions of another computation
  const auto enter = [&](HloInstruction* i) {
    const uint64_t bit = uint64_t{1} << place_of(i);
    if ((seen & bit) != 0) return;
    seen |= bit;
    stack[depth++] = {i, 0};
  };
  std::vector<HloInstruction*> order;
  order.reserve(count);
  enter(root_ != nullptr ? root_ : last_);
  while (depth > 0) {
    Step& top = stack[depth - 1];
    if (top.next < top.instruction->operands_.size()) {
      enter(top.instruction->operands_[top.next++]);
    } else {
      order.push_back(top.instruction);
      --depth;
    }
  }
  if (order.size() < count) order.clear();
  return order;
}

// The walk uses ids copied from the instructions in one pass; reading the instructions of a large module in this order
// would miss the cache at every step.
std::vector<HloInstruction*> HloComputation::MakePostOrder() const {
  if (knows_post_order_) return tables_->post_order;
  const size_t count = static_cast<size_t>(count_);
  if (highest_id_ - lowest_id_ + 1 == count_ &&
      IsInPostOrder(*this, lowest_id_, static_cast<uint32_t>(count_), unused_count_)) {
    std::vector<HloInstruction*> order;
    order.reserve(count);
    for (HloInstruction* i = first_; i != nullptr; i = i->next_) order.push_back(i);
    return order;
  }
  if (count > 0 && count <= kShort) {
    if (std::vector<HloInstruction*> order = MakeShortPostOrder(); !order.empty()) return order;
  }
  std::vector<HloInstruction*> list, order;
  list.reserve(count);
  PlaceTable places(lowest_id_, highest_id_, count_);
  // The dependences of instruction k: from ends[k - 1] to ends[k], visited in reverse: the control predecessors, as in
  // XLA the last one first, then the operands from number 0 on.
  std::vector<uint32_t> needs, ends;
  ends.reserve(count);
  needs.reserve(2 * count);
  bool through_control = false, all_known = true;
  const auto need = [&](const HloInstruction* i) {
    const uint32_t place = places[i];
    all_known = all_known && place > 0;
    needs.push_back(place - 1);
  };
  const auto add_needs = [&](const HloInstruction* i) {
    for (size_t k = i->operands_.size(); k-- > 0;) need(i->operands_[k]);
    for (const HloInstruction* predecessor : i->control_predecessors()) {
      through_control = true;
      need(predecessor);
    }
    ends.push_back(static_cast<uint32_t>(needs.size()));
  };
  for (HloInstruction* i = first_; i != nullptr; i = i->next_) {
    FetchAhead(i);
    list.push_back(i);
    places[i] = static_cast<uint32_t>(list.size());
    if (all_known) add_needs(i);
  }
  // An instruction precedes its operand: the positions of all later ones are required.
  if (!all_known) {
    needs.clear(), ends.clear();
    for (const HloInstruction* i : list) add_needs(i);
  }
  order.reserve(count);
  std::vector<bool> seen(count, false);
  struct Step {
    uint32_t place, left;  // end of the unvisited dependences of `place` in `needs`
  };
  std::vector<Step> stack;
  auto enter = [&](uint32_t place) {
    if (seen[place]) return;
    seen[place] = true;
    stack.push_back({place, ends[place]});
  };
  auto visit = [&](uint32_t start) {
    enter(start);
    while (!stack.empty()) {
      Step& top = stack.back();
      if (top.left == (top.place == 0 ? 0 : ends[top.place - 1])) {
        order.push_back(list[top.place]);
        stack.pop_back();
      } else {
        enter(needs[--top.left]);
      }
    }
  };
  // Usually the root depends on all other instructions and is the only one without users, which saves a walk over the
  // list. Instructions reached by a control edge may have no users either.
  const HloInstruction* root = root_ != nullptr ? root_ : last_;
  if (root != nullptr) visit(places[root] - 1);
  if (order.size() == count && !through_control) return order;
  order.clear();
  seen.assign(count, false);
  for (uint32_t place = 0; place < count; ++place) {
    if (list[place]->users_.empty()) visit(place);
  }
  return order;
}

std::vector<HloInstruction*> HloComputation::PostOrder() {
  if (count_ <= static_cast<int64_t>(kShort)) return MakePostOrder();
  if (!knows_post_order_) tables().post_order = MakePostOrder();
  knows_post_order_ = true;
  return tables_->post_order;
}

std::vector<const HloInstruction*> HloComputation::PostOrder() const {
  const std::vector<HloInstruction*> order = MakePostOrder();
  return {order.begin(), order.end()};
}

void HloComputation::CheckIngredients(HloOpcode opcode, std::span<HloInstruction* const> operands,
                                      const Attributes& attributes) const {
  static const std::array<Attributes, kOpcodeCount> kAttributes = [] {
    std::array<Attributes, kOpcodeCount> all;
    for (int i = 0; i < kOpcodeCount; ++i) {
      all[static_cast<size_t>(i)] = AttributesTypeSwitch(static_cast<HloOpcode>(i), []<class A>(std::type_identity<A>) {
        if constexpr (std::is_same_v<A, NoAttributes>) return Attributes();
        else return Attributes(static_cast<const A*>(nullptr));
      });
    }
    return all;
  }();
  const OpcodeInfo& info = GetOpcodeInfo(opcode);
  const int count = static_cast<int>(operands.size());
  HLOIR_CHECK(info.arity >= 0 ? count == info.arity : count >= -info.arity - 1,
              "an instruction needs as many operands as its opcode takes");
  HLOIR_CHECK(attributes.SameType(kAttributes[static_cast<size_t>(opcode)]),
              "an instruction needs the attributes of its opcode");
  for (const HloInstruction* operand : operands) {
    HLOIR_CHECK(operand != nullptr && operand->parent_ == this, "an operand must be of the instruction's computation");
  }
  if (opcode != HloOpcode::kParameter) return;
  const int64_t number = attributes.GetIf<ParameterAttributes>()->number;
  HLOIR_CHECK(number >= 0 && number < kMostParameters, "a parameter's number is out of range");
}

HloInstruction* HloComputation::NewInstruction(HloOpcode opcode, const Shape* shape,
                                               std::span<HloInstruction* const> operands, Attributes attributes,
                                               std::string_view name, bool is_kept) {
  CheckIngredients(opcode, operands, attributes);
  Arena& arena = module_->arena_;
  HloInstruction* instruction = module_->free_instructions_;
  if (instruction == nullptr) {
    Arena& room = module_->instruction_arena_;
    instruction = new (room.Allocate(sizeof(HloInstruction), alignof(HloInstruction))) HloInstruction;
  } else {
    module_->free_instructions_ = instruction->next_;
    const ArenaVector<HloInstruction*> operand_room = instruction->operands_;
    *instruction = HloInstruction();
    instruction->operands_ = operand_room;
    instruction->operands_.truncate(0);
  }
  instruction->opcode_ = opcode;
  instruction->id_ = module_->next_instruction_id_++;
  instruction->shape_ = shape;
  instruction->parent_ = this;
  instruction->SetAttributes(attributes);
  instruction->SetName(UniqueName(name.empty() ? OpcodeName(opcode) : name, is_kept));
  NoteName(instruction);
  instruction->operands_.reserve(arena, operands.size());
  for (HloInstruction* operand : operands) {
    instruction->operands_.push_back(arena, operand);
    // Being new, it can only be the operand's last user.
    if (operand->users_.empty() || operand->users_.back() != instruction) operand->AppendUser(instruction);
  }
  ++unused_count_;
  instruction->prev_ = last_;
  (last_ != nullptr ? last_->next_ : first_) = instruction;
  last_ = instruction;
  NoteAdded(instruction);
  if (opcode == HloOpcode::kParameter) {
    AddToParameters(instruction, static_cast<size_t>(attributes.GetIf<ParameterAttributes>()->number));
  }
  return instruction;
}

void HloComputation::AddToParameters(HloInstruction* parameter, size_t number) {
  constexpr size_t kMostlyEnough = 4;
  Arena& arena = module_->arena_;
  if (const size_t capacity = parameters_.capacity(); number >= capacity)
    parameters_.reserve(arena, std::max({kMostlyEnough, 2 * capacity, number + 1}));
  while (parameters_.size() <= number) parameters_.push_back(arena, nullptr);
  parameters_[number] = parameter;
}

void HloComputation::IndexNames() {
  // Reserves spare room: a full table is rebuilt by a walk over all names.
  const size_t least = static_cast<size_t>(std::max<int64_t>(8, count_ / 8));
  std::vector<HloInstruction*> found;
  // Prefetches the names, which are stored separately.
  constexpr int kSteps = 8;
  const HloInstruction* ahead = first_;
  for (int step = 0; step < kSteps && ahead != nullptr; ++step) ahead = ahead->next_;
  for (HloInstruction* i = first_; i != nullptr; i = i->next_) {
    FetchAhead(i);
    if (ahead != nullptr) __builtin_prefetch(ahead->name_), ahead = ahead->next_;
    if (tables_->Has(i->name())) found.push_back(i);
  }
  tables_->index.Reset(std::max(found.size(), least));
  for (HloInstruction* i : found) tables_->index.Add(i);
}

void HloComputation::NoteName(HloInstruction* instruction) {
  if (tables_ == nullptr || !tables_->Has(instruction->name())) return;
  if (tables_->index.full()) IndexNames();
  tables_->index.Add(instruction);
}

// XLA's numbering: "add" taken gives "add.1", "add.1" taken gives the next free "add.n".
std::string_view HloComputation::UniqueName(std::string_view wanted, bool is_kept) {
  if (!is_kept && !IsLegalName(wanted)) return UniqueName(LegalName(wanted));
  // Only large computations have an index: most are bodies of fusions and reducers.
  constexpr int64_t kFewInstructions = 16;
  if (count_ > kFewInstructions && (tables_ == nullptr || !tables_->Has(wanted))) {
    tables().roots.emplace_back(NameRoot(wanted));
    tables_->of_all_roots = tables_->roots.size() > Tables::kMostRoots;
    IndexNames();
  }
  const auto is_taken = [&](std::string_view name) { return FindInstruction(name) != nullptr; };
  if (!is_taken(wanted)) return is_kept ? wanted : module_->InternText(wanted);
  return module_->InternText(tables().namer.Next(NameRoot(wanted), is_taken));
}

void GraphLoader::NumberNames(HloComputation& computation) {
  const auto is_generated = [](const HloInstruction* i) {
    return !i->IsParameter() && NameRoot(i->name()) == i->opcode_name();
  };
  const auto by_number = [](std::string_view a, std::string_view b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  };
  // In the order of their making, and so most often of their numbers.
  struct Names {
    std::vector<std::string_view> sorted;
    size_t used = 0;
  };
  std::array<Names, kOpcodeCount> names;
  for (HloInstruction* i : computation.AllInstructions())
    if (is_generated(i)) names[static_cast<size_t>(i->opcode())].sorted.push_back(i->name());
  for (Names& of_opcode : names) {
    if (!std::is_sorted(of_opcode.sorted.begin(), of_opcode.sorted.end(), by_number))
      std::sort(of_opcode.sorted.begin(), of_opcode.sorted.end(), by_number);
  }
  bool changed = false;
  for (HloInstruction* i : computation.PostOrder()) {
    if (!is_generated(i)) continue;
    Names& of_opcode = names[static_cast<size_t>(i->opcode())];
    const std::string_view name = of_opcode.sorted[of_opcode.used++];
    changed |= name != i->name();
    i->SetName(name);
  }
  if (changed && computation.tables_ != nullptr && !computation.tables_->index.empty()) computation.IndexNames();
}

const ParameterAttributes* CommonAttributes(const ParameterAttributes& attributes) {
  static const auto kFirst = [] {
    std::array<ParameterAttributes, 32> all;
    for (size_t number = 0; number < all.size(); ++number) all[number].number = static_cast<int64_t>(number);
    return all;
  }();
  const size_t number = static_cast<size_t>(attributes.number);
  return number < kFirst.size() && attributes.parameter_replication.empty() ? &kFirst[number] : nullptr;
}

const FusionAttributes* CommonAttributes(const FusionAttributes& attributes) {
  static const auto kOfKind = [] {
    std::array<FusionAttributes, EnumWords<FusionKind>().size()> all;
    for (size_t kind = 0; kind < all.size(); ++kind) all[kind].kind = static_cast<FusionKind>(kind);
    return all;
  }();
  const bool is_plain = attributes.output_to_operand_aliasing.empty();
  return is_plain ? &kOfKind[static_cast<size_t>(attributes.kind)] : nullptr;
}

Attributes HloComputation::Copied(const Attributes& attributes) {
  return attributes.Visit([&]<class T>(const T& original) {
    if constexpr (std::is_same_v<T, NoAttributes>) return Attributes();
    else return Attributes(module_->arena_.New<T>(original));
  });
}

HloInstruction* HloComputation::AddInstructionWithAttributes(HloOpcode opcode, const Shape& shape,
                                                             std::span<HloInstruction* const> operands,
                                                             const Attributes& attributes, std::string_view name) {
  return NewInstruction(opcode, module_->InternShape(shape), operands, Copied(attributes), name);
}

HloInstruction* HloComputation::AddParameter(int64_t number, const Shape& shape, std::string_view name) {
  return AddInstruction(HloOpcode::kParameter, shape, {}, ParameterAttributes{number, {}}, name);
}

HloInstruction* HloComputation::AddConstant(Literal literal, std::string_view name) {
  Shape shape = literal.shape();
  return AddInstruction(HloOpcode::kConstant, shape, {}, ConstantAttributes{std::move(literal)}, name);
}

HloInstruction* HloComputation::AddTuple(std::span<HloInstruction* const> elements, std::string_view name) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const HloInstruction* element : elements) shapes.push_back(element->shape());
  return AddInstruction(HloOpcode::kTuple, Shape::Tuple(std::move(shapes)), elements, NoAttributes{}, name);
}

HloInstruction* HloComputation::AddGetTupleElement(HloInstruction* tuple, int64_t index, std::string_view name) {
  HLOIR_CHECK(tuple != nullptr && tuple->shape().IsTuple(), "get-tuple-element needs a tuple");
  return AddInstruction(HloOpcode::kGetTupleElement, tuple->shape().tuple_shapes(index), {tuple},
                        GetTupleElementAttributes{index}, name);
}

void HloComputation::RemoveInstruction(HloInstruction* instruction) {
  HLOIR_CHECK(instruction != nullptr && instruction->parent_ == this && !instruction->removed_,
              "the instruction to be removed is not of this computation");
  HLOIR_CHECK(instruction->users_.empty(), "an instruction that has users cannot be removed");
  HLOIR_CHECK(instruction != root_, "the root cannot be removed");
  instruction->DropAllControlDependencies();
  instruction->RemoveOperandsFrom(0);
  instruction->ClearCalledComputations();
  (instruction->prev_ != nullptr ? instruction->prev_->next_ : first_) = instruction->next_;
  (instruction->next_ != nullptr ? instruction->next_->prev_ : last_) = instruction->prev_;
  --count_;
  instruction->removed_ = true;
  --unused_count_;
  if (instruction->IsParameter()) parameters_[instruction->parameter_number()] = nullptr;
}

void HloComputation::FreeInstruction(HloInstruction* instruction) {
  RemoveInstruction(instruction);
  instruction->next_ = module_->free_instructions_;
  module_->free_instructions_ = instruction;
}

void HloComputation::RemoveInstructionAndUnusedOperands(HloInstruction* instruction) {
  std::vector<HloInstruction*> worklist{instruction};
  while (!worklist.empty()) {
    HloInstruction* dead = worklist.back();
    worklist.pop_back();
    // Each operand once, however many slots it fills.
    std::vector<HloInstruction*> operands(dead->operands_.begin(), dead->operands_.end());
    std::sort(operands.begin(), operands.end(), [](auto* a, auto* b) { return a->id() < b->id(); });
    operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
    RemoveInstruction(dead);
    for (HloInstruction* operand : operands) {
      if (IsDead(*operand)) worklist.push_back(operand);
    }
  }
}

void HloComputation::ReplaceInstruction(HloInstruction* old_instruction, HloInstruction* replacement) {
  old_instruction->ReplaceAllUsesWith(replacement);
  RemoveIfDead(old_instruction);
}

void HloComputation::RemoveParameter(int64_t i) {
  RemoveInstruction(parameter(i));
  parameters_.erase(static_cast<size_t>(i));
  for (int64_t k = i; k < parameter_count(); ++k) {
    parameters_[k]->mutable_attributes<ParameterAttributes>().number = k;
  }
}

void HloComputation::MoveBefore(HloInstruction* instruction, HloInstruction* before) {
  if (instruction == before) return;
  Edited();
  if (!instruction->Called().empty()) module_->CallsEdited();
  (instruction->prev_ != nullptr ? instruction->prev_->next_ : first_) = instruction->next_;
  (instruction->next_ != nullptr ? instruction->next_->prev_ : last_) = instruction->prev_;
  instruction->next_ = before;
  instruction->prev_ = before != nullptr ? before->prev_ : last_;
  (instruction->prev_ != nullptr ? instruction->prev_->next_ : first_) = instruction;
  (before != nullptr ? before->prev_ : last_) = instruction;
}

void HloComputation::Take(HloInstruction* instruction, std::span<HloInstruction* const> operands) {
  HloComputation& from = *instruction->parent_;
  HLOIR_CHECK(&from != this && from.module_ == module_ && !instruction->IsParameter() &&
                  !instruction->HasControlDependencies() && operands.size() == instruction->operands_.size(),
              "an instruction comes from another computation of the module, without control edges");
  CheckIngredients(instruction->opcode_, operands, instruction->attributes());
  (instruction->prev_ != nullptr ? instruction->prev_->next_ : from.first_) = instruction->next_;
  (instruction->next_ != nullptr ? instruction->next_->prev_ : from.last_) = instruction->prev_;
  --from.count_;
  if (instruction->users_.empty()) --from.unused_count_, ++unused_count_;
  from.Edited();
  instruction->parent_ = this;
  instruction->SetName(UniqueName(instruction->name(), /*is_kept=*/true));
  NoteName(instruction);
  instruction->prev_ = last_;
  instruction->next_ = nullptr;
  (last_ != nullptr ? last_->next_ : first_) = instruction;
  last_ = instruction;
  NoteAdded(instruction);
  if (!instruction->Called().empty()) {
    --from.calling_count_, ++calling_count_;
    module_->CallsEdited();
  }
  module_->shapes_->ForgetPlaces(*instruction);
  for (size_t k = 0; k < operands.size(); ++k) {
    HloInstruction* old = instruction->operands_[k];
    if (old == operands[k]) continue;
    instruction->operands_[k] = operands[k];
    old->RemoveUser(instruction);
    operands[k]->AddUser(instruction);
  }
}

HloInstruction* HloComputation::Find(std::string_view name) const {
  if (tables_ != nullptr && tables_->Has(name)) {
    return tables_->index.Find(name, [this](const HloInstruction& i) { return !i.removed_ && i.parent_ == this; });
  }
  if (name.empty()) return nullptr;
  for (HloInstruction* i = first_; i != nullptr; i = i->next_) {
    if (i->name_size_ == name.size() && i->name_[0] == name[0] && i->name() == name) return i;
  }
  return nullptr;
}

bool DependsOn(const HloInstruction& later, const HloInstruction& earlier) {
  std::unordered_set<const HloInstruction*> seen{&later};
  std::vector<const HloInstruction*> todo{&later};
  while (!todo.empty()) {
    const HloInstruction* at = todo.back();
    todo.pop_back();
    if (at == &earlier) return true;
    for (const HloInstruction* operand : at->operands())
      if (seen.insert(operand).second) todo.push_back(operand);
    for (const HloInstruction* predecessor : at->control_predecessors())
      if (seen.insert(predecessor).second) todo.push_back(predecessor);
  }
  return false;
}

}  // namespace hloir
