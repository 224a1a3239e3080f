// HloModule: ownership, names of computations, cloning.
#include "hloir/module.h"

#include "ir/module_tables.h"
#include "ir/names.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "hloir/detail/fetch_ahead.h"
#include "support/stable_sort.h"

namespace hloir {

void SortOriginRecoveries(std::vector<OriginRecovery>& table) {
  StableSort(table, [](const auto& a, const auto& b) { return a.original < b.original; });
  const auto same = [](const auto& a, const auto& b) { return a.original == b.original; };
  table.erase(std::unique(table.begin(), table.end(), same), table.end());
}

HloModule::HloModule(std::string name) : name_(LegalName(name)), shapes_(std::make_unique<ShapePool>()) {}
HloModule::~HloModule() = default;

int64_t HloModule::instruction_count() const {
  int64_t count = 0;
  for (const HloComputation* computation : computations_) count += computation->instruction_count();
  return count;
}

const Shape* HloModule::InternShape(const Shape& shape) {
  if (shapes_->KnownAt(&shape) == &shape) return &shape;
  const size_t hash = shape.Hash();
  ShapePool::Slot& slot = shapes_->SlotOf(shape, hash);
  const Shape* kept = slot.shape;
  if (kept == nullptr) {
    slot = {hash, kept = arena_.New<Shape>(shape)};
    if (2 * ++shapes_->count > shapes_->slots.size()) shapes_->Grow();
  }
  return shapes_->KnownAt(kept) = kept;
}

bool HloModule::AnyShape(bool (*test)(const Shape&)) const {
  return std::any_of(shapes_->slots.begin(), shapes_->slots.end(),
                     [&](const ShapePool::Slot& slot) { return slot.shape != nullptr && test(*slot.shape); });
}

size_t HloModule::text_bytes() const {
  size_t bytes = 0;
  for (const auto& text : texts_) bytes += text->size();
  return bytes;
}

const OpMetadata* HloModule::InternMetadata(OpMetadata metadata) {
  for (std::string_view* text : {&metadata.op_type, &metadata.op_name, &metadata.source_file,
                                 &metadata.deduplicated_name, &metadata.scheduling_name, &metadata.metadata_payload}) {
    *text = InternText(*text);
  }
  // Skips the destructors, because most instructions have metadata: an OpMetadata owns memory only for a long
  // profile_type, which is rare.
  if (!metadata.profile_type.is_inline()) return arena_.New<OpMetadata>(std::move(metadata));
  return new (arena_.Allocate(sizeof(OpMetadata), alignof(OpMetadata))) OpMetadata(std::move(metadata));
}

// Unlike an instruction's, a wanted name that is numbered keeps its number: region.3 taken gives region.3.1.
std::string HloModule::UniqueComputationName(std::string_view wanted) {
  const auto is_taken = [this](std::string_view name) { return FindComputation(name) != nullptr; };
  if (wanted.empty()) wanted = "computation";
  if (!IsLegalName(wanted)) return UniqueComputationName(LegalName(wanted));
  return is_taken(wanted) ? computation_namer_.Next(wanted, is_taken) : std::string(wanted);
}

HloComputation* HloModule::AddComputation(std::string_view name) {
  HloComputation* computation = arena_.New<HloComputation>();
  computation->module_ = this;
  computation->id_ = next_computation_id_++;
  computation->name_ = arena_.Copy(UniqueComputationName(name));
  computations_.push_back(computation);
  IndexName(computation);
  CallsEdited();
  return computation;
}

void HloModule::RemoveComputation(HloComputation* computation) {
  HLOIR_CHECK(computation != nullptr && computation->callers_.empty(), "a computation with callers cannot be removed");
  DropCallsAndName(computation);
  // Mostly one of the latest.
  const auto found = std::find(computations_.rbegin(), computations_.rend(), computation);
  if (found != computations_.rend()) computations_.erase(std::prev(found.base()));
}

void HloModule::RemoveComputations(std::span<HloComputation* const> computations) {
  if (computations.empty()) return;
  std::vector<bool> gone(static_cast<size_t>(next_computation_id_), false);
  for (HloComputation* computation : computations) {
    DropCallsAndName(computation);
    gone[static_cast<size_t>(computation->id())] = true;
  }
  std::erase_if(computations_,
                [&](const HloComputation* computation) { return gone[static_cast<size_t>(computation->id())]; });
}

void HloModule::DropCallsAndName(HloComputation* computation) {
  HLOIR_CHECK(computation != nullptr && computation->module_ == this && computation != entry_,
              "only computations of the module, and not its entry, can be removed");
  // The computations it calls have one caller less.
  for (HloInstruction* i = computation->first_; i != nullptr; i = i->next_) i->ClearCalledComputations();
  computation->removed_ = true;
  computation_namer_.Release(computation->name_);
  CallsEdited();
}

HloComputation* HloModule::Find(std::string_view name) const {
  return computation_names_.Find(name, [](const HloComputation& computation) { return !computation.removed_; });
}

void HloModule::IndexName(HloComputation* computation) {
  if (computation_names_.full()) {
    computation_names_.Reset(computations_.size() + 1);
    constexpr size_t kFar = 16, kNear = 8;  // the names are stored separately
    for (size_t k = 0; k < computations_.size(); ++k) {
      if (k + kFar < computations_.size()) {
        __builtin_prefetch(computations_[k + kFar]);
        __builtin_prefetch(computations_[k + kNear]->name().data());
      }
      if (computations_[k] != computation) computation_names_.Add(computations_[k]);
    }
  }
  computation_names_.AddOver(computation, [](const HloComputation& other) { return other.removed_; });
}

std::vector<HloComputation*> HloModule::PostOrder() {
  if (post_order_.empty()) post_order_ = MakePostOrder();
  return post_order_;
}

std::vector<const HloComputation*> HloModule::PostOrder() const {
  const std::vector<HloComputation*> order = MakePostOrder();
  return {order.begin(), order.end()};
}

std::vector<HloComputation*> HloModule::MakePostOrder() const {
  if (!post_order_.empty()) return post_order_;
  std::vector<HloComputation*> order;
  order.reserve(computations_.size());
  std::vector<bool> seen(static_cast<size_t>(next_computation_id_), false);
  struct Frame {
    HloComputation* computation;
    HloInstruction* at;
    size_t callee;
    int64_t left;  // instructions that call something
  };
  std::vector<Frame> stack;
  auto enter = [&](HloComputation* computation) {
    if (seen[computation->id()]) return;
    seen[computation->id()] = true;
    stack.push_back({computation, computation->first(), 0, computation->calling_count()});
  };
  auto walk = [&](HloComputation* start) {
    enter(start);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.left == 0) {
        order.push_back(top.computation);
        stack.pop_back();
        continue;
      }
      if (top.callee == top.at->called_computations().size()) {
        FetchAhead(top.at);
        if (top.callee > 0) --top.left;
        top.at = top.at->next();
        top.callee = 0;
        continue;
      }
      enter(top.at->called_computations()[top.callee++]);
    }
  };
  // Roots of the call graph first, in stored order, the entry after all others; then computations reachable only in
  // cycles.
  for (HloComputation* computation : computations_) {
    if (computation->callers().empty() && computation != entry_) walk(computation);
  }
  if (entry_ != nullptr) walk(entry_);
  for (HloComputation* computation : computations_) walk(computation);
  return order;
}

namespace {

// An origin is a tree that follows the shape.
bool HaveOneOrigin(const Shape& a, const Shape& b) {
  return a.IsTuple() == b.IsTuple() &&
         (!a.IsTuple() || (a.tuple_size() == b.tuple_size() && a.Leaves().size() == b.Leaves().size()));
}

// The computations it calls have no other callers.
bool OwnsBody(const HloInstruction& i) {
  return i.opcode() == HloOpcode::kFusion || i.opcode() == HloOpcode::kAsyncStart;
}

}  // namespace

// Without the computations it calls.
HloInstruction* HloComputation::AddBareClone(const HloInstruction& original, std::span<HloInstruction* const> operands,
                                             const Shape* shape) {
  const bool is_ours = original.module() == module_;
  HloInstruction* copy =
      NewInstruction(original.opcode(), module_->InternShape(shape != nullptr ? *shape : original.shape()), operands,
                     is_ours ? original.attributes() : Copied(original.attributes()), original.name(), is_ours);
  if (is_ours) copy->shares_attributes_ = original.shares_attributes_ = true;
  copy->line_ = original.line_;
  copy->CopyMetadataOf(original);
  copy->CopyExtrasOf(original);
  if (copy->has_extras() && copy->extras().original_value && !HaveOneOrigin(original.shape(), copy->shape())) {
    copy->set_original_value(std::nullopt);
  }
  return copy;
}

HloInstruction* HloComputation::AddClone(const HloInstruction& original, std::span<HloInstruction* const> operands,
                                         const Shape* shape) {
  HloInstruction* copy = AddBareClone(original, operands, shape);
  for (HloComputation* called : original.Called()) {
    if (called->module() == module_)
      copy->AddCalledComputation(OwnsBody(original) ? module_->CloneComputation(*called) : called);
  }
  return copy;
}

// Clones `from`, whose callees' clones are in `clones` (other callees are shared), into `to`. `mapped` is a side table
// of the original module's instructions, by id.
template <class Instructions, class Computations>
void HloModule::CloneInto(const HloComputation& from, HloComputation& to, Instructions& mapped,
                          const Computations& clones) {
  to.line_ = from.line_;
  to.execution_thread_ = to.module_->InternText(from.execution_thread_);
  std::vector<HloInstruction*> operands;
  for (const HloInstruction* i : from.PostOrder()) {
    operands.clear();
    for (const HloInstruction* operand : i->operands()) operands.push_back(mapped[operand->id()]);
    HloInstruction* copy = to.AddBareClone(*i, operands, nullptr);
    for (HloComputation* called : i->Called()) {
      auto it = clones.find(called);
      copy->AddCalledComputation(it != clones.end() && it->second != nullptr ? it->second : called);
    }
    for (const HloInstruction* predecessor : i->control_predecessors()) {
      mapped[predecessor->id()]->AddControlDependencyTo(copy);
    }
    mapped[i->id()] = copy;
  }
  // Made in post order, for the edges; kept in the original's stored order.
  for (const HloInstruction* i = from.first(); i != nullptr; i = i->next()) to.MoveBefore(mapped[i->id()], nullptr);
  to.root_ = mapped[from.root()->id()];
}

HloComputation* HloModule::CloneComputation(const HloComputation& original, bool deep) {
  const bool all = deep || original.module() != this;
  std::unordered_map<const HloComputation*, HloComputation*> clones;
  std::unordered_map<int32_t, HloInstruction*> mapped;
  // Depth first: each clone finds its callees' clones.
  struct Frame {
    const HloComputation* computation;
    const HloInstruction* at;
    size_t callee;
  };
  std::vector<Frame> stack{{&original, original.first(), 0}};
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.at == nullptr) {
      const HloComputation* from = top.computation;
      stack.pop_back();
      HloComputation* to = AddComputation(from->name());
      CloneInto(*from, *to, mapped, clones);
      clones[from] = to;
    } else if ((!all && !OwnsBody(*top.at)) || top.callee == top.at->called_computations().size()) {
      top.at = top.at->next();
      top.callee = 0;
    } else {
      const HloComputation* callee = top.at->called_computations()[top.callee++];
      // Marked before the visit, because in an illegal module a computation may call itself.
      if (clones.emplace(callee, nullptr).second) stack.push_back({callee, callee->first(), 0});
    }
  }
  return clones[&original];
}

std::unique_ptr<HloModule> HloModule::Clone() const {
  auto copy = std::make_unique<HloModule>(name_);
  copy->config_ = config_;
  std::unordered_map<const HloComputation*, HloComputation*> clones;
  std::vector<HloInstruction*> mapped(static_cast<size_t>(next_instruction_id_), nullptr);
  for (const HloComputation* from : PostOrder()) {
    HloComputation* to = copy->AddComputation(from->name());
    CloneInto(*from, *to, mapped, clones);
    clones[from] = to;
  }
  copy->computations_.clear();
  for (const HloComputation* computation : computations_) copy->computations_.push_back(clones[computation]);
  if (entry_ != nullptr) copy->entry_ = clones[entry_];
  return copy;
}

}  // namespace hloir
