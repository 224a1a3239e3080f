// Names. In the text they are scoped by computation; in a module each is unique, made so as XLA does it: a name that is
// taken gets the next free number after a dot, computations counting in the order in which they are complete.

#include <algorithm>

#include "module_reader.h"

#include "support/format.h"

namespace hloir {
namespace {

Word MakeWord(std::string_view text) {
  return {text.data(), static_cast<uint32_t>(text.size()), HashBytes(text.data(), text.size())};
}

bool IsNumbered(std::string_view name) { return !SplitNumber(name).number.empty(); }

bool IsTypeWord(std::string_view name) {
  if (name.size() < 2 || name.size() > 13) return false;
  if (!IsDigit(name[1]) && name[0] != 'b' && name[0] != 'p' && name[0] != 't' && name[0] != 'o') return false;
  std::optional<PrimitiveType> type = ParsePrimitiveType(name);
  return type && *type != PrimitiveType::TUPLE && *type != PrimitiveType::BUFFER;
}

bool BeginsAsReserved(std::string_view name) { return name.starts_with("__") && !name.starts_with("__xla_"); }

// Type words, and names that XLA would rewrite, are not names.
bool IsLegalName(std::string_view name) { return !BeginsAsReserved(name) && !IsTypeWord(name); }

}  // namespace

bool ModuleReader::CheckNoTypeWord(const Word& name) {
  const bool marked = name.data > lexer_.begin() && name.data[-1] == '%';
  return marked || !IsTypeWord(name.text()) ||
         Fail(name.data, Format("'{}' is a type; as a name it is %{}", name.text(), name.text()));
}

// A computation's name is rewritten where an instruction's is refused.
std::string_view ModuleReader::LegalComputationName(std::string_view name) {
  if (BeginsAsReserved(name)) return loader_.KeepText(Format("a{}", name.substr(1)));
  return IsTypeWord(name) ? loader_.KeepText(Format("{}_", name)) : name;
}

bool ModuleReader::Define(const Word& name, HloInstruction* instruction, const char* place) {
  if (!IsLegalName(name.text())) return Fail(place, Format("'{}' cannot be an instruction's name", name.text()));
  bool is_new = false;
  NameTable::Entry& entry = names_.FindOrAdd(name, is_new);
  if (!is_new && entry.instruction != nullptr) {
    HloComputation* owner = entry.instruction->parent();
    if (owner == instruction->parent()) {
      return Fail(
          place, Format("instruction '{}' is defined twice; first in line {}", name.text(), entry.instruction->line()));
    }
    // An inline body hides the names of the computations around it, till it ends.
    if (has_inline_computations_) {
      shadowed_.push_back({static_cast<uint32_t>(&entry - names_.entries().data()), entry.instruction});
    }
  }
  entry.instruction = instruction;
  GraphLoader::set_name(instruction, NameGiven(name.text(), is_new));
  if (instruction->name() != name.text()) renamed_from_[instruction] = name.text();
  return true;
}

// The name to have for a `wanted` one, which stands in names_ and was (`is_new`) not there before. x.01 is x.1, x.0 is
// x: what counts is the number.
std::string_view ModuleReader::NameGiven(std::string_view wanted, bool is_new) {
  auto [root, number] = SplitNumber(wanted);
  if (!number.empty() && number[0] == '0') {
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    if (!number.empty()) {
      const std::string_view meant = loader_.KeepText(Format("{}.{}", root, number));
      names_.FindOrAdd(MakeWord(meant), is_new);
      if (is_new) return meant;
    } else if (!IsNumbered(root)) {
      names_.FindOrAdd(MakeWord(root), is_new);
      if (is_new) return wanted.ends_with(".0") ? wanted : loader_.KeepText(Format("{}.0", root));
    }
  }
  return is_new ? wanted : UniqueName(wanted);
}

HloInstruction* ModuleReader::FindInstruction(const Word& name) {
  NameTable::Entry* entry = names_.Find(name);
  if (entry == nullptr || entry->instruction == nullptr || entry->instruction->parent() != computation_) return nullptr;
  return entry->instruction;
}

void ModuleReader::NameAnonymous(HloInstruction* instruction, std::string_view base) {
  bool is_new = false;
  names_.FindOrAdd(MakeWord(base = loader_.KeepText(base)), is_new);
  GraphLoader::set_name(instruction, is_new ? base : UniqueName(base));
}

// `wanted` is taken: the next free number for its root.
std::string_view ModuleReader::UniqueName(std::string_view wanted) {
  const std::string_view root = NameRoot(wanted);
  // The root alone counts as number 0, unless it is itself a numbered name.
  const auto counted = [root](std::string_view name) {
    return name.substr(root.size()) == ".0" && !IsNumbered(root) ? root : name;
  };
  const auto is_taken = [&](std::string_view name) { return names_.Find(MakeWord(counted(name))) != nullptr; };
  const std::string_view name = loader_.KeepText(namer_.Next(root, is_taken, /*first=*/0));
  bool is_new = false;
  names_.FindOrAdd(MakeWord(counted(name)), is_new);
  return name;
}

// Inline bodies are complete before the computation around them, whose first names were taken before theirs: names have
// to be given out again, in the right order.
void ModuleReader::RenameInCompletionOrder() {
  std::vector<std::pair<HloInstruction*, std::string_view>> wanted;
  for (HloComputation* computation : module_->computations()) {
    for (HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      auto it = renamed_from_.find(i);
      wanted.push_back({i, it != renamed_from_.end() ? it->second : i->name()});
    }
  }
  names_ = NameTable();
  namer_ = UniqueNamer();
  for (auto& [instruction, name] : wanted) {
    bool is_new = false;
    names_.FindOrAdd(MakeWord(name), is_new);
    GraphLoader::set_name(instruction, NameGiven(name, is_new));
  }
}

}  // namespace hloir
