// Parsing of a large text by several threads. A scan for braces and quotes finds the bounds of computations; runs of
// computations, the parts, are read in parallel, each by a separate ModuleReader into a separate module, with
// placeholders for the computations of other parts. Then the parts are joined in the order of the text; the result,
// including ids, names and the order of callers, equals that of a single thread.
//
// This file reports no errors. If a part has an error, or depends on other parts (an inline body, async sugar, a shape
// inferred from a callee), the parts are discarded and the text is read sequentially, so that the first error in the
// text is reported. Covered by tests/unit/parallel_parser_test.cc.

#include "parts.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <stdexcept>

#include "ir/scan.h"
#include "support/cores.h"
#include "support/parallel.h"

namespace hloir {
namespace {

// The position after the brace that closes the one before `at`, skipping strings and comments; nullptr if there is
// none.
const char* BehindBody(const char* at, const char* end) {
  for (int64_t open = 1;; ++at) {
    at = scan::FindNot<scan::NoBrace>(at, end);
    if (at == end) return nullptr;
    switch (*at) {
      case '{': ++open; break;
      case '}':
        if (--open == 0) return at + 1;
        break;
      case '/':
        if (at[1] == '/') {
          at = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
          if (at == nullptr) return nullptr;
        } else if (at[1] == '*') {
          const std::string_view rest(at + 2, static_cast<size_t>(end - at) - 2);
          const size_t close = rest.find("*/");
          if (close == std::string_view::npos) return nullptr;
          at += close + 3;
        }
        break;
      default: {
        const char quote = *at;
        do {
          at = quote == '"' ? scan::FindEither<'"', '\\'>(at + 1, end) : scan::FindEither<'\'', '\\'>(at + 1, end);
          if (at < end && *at == '\\') ++at;  // and the text after it
          else if (at < end && *at == quote) break;
        } while (at < end);
        if (at >= end) return nullptr;
      }
    }
  }
}

}  // namespace

ModuleReader::ModuleReader(const TextCursor& cursor, Part& part)
    : FragmentReader(cursor),
      several_modules_(false),
      part_(&part),
      module_(std::make_unique<HloModule>("")),
      loader_(*module_) {}

bool ModuleReader::GiveUpPart() {
  part_->whole.given_up = true;
  return false;
}

bool ModuleReader::NeedsWholeModule(const Opcode& opcode, const Word& name) {
  return name.empty() || opcode.is_sugar || !opcode.unknown.empty() || opcode.opcode == HloOpcode::kAsyncStart ||
         opcode.opcode == HloOpcode::kAsyncUpdate || opcode.opcode == HloOpcode::kAsyncDone ||
         opcode.opcode == HloOpcode::kScan;
}

// Finds a computation of another part that precedes the current one in the text.
HloComputation* ModuleReader::FindInOtherPart(std::string_view name) {
  const auto found = part_->whole.numbers.find(name);
  if (found == part_->whole.numbers.end() || found->second >= part_->at) return nullptr;
  HloComputation*& stand_in = part_->stand_ins[found->second];
  if (stand_in == nullptr) {
    stand_in = loader_.NewComputation(name, 0);
    part_->called.push_back({found->second, stand_in});
  }
  return stand_in;
}

// Finds the computations from here to the end of the text. Also returns false for a text of several modules.
bool ModuleReader::FindBodies(Whole& whole) {
  do {
    Body body;
    if (!ParseHead(body.head)) return false;
    // Unusual uses of names and of the word ENTRY are left to the sequential reader.
    const std::string_view name = body.head.name.text();
    if (LegalComputationName(name) != name) return false;
    if (!whole.numbers.emplace(name, static_cast<uint32_t>(whole.bodies.size())).second) return false;
    body.line = lines_.LineOf(body.head.place);
    body.begin = lexer_.at();
    body.at_line = lines_.LineOf(body.begin);
    body.end = BehindBody(body.begin, lexer_.end());
    if (body.end == nullptr) return false;
    lexer_.set_at(body.end);
    if (!ParseThread(body.thread)) return false;
    whole.bodies.push_back(body);
    const char* behind = lexer_.at();
    lexer_.SkipBlank();
    const std::string_view between(behind, static_cast<size_t>(lexer_.at() - behind));
    if (several_modules_ && between.find("\n// -----") != std::string_view::npos) return false;
  } while (!lexer_.AtEnd() && !AtWord("HloModule"));
  return lexer_.AtEnd();
}

bool ModuleReader::ReadPart() {
  const std::vector<Body>& bodies = part_->whole.bodies;
  const char* const begin = bodies[part_->first].begin;
  ReserveFor({begin, static_cast<size_t>(bodies[part_->last - 1].end - begin)});
  for (part_->at = part_->first; part_->at < part_->last; ++part_->at) {
    Body& body = part_->whole.bodies[part_->at];
    if (part_->whole.given_up) return false;
    lexer_.set_at(body.begin);
    lines_ = LineCounter(body.begin, body.at_line);
    body.read = loader_.NewComputation(body.head.name.text(), body.line);
    if (!ParseBody(body.read, body.head.place) || lexer_.at() != body.end) return false;
    computations_[body.head.name.text()] = body.read;
  }
  return true;
}

// True if two parts define the same name. Each thread compares the names in a range of hashes.
bool ModuleReader::NamesClash(const Whole& whole) const {
  const uint32_t shares = static_cast<uint32_t>(cores_.threads > 0 ? cores_.threads : AvailableCores());
  std::atomic<bool> clash = false;
  ForEachInParallel(shares, cores_.threads, [&](size_t share) {
    try {
      struct Known {
        uint32_t hash = 0;
        std::string_view name{};
      };
      size_t count = 0;
      for (const auto& part : whole.parts) {
        for (const NameTable::Slot& slot : part->reader->names_.slots())
          count += slot.item != 0 && slot.hash % shares == share;
      }
      std::vector<Known> known(std::bit_ceil(2 * count + 1));
      for (const auto& part : whole.parts) {
        const NameTable& names = part->reader->names_;
        for (const NameTable::Slot& slot : names.slots()) {
          if (slot.item == 0 || slot.hash % shares != share) continue;
          const std::string_view name = names.NameOf(slot);
          size_t at = slot.hash / shares & (known.size() - 1);
          for (; !known[at].name.empty(); at = (at + 1) & (known.size() - 1)) {
            if (known[at].hash == slot.hash && known[at].name == name) clash = true;
          }
          if (clash) return;
          known[at] = {slot.hash, name};
        }
      }
    } catch (const std::bad_alloc&) {
      clash = true;  // then names are assigned sequentially
    }
  });
  return clash;
}

// Joins the parts into the module. Returns false, with the module unchanged, if the parts are inconsistent.
bool ModuleReader::Join(Whole& whole) {
  int64_t count = module_->instruction_id_limit();
  const HloComputation* entry = module_->entry_computation();
  for (const auto& part : whole.parts) count += part->reader->module_->instruction_id_limit();
  if (count > options().max_instructions) return false;
  for (Body& body : whole.bodies) {
    if (body.head.is_entry && std::exchange(entry, body.read) != nullptr) return false;
    if (!CheckResult(body.head, *body.read->root())) return false;
  }
  bool needs_names = false;
  for (const auto& part : whole.parts) needs_names = needs_names || part->needs_names;
  needs_names = needs_names || NamesClash(whole);

  std::vector<int32_t> first_ids;
  for (const auto& part : whole.parts) {
    first_ids.push_back(loader_.TakeInstructionIds(part->reader->module_->instruction_id_limit()));
    for (OpMetadata* metadata : part->framed) metadata->stack_frame_id = stack_frames_.Use(metadata->stack_frame_id);
    for (const auto& [number, stand_in] : part->called) loader_.Redirect(stand_in, whole.bodies[number].read);
  }
  std::mutex shapes;
  ForEachInParallel(whole.parts.size(), cores_.threads, [&](size_t k) {
    const Part& part = *whole.parts[k];
    std::unordered_map<const Shape*, const Shape*> known;
    const Shape *last = nullptr, *its = nullptr;
    const auto shape_of = [&](const Shape* shape) {
      if (shape == last) return its;
      const Shape*& kept = known[shape];
      if (kept == nullptr) {
        const std::lock_guard lock(shapes);
        kept = loader_.KeepShape(*shape);
      }
      last = shape;
      return its = kept;
    };
    for (uint32_t i = part.first; i < part.last; ++i) loader_.Adopt(whole.bodies[i].read, first_ids[k], shape_of);
  });
  for (const Body& body : whole.bodies) {
    loader_.Name(body.read);
    loader_.List(body.read);
    if (body.head.is_entry) module_->set_entry_computation(body.read);
    if (!body.thread.empty()) GraphLoader::set_execution_thread(body.read, body.thread);
  }
  for (const auto& part : whole.parts) loader_.Keep(std::move(part->reader->module_));
  part_count_ = whole.parts.size();
  if (needs_names) GiveNamesAnew();
  return true;
}

// Returns false without a change if the text must be read sequentially.
bool ModuleReader::ParseInParallel() {
  const size_t bytes = static_cast<size_t>(lexer_.end() - lexer_.at());
  if (bytes < cores_.least_bytes) return false;
  const size_t threads = static_cast<size_t>(cores_.threads > 0 ? cores_.threads : AvailableCores());
  // With two or three cores, the scan and the join cost as much as parallel reading gains.
  constexpr size_t kFewestCores = 4;
  if (threads < 2 || (cores_.threads == 0 && threads < kFewestCores)) return false;
  const TextCursor start = *this;
  const auto read = [&] {
    Whole whole;
    if (!FindBodies(whole)) return false;
    // Several parts per thread, to balance the load; a computation is never split.
    const size_t wanted = bytes / (4 * threads) + 1;
    size_t largest = 0, size = 0;
    for (uint32_t i = 0, first = 0; i < whole.bodies.size(); ++i) {
      const size_t body = static_cast<size_t>(whole.bodies[i].end - whole.bodies[i].begin);
      largest = std::max(largest, body);
      size += body;
      if (size < wanted && i + 1 < whole.bodies.size()) continue;
      whole.parts.push_back(std::make_unique<Part>(Part{whole, first, i + 1}));
      first = i + 1, size = 0;
    }
    if (whole.parts.size() < 2 || largest > bytes / 4 * 3) return false;
    ForEachInParallel(whole.parts.size(), cores_.threads, [&](size_t k) {
      try {
        Part& part = *whole.parts[k];
        part.reader = std::unique_ptr<ModuleReader>(new ModuleReader(start, part));
        if (!part.reader->ReadPart()) whole.given_up = true;
      } catch (const std::bad_alloc&) {
        whole.given_up = true;
      } catch (const std::length_error&) {
        whole.given_up = true;
      }
    });
    return !whole.given_up && Join(whole);
  };
  const bool done = read();
  if (!done) static_cast<TextCursor&>(*this) = start;
  return done;
}

}  // namespace hloir
