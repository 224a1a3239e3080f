// Names. In the text they are scoped by computation; in a module each is unique, made so as XLA does it: a name that is
// taken gets the next free number after a dot, computations counting in the order in which they are complete.

#include <algorithm>

#include "hlo_parser.h"

#include "support/format.h"

namespace hloir {
namespace {

Word MakeWord(std::string_view text) {
  return {text.data(), static_cast<uint32_t>(text.size()), HashBytes(text.data(), text.size())};
}

// `root.number`, if the name ends like that.
bool SplitNumber(std::string_view name, std::string_view& root, std::string_view& number) {
  size_t digits = name.size();
  while (digits > 0 && IsDigit(name[digits - 1])) --digits;
  if (digits == name.size() || digits < 2 || name[digits - 1] != '.' || name.size() - digits > 18) return false;
  root = name.substr(0, digits - 1);
  number = name.substr(digits);
  return true;
}

bool IsNumbered(std::string_view name) {
  std::string_view root, number;
  return SplitNumber(name, root, number);
}

// Type words, and names that XLA would rewrite, are no names.
bool IsLegalName(std::string_view name) {
  if (name[0] == '_' && name.starts_with("__") && !name.starts_with("__xla_")) return false;
  if (name.size() > 13) return true;
  if (name.size() > 1 && (IsDigit(name[1]) || name[0] == 'b' || name[0] == 'p' || name[0] == 't' || name[0] == 'o')) {
    std::optional<PrimitiveType> type = ParsePrimitiveType(name);
    return !type || *type == PrimitiveType::TUPLE || *type == PrimitiveType::BUFFER;
  }
  return true;
}

}  // namespace

bool HloParser::Define(const Word& name, HloInstruction* instruction, const char* place) {
  if (!IsLegalName(name.text())) return Fail(place, Format("'{}' cannot be an instruction's name", name.text()));
  bool is_new = false;
  NameTable::Entry& entry = names_.FindOrAdd(name, is_new);
  if (!is_new && entry.instruction != nullptr) {
    HloComputation* owner = entry.instruction->parent_;
    if (owner == instruction->parent_) {
      return Fail(
          place, Format("instruction '{}' is defined twice; first in line {}", name.text(), entry.instruction->line()));
    }
    // An inline body hides the names of the computations around it, till it ends.
    if (has_inline_computations_) {
      shadowed_.push_back({static_cast<uint32_t>(&entry - names_.entries().data()), entry.instruction});
    }
  }
  entry.instruction = instruction;
  instruction->name_ = NameGiven(name.text(), is_new);
  if (instruction->name_ != name.text()) renamed_from_[instruction] = name.text();
  return true;
}

// The name to have for a `wanted` one, which stands in names_ and was (`is_new`) not there before. x.01 is x.1, x.0 is
// x: what counts is the number.
std::string_view HloParser::NameGiven(std::string_view wanted, bool is_new) {
  std::string_view root, number;
  if (SplitNumber(wanted, root, number) && number[0] == '0') {
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    if (!number.empty()) {
      const std::string_view meant = module_->InternText(Format("{}.{}", root, number));
      names_.FindOrAdd(MakeWord(meant), is_new);
      if (is_new) return meant;
    } else if (!IsNumbered(root)) {
      names_.FindOrAdd(MakeWord(root), is_new);
      if (is_new) return wanted.ends_with(".0") ? wanted : module_->InternText(Format("{}.0", root));
    }
  }
  return is_new ? wanted : UniqueName(wanted);
}

HloInstruction* HloParser::FindInstruction(const Word& name) {
  NameTable::Entry* entry = names_.Find(name);
  if (entry == nullptr || entry->instruction == nullptr || entry->instruction->parent_ != computation_) return nullptr;
  return entry->instruction;
}

void HloParser::NameAnonymous(HloInstruction* instruction, std::string_view base) {
  bool is_new = false;
  names_.FindOrAdd(MakeWord(base = module_->InternText(base)), is_new);
  instruction->name_ = is_new ? base : UniqueName(base);
}

// `wanted` is taken: the next free number for its root.
std::string_view HloParser::UniqueName(std::string_view wanted) {
  std::string_view root = wanted, number;
  SplitNumber(wanted, root, number);
  int64_t& next = next_suffix_.try_emplace(root, 0).first->second;
  while (true) {
    const int64_t number_taken = next++;
    std::string candidate = Format("{}.{}", root, number_taken);
    // The root alone counts as number 0, unless it is itself a numbered name.
    const bool is_root = number_taken == 0 && !IsNumbered(root);
    if (names_.Find(MakeWord(is_root ? root : candidate)) != nullptr) continue;
    std::string_view kept = module_->InternText(candidate);
    bool is_new = false;
    names_.FindOrAdd(MakeWord(is_root ? root : kept), is_new);
    return kept;
  }
}

// Inline bodies are complete before the computation around them, whose first names were taken before theirs: names have
// to be given out again, in the right order.
void HloParser::RenameInCompletionOrder() {
  std::vector<std::pair<HloInstruction*, std::string_view>> wanted;
  for (HloComputation* computation : module_->computations_) {
    for (HloInstruction* i = computation->first_; i != nullptr; i = i->next_) {
      auto it = renamed_from_.find(i);
      wanted.push_back({i, it != renamed_from_.end() ? it->second : i->name_});
    }
  }
  names_ = NameTable();
  next_suffix_.clear();
  for (auto& [instruction, name] : wanted) {
    bool is_new = false;
    names_.FindOrAdd(MakeWord(name), is_new);
    instruction->name_ = NameGiven(name, is_new);
  }
}

}  // namespace hloir
