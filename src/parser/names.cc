// Names. In the text they are scoped by computation; in a module each is made unique as in XLA: a duplicate gets the
// next free number after a dot, in the order in which computations are completed.

#include <algorithm>

#include "ir/names.h"
#include "module_reader.h"
#include "parts.h"

#include "support/format.h"

namespace hloir {
namespace {

Word MakeWord(std::string_view text) {
  return {text.data(), static_cast<uint32_t>(text.size()), HashBytes(text.data(), text.size())};
}

bool IsNumbered(std::string_view name) { return !SplitNumber(name).number.empty(); }

// x.01, x.0
bool HasZeroes(std::string_view name) {
  const std::string_view number = SplitNumber(name).number;
  return !number.empty() && number[0] == '0';
}

}  // namespace

bool ModuleReader::CheckNoTypeWord(const Word& name) {
  const bool marked = name.data > lexer_.begin() && name.data[-1] == '%';
  return marked || !IsTypeWord(name.text()) ||
         Fail(name.data, Format("'{}' is a type; as a name it is %{}", name.text(), name.text()));
}

// An illegal name of a computation is rewritten; that of an instruction is an error.
std::string_view ModuleReader::LegalComputationName(std::string_view name) {
  if (BeginsAsReserved(name)) return loader_.KeepText(Format("a{}", name.substr(1)));
  return IsTypeWord(name) ? loader_.KeepText(Format("{}_", name)) : name;
}

bool ModuleReader::FailName(std::string_view name, const char* place) {
  return Fail(place, Format("'{}' cannot be an instruction's name{}", name,
                            IsTypeWord(name) ? ", as it is an element type" : ""));
}

bool ModuleReader::DefineUnusual(const Word& name, NameTable::Slot& slot, bool is_new, HloInstruction* instruction,
                                 const char* place) {
  if (is_new && !HasZeroes(name.text())) {
    names_.SetOwn(slot, name, instruction);
    return true;
  }
  if (HloInstruction* known = is_new ? nullptr : names_.InstructionOf(slot)) {
    if (known->parent() == instruction->parent()) {
      return Fail(place, Format("instruction '{}' is defined twice; first in line {}", name.text(), known->line()));
    }
    // An inline body shadows the names of the surrounding computations.
    if (has_inline_computations_) shadowed_.push_back({name, known});
  }
  names_.Set(slot, name, instruction);
  if (part_ != nullptr) {
    part_->needs_names = true;  // they are assigned when the parts are joined
    return true;
  }
  GiveName(name.text(), is_new, instruction);
  if (instruction->name() != name.text()) renamed_from_.push_back({instruction, name.text()});
  return true;
}

// Names an instruction whose name in the text is `wanted`, an entry of names_ (`is_new`: added just now). Numbers are
// compared by value: x.01 is x.1, x.0 is x.
void ModuleReader::GiveName(std::string_view wanted, bool is_new, HloInstruction* instruction) {
  // The name `counts` while it is free.
  const auto take = [&](std::string_view counts, std::string_view name) {
    if (names_.Find(MakeWord(counts)) != nullptr) return false;
    GraphLoader::set_name(instruction, name);
    names_.Take(MakeWord(counts), instruction);
    return true;
  };
  if (HasZeroes(wanted)) {
    auto [root, number] = SplitNumber(wanted);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    if (!number.empty()) {
      const std::string_view meant = loader_.KeepText(Format("{}.{}", root, number));
      if (take(meant, meant)) return;
      is_new = false;
    } else if (!IsNumbered(root)) {
      if (take(root, wanted.ends_with(".0") ? wanted : loader_.KeepText(Format("{}.0", root)))) return;
      is_new = false;
    }
  }
  if (is_new) GraphLoader::set_name(instruction, wanted);
  else MakeUnique(wanted, instruction);
}

HloInstruction* ModuleReader::FindInstruction(const Word& name) {
  HloInstruction* found = names_.Meaning(name);
  return found != nullptr && found->parent() == computation_ ? found : nullptr;
}

void ModuleReader::NameAnonymous(HloInstruction* instruction, std::string_view base) {
  base = loader_.KeepText(base);
  if (names_.Find(MakeWord(base)) != nullptr) return MakeUnique(base, instruction);
  GraphLoader::set_name(instruction, base);
  names_.Take(MakeWord(base), instruction);
}

// `wanted` is taken: the next free number for its root.
void ModuleReader::MakeUnique(std::string_view wanted, HloInstruction* instruction) {
  const std::string_view root = NameRoot(wanted);
  // A bare root counts as number 0, unless it is itself a numbered name.
  const auto counted = [root](std::string_view name) {
    return name.substr(root.size()) == ".0" && !IsNumbered(root) ? root : name;
  };
  const auto is_taken = [&](std::string_view name) { return names_.Find(MakeWord(counted(name))) != nullptr; };
  const std::string_view name = loader_.KeepText(namer_.Next(root, is_taken, /*first=*/0));
  GraphLoader::set_name(instruction, name);
  names_.Take(MakeWord(counted(name)), instruction);
}

// Reassigns all names in stored order. Needed for inline bodies, which are completed before the surrounding computation
// although its first names come earlier, and for parts read in parallel.
void ModuleReader::GiveNamesAnew() {
  std::unordered_map<const HloInstruction*, std::string_view> wanted(renamed_from_.begin(), renamed_from_.end());
  names_ = NameTable(part_count_ == 0 ? &loader_ : nullptr);
  namer_ = UniqueNamer();
  for (HloInstruction* i : module_->AllInstructions()) {
    const auto known = wanted.empty() ? wanted.end() : wanted.find(i);
    const Word name = MakeWord(known != wanted.end() ? known->second : i->name());
    bool is_new = false;
    NameTable::Slot& slot = names_.FindOrAdd(name, is_new);
    GraphLoader::set_name(i, name.text());
    if (is_new && !HasZeroes(name.text())) {
      names_.SetOwn(slot, name, i);
    } else {
      names_.Set(slot, name, nullptr);
      GiveName(name.text(), is_new, i);
    }
  }
}

}  // namespace hloir
