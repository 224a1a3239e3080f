// A module: header, stack-frame tables, computations; or one of its short forms, bare computations or a single
// instruction.

#include <algorithm>
#include <tuple>

#include "module_reader.h"

#include "support/format.h"
#include "support/stable_sort.h"

namespace hloir {

ModuleReader::ModuleReader(const TextCursor& cursor, const std::shared_ptr<const std::string>& text,
                           bool several_modules, const ParserCores& cores)
    : FragmentReader(cursor),
      several_modules_(several_modules),
      cores_(cores),
      module_(std::make_unique<HloModule>("_")),
      loader_(*module_) {
  loader_.AdoptText(text);
}

std::unique_ptr<HloModule> ModuleReader::ReadModule() {
  if (!ParseModule() || !FinishModule()) return nullptr;
  return std::move(module_);
}

bool ModuleReader::ParseModule() {
  if (lexer_.AcceptWord("HloModule")) {
    if (!ParseHeader() || !ParseStackTables()) return false;
    return ParseInParallel() || ParseComputations();
  }
  if (!LooksLikeComputation()) return ParseSingleInstruction();
  if (!ParseComputations()) return false;
  module_->set_name(Format("module_{}", EntryOrLast()->name()));
  return true;
}

// Without a header: a computation begins with ENTRY, or is `name {`, or `name (parameters) -> shape {`.
bool ModuleReader::LooksLikeComputation() {
  lexer_.SkipBlank();
  const char* start = lexer_.at();
  bool found = lexer_.AcceptWord("ENTRY");
  if (!found && !lexer_.AcceptWord("ROOT")) {
    if (lexer_.Peek() == '%') lexer_.set_at(lexer_.at() + 1);
    if (!lexer_.ReadWord().empty()) {
      if (lexer_.Peek() == '{') {
        found = true;
      } else if (lexer_.Peek() == '(') {
        const char* end = ShapeEnd(lexer_.at());
        lexer_.set_at(end);
        found = lexer_.Accept("->");
      }
    }
  }
  lexer_.set_at(start);
  return found;
}

bool ModuleReader::ParseHeader() {
  Word name;
  if (!ReadName(name, "the module's name") || !CheckNoTypeWord(name)) return false;
  module_->set_name(std::string(name.text()));
  std::vector<std::string_view> seen;
  while (lexer_.Accept(',')) {
    lexer_.SkipBlank();
    const char* place = lexer_.at();
    const Word attribute = lexer_.ReadWord();
    if (attribute.empty()) return FailExpected("a module attribute's name");
    if (std::find(seen.begin(), seen.end(), attribute.text()) != seen.end()) {
      return Fail(place, Format("attribute {} appears twice", attribute.text()));
    }
    seen.push_back(attribute.text());
    if (!ExpectEquals() || !ParseHeaderAttribute(attribute, place)) return false;
  }
  return true;
}

bool ModuleReader::ParseHeaderAttribute(const Word& name, const char* place) {
  ModuleConfig& config = module_->config();
  const std::string_view text = name.text();
  if (text == "is_scheduled") return Read(config.is_scheduled);
  if (text == "entry_computation_layout") {
    return Expect('{') && ParseProgramShape(config.entry_computation_layout.emplace()) && Expect('}');
  }
  if (text == "input_output_alias") return ParseAliasing();
  if (text == "buffer_donor") return ParseBufferDonors();
  if (text == "alias_passthrough_params") return Read(config.alias_passthrough_params);
  if (text == "allow_spmd_sharding_propagation_to_parameters") {
    return Read(config.allow_spmd_sharding_propagation_to_parameters);
  }
  if (text == "allow_spmd_sharding_propagation_to_output")
    return Read(config.allow_spmd_sharding_propagation_to_output);
  if (text == "replica_count") return Read(config.replica_count);
  if (text == "num_partitions") {
    if (!Read(config.num_partitions)) return false;
    config.use_spmd_partitioning = config.num_partitions > 1;
    return true;
  }
  if (text == "frontend_attributes") return ParseFrontendAttributes(config.frontend_attributes);
  if (text == "origin_recovery_table") return ParseOriginRecoveryTable(config.origin_recovery_table);
  if (text == "debug_attributes") {
    std::string_view raw;
    if (lexer_.Peek() != '{') return FailExpected("'{'");
    if (!lexer_.ReadBraces(raw)) return Fail(lexer_.at(), "the braces are not balanced");
    config.debug_attributes = raw;
    return true;
  }
  if (!options().allow_unknown) {
    return Fail(place, Format("modules have no attribute '{}'; they may have alias_passthrough_params, "
                              "allow_spmd_sharding_propagation_to_output, "
                              "allow_spmd_sharding_propagation_to_parameters, buffer_donor, debug_attributes, "
                              "entry_computation_layout, frontend_attributes, input_output_alias, is_scheduled, "
                              "num_partitions, origin_recovery_table, replica_count",
                              text));
  }
  std::string_view raw;
  if (!SkipAttributeValue(raw)) return false;
  config.unknown_attributes.emplace_back(text, raw);
  return true;
}

// (shape, …)->shape
bool ModuleReader::ParseProgramShape(ProgramShape& shape) {
  if (!Expect('(')) return false;
  if (!lexer_.Accept(')')) {
    do {
      if (lexer_.Peek() == ')') break;
      const Shape* parameter = nullptr;
      if (!ParseInternedShape(parameter)) return false;
      shape.parameters.push_back(*parameter);
    } while (lexer_.Accept(','));
    if (!Expect(')')) return false;
  }
  if (!lexer_.Accept("->")) return FailExpected("'->'");
  return Read(shape.result);
}

// { {0}: (0, {}, may-alias), {1}: (2, {1}) }
bool ModuleReader::ParseAliasing() {
  if (!Expect('{')) return false;
  if (lexer_.Accept('}')) return true;
  do {
    if (lexer_.Peek() == '}') break;
    const char* place = lexer_.at();
    InputOutputAlias& alias = module_->config().input_output_alias.emplace_back();
    if (!Read(alias.output_index) || !Expect(':') || !Expect('(') || !Read(alias.parameter) || !Expect(',') ||
        !Read(alias.parameter_index)) {
      return false;
    }
    if (alias.parameter < 0) return Fail(place, "a parameter's number cannot be negative");
    if (lexer_.Accept(',')) {
      if (lexer_.AcceptWord("must-alias")) alias.must_alias = true;
      else if (!lexer_.AcceptWord("may-alias")) return FailExpected("may-alias or must-alias");
    }
    if (!Expect(')')) return false;
  } while (lexer_.Accept(','));
  // By output; the first of duplicates.
  auto& aliases = module_->config().input_output_alias;
  StableSort(aliases, [](auto& a, auto& b) { return a.output_index < b.output_index; });
  aliases.erase(
      std::unique(aliases.begin(), aliases.end(), [](auto& a, auto& b) { return a.output_index == b.output_index; }),
      aliases.end());
  return Expect('}');
}

// { (0, {}), (1, {0}) }
bool ModuleReader::ParseBufferDonors() {
  if (!Expect('{')) return false;
  if (lexer_.Accept('}')) return true;
  do {
    if (lexer_.Peek() == '}') break;
    const char* place = lexer_.at();
    BufferDonor& donor = module_->config().buffer_donor.emplace_back();
    if (!Expect('(') || !Read(donor.parameter) || !Expect(',') || !Read(donor.parameter_index) || !Expect(')'))
      return false;
    if (donor.parameter < 0) return Fail(place, "a parameter's number cannot be negative");
  } while (lexer_.Accept(','));
  // A set.
  auto& donors = module_->config().buffer_donor;
  const auto key = [](const BufferDonor& donor) { return std::tie(donor.parameter, donor.parameter_index); };
  StableSort(donors, [&](auto& a, auto& b) { return key(a) < key(b); });
  donors.erase(std::unique(donors.begin(), donors.end(), [&](auto& a, auto& b) { return key(a) == key(b); }),
               donors.end());
  return Expect('}');
}

// FileNames, FunctionNames, FileLocations, StackFrames, in this order, or none of them: entries numbered from 1.
bool ModuleReader::ParseStackTables() {
  StackFrameIndex tables;
  auto at_entry = [&](size_t known) {
    if (!IsDigit(lexer_.Peek())) return false;
    const char* place = lexer_.at();
    int64_t id = 0;
    if (!lexer_.ReadInt(id)) return FailExpected("an entry's number");
    if (id != static_cast<int64_t>(known) + 1) return Fail(place, Format("entry {} where {} is next", id, known + 1));
    return true;
  };
  using Field = std::pair<std::string_view, int64_t*>;
  auto read_fields = [&](std::initializer_list<Field> fields) {
    if (!Expect('{')) return false;
    auto next = fields.begin();  // XLA writes them in this order
    while (!lexer_.Accept('}')) {
      const char* place = lexer_.at();
      auto field = next;
      if (field == fields.end() || !lexer_.AcceptWord(field->first)) {
        const std::string_view name = lexer_.ReadWord().text();
        field = std::find_if(fields.begin(), fields.end(), [&](const Field& known) { return known.first == name; });
      }
      if (field == fields.end()) {
        lexer_.set_at(place);
        return FailExpected("a field of the stack-frame table, or '}'");
      }
      if (!ExpectEquals() || !Read(*field->second)) return false;
      if (*field->second < 0) return Fail(place, Format("{} cannot be negative", field->first));
      next = field + 1;
      lexer_.Accept(',');
    }
    return true;
  };
  auto read_names = [&](std::vector<std::string>& names) {
    while (at_entry(names.size())) {
      if (!Read(names.emplace_back())) return false;
    }
    return !failed();
  };
  auto expect_table = [&](std::string_view name) { return lexer_.AcceptWord(name) || FailExpected(name); };
  if (!lexer_.AcceptWord("FileNames")) return true;
  if (!read_names(tables.file_names) || !expect_table("FunctionNames") || !read_names(tables.function_names) ||
      !expect_table("FileLocations")) {
    return false;
  }
  // The fast path for fields in XLA's order, as in nearly all entries.
  const auto read_usual = [&](const auto& name, int64_t& value) {
    return lexer_.Accept(name) && lexer_.ReadInt(value) && value >= 0;
  };
  while (at_entry(tables.file_locations.size())) {
    auto& location = tables.file_locations.emplace_back();
    const char* const start = lexer_.at();
    if (lexer_.Accept('{') && read_usual("file_name_id=", location.file_name_id) &&
        read_usual("function_name_id=", location.function_name_id) && read_usual("line=", location.line) &&
        read_usual("end_line=", location.end_line) && read_usual("column=", location.column) &&
        read_usual("end_column=", location.end_column) && lexer_.Accept('}')) {
      continue;
    }
    lexer_.set_at(start);
    if (!read_fields({{"file_name_id", &location.file_name_id},
                      {"function_name_id", &location.function_name_id},
                      {"line", &location.line},
                      {"end_line", &location.end_line},
                      {"column", &location.column},
                      {"end_column", &location.end_column}})) {
      return false;
    }
  }
  if (failed() || !expect_table("StackFrames")) return false;
  while (at_entry(tables.stack_frames.size())) {
    auto& frame = tables.stack_frames.emplace_back();
    const char* const start = lexer_.at();
    if (lexer_.Accept('{') && read_usual("file_location_id=", frame.file_location_id) &&
        read_usual("parent_frame_id=", frame.parent_frame_id) && lexer_.Accept('}')) {
      continue;
    }
    lexer_.set_at(start);
    if (!read_fields({{"file_location_id", &frame.file_location_id}, {"parent_frame_id", &frame.parent_frame_id}})) {
      return false;
    }
  }
  stack_frames_ = StackFrameCompactor(std::move(tables));
  return !failed();
}

// An estimate: an instruction takes some 150 bytes, and all other data up to half of the text; lines are as long as
// those at the beginning; text after the module is excluded.
void ModuleReader::ReserveFor(std::string_view text) {
  constexpr std::string_view kHeader = "HloModule ";
  size_t bytes = 0;
  do bytes = text.find('H', bytes + 1);
  while (bytes != std::string_view::npos && !text.substr(bytes).starts_with(kHeader));
  bytes = std::min(bytes, text.size());
  constexpr size_t kMostReserved = size_t{128} << 20, kSample = size_t{1} << 12, kInstruction = 150;
  bytes = std::min(bytes, kMostReserved);
  const std::string_view sample = text.substr(0, std::min(bytes, kSample));
  size_t lines = 1;
  for (size_t end = sample.find('\n'); end != std::string_view::npos; end = sample.find('\n', end + 1)) ++lines;
  const size_t instructions = bytes / (sample.size() / lines + 1);
  loader_.Reserve(std::min(bytes, instructions * kInstruction), bytes / 2);
  names_.Reserve(instructions + instructions / 8);
}

bool ModuleReader::ParseComputations() {
  ReserveFor({lexer_.at(), static_cast<size_t>(lexer_.end() - lexer_.at())});
  do {
    if (!ParseComputation()) return false;
    const char* end = lexer_.at();
    lexer_.SkipBlank();
    const std::string_view between(end, static_cast<size_t>(lexer_.at() - end));
    if (several_modules_ && between.find("\n// -----") != std::string_view::npos) return true;
  } while (!lexer_.AtEnd() && !AtWord("HloModule"));
  return true;
}

// ["ENTRY"] name ["(" params ")" "->" shape] "{" instructions "}" ["," execution_thread="…"]
bool ModuleReader::ParseComputation() {
  Head head;
  if (!ParseHead(head)) return false;
  if (computations_.Find(head.name.text()) != nullptr) {
    return Fail(head.name_place, Format("computation '{}' is defined twice", head.name.text()));
  }
  if (head.is_entry && module_->entry_computation() != nullptr)
    return Fail(head.place, "the module already has an ENTRY computation");
  HloComputation* computation =
      loader_.NewComputation(LegalComputationName(head.name.text()), lines_.LineOf(head.place));
  if (!ParseBody(computation, head.place) || !CheckResult(head, *computation->root())) return false;
  computations_[head.name.text()] = computation;
  if (head.is_entry) module_->set_entry_computation(computation);
  std::string_view thread;
  if (!ParseThread(thread)) return false;
  if (!thread.empty()) {
    GraphLoader::set_execution_thread(computation, thread);
    has_threads_ = true;
  }
  return true;
}

// ["ENTRY"] name ["(" params ")" "->" shape] "{"
bool ModuleReader::ParseHead(Head& head) {
  lexer_.SkipBlank();
  head.place = lexer_.at();
  head.is_entry = lexer_.AcceptWord("ENTRY");
  lexer_.SkipBlank();
  head.name_place = lexer_.at();
  if (!ReadName(head.name, "a computation") || !CheckNoTypeWord(head.name)) return false;
  if (lexer_.Peek() == '(') {
    if (!ParseParameterList()) return false;
    head.shape_place = (lexer_.SkipBlank(), lexer_.at());
    if (!ParseInternedShape(head.stated)) return false;
  }
  return Expect('{');
}

bool ModuleReader::CheckResult(const Head& head, const HloInstruction& root) {
  return head.stated == nullptr || head.stated == &root.shape() || head.stated->Compatible(root.shape()) ||
         Fail(head.shape_place,
              Format("computation '{}' is declared to return {}, but its root '{}' is {}", head.name.text(),
                     head.stated->ToString(), root.name(), root.shape().ToString()));
}

bool ModuleReader::ParseThread(std::string_view& thread) {
  const char* before = lexer_.at();
  if (!lexer_.Accept(',')) {
    lexer_.set_at(before);
    return true;
  }
  lexer_.SkipBlank();
  if (!lexer_.AcceptWord("execution_thread")) return FailExpected("execution_thread");
  if (!ExpectEquals() || !ReadString(thread)) return false;
  if (thread == "main") thread = {};
  return true;
}

// "(" [name shape {"," name shape}] ")" "->": redundant with the parameter instructions.
bool ModuleReader::ParseParameterList() {
  if (!Expect('(')) return false;
  if (!lexer_.Accept(')')) {
    do {
      std::string_view name;
      const Shape* shape = nullptr;
      if (!ReadName(name, "a parameter")) return false;
      if (!ParseInternedShape(shape)) return false;
    } while (lexer_.Accept(','));
    if (!Expect(')')) return false;
  }
  return lexer_.Accept("->") || FailExpected("'->'");
}

bool ModuleReader::ParseBody(HloComputation* computation, const char* place) {
  HloComputation* outer = std::exchange(computation_, computation);
  HloInstruction* root = nullptr;
  while (!lexer_.Accept('}')) {
    HloInstruction* instruction = nullptr;
    bool is_root = false;
    lexer_.SkipBlank();
    const char* at = lexer_.at();
    if (!ParseInstruction(instruction, is_root)) return false;
    if (!is_root) continue;
    if (root != nullptr) return Fail(at, Format("'{}' is already the ROOT", root->name()));
    root = instruction;
  }
  if (computation->last() == nullptr)
    return Fail(place, Format("computation '{}' has no instructions", computation->name()));
  computation_ = outer;
  return FinishComputation(computation, root != nullptr ? root : computation->last(), place);
}

// Puts the parameters, which are in the order of the text, in the order of their numbers.
bool ModuleReader::OrderParameters(HloComputation* computation, const char* place) {
  ArenaVector<HloInstruction*>& found = GraphLoader::parameters(computation);
  int64_t next = 0;
  if (std::all_of(found.begin(), found.end(), [&](auto* parameter) { return parameter->parameter_number() == next++; }))
    return true;
  std::vector<HloInstruction*> parameters(found.size(), nullptr);
  for (HloInstruction* parameter : found) {
    const int64_t number = parameter->parameter_number();
    if (number >= static_cast<int64_t>(parameters.size())) {
      return Fail(place, Format("computation '{}' has parameter {} of {}; numbers must be contiguous",
                                computation->name(), number, parameters.size()));
    }
    if (parameters[static_cast<size_t>(number)] != nullptr) {
      return Fail(place, Format("computation '{}' has two parameters {}", computation->name(), number));
    }
    parameters[static_cast<size_t>(number)] = parameter;
  }
  std::copy(parameters.begin(), parameters.end(), found.begin());
  return true;
}

bool ModuleReader::FinishComputation(HloComputation* computation, HloInstruction* root, const char* place) {
  computation->set_root(root);
  if (!OrderParameters(computation, place)) return false;
  if (computation != single_computation_ && part_ == nullptr) {
    loader_.Name(computation);
    loader_.List(computation);
  }
  return true;
}

// A name, or an inline body: `to_apply={ … }`.
bool ModuleReader::ParseComputationReference(HloComputation*& computation) {
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  if (*place != '{') {
    Word name;
    if (!ReadName(name, "a computation's name") || !CheckNoTypeWord(name)) return false;
    HloComputation* const* const found = computations_.Find(name.text());
    computation = found != nullptr ? *found : part_ != nullptr ? FindInOtherPart(name.text()) : nullptr;
    return computation != nullptr || Fail(place, Format("computation '{}' is not defined", name.text()));
  }
  if (part_ != nullptr) return GiveUpPart();
  Nesting nesting(*this, kInstructionWeight);
  if (nesting.TooDeep()) return FailDepth(place);
  lexer_.Accept('{');
  has_inline_computations_ = true;
  computation = loader_.NewComputation("_", lines_.LineOf(place));
  const size_t shadowed_before = shadowed_.size();
  if (!ParseBody(computation, place)) return false;
  for (; shadowed_.size() > shadowed_before; shadowed_.pop_back()) {
    names_.Set(shadowed_.back().first, shadowed_.back().second);
  }
  return true;
}

// The text is a single instruction. Operands with a shape and without a definition become parameters.
bool ModuleReader::ParseSingleInstruction() {
  HloComputation* computation = loader_.NewComputation("_", 1);
  loader_.Name(computation);  // it is there from the start
  single_computation_ = computation_ = computation;
  module_->set_entry_computation(computation);
  loader_.List(computation);
  HloInstruction* instruction = nullptr;
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  if (LooksLikeShape()) {
    const Word name{"_", 1, HashBytes("_", 1)};
    if (!ParseInstructionBody({name, place, lines_.LineOf(place)}, /*is_nested=*/false, instruction)) return false;
  } else {
    bool is_root = false;
    if (!ParseInstruction(instruction, is_root)) return false;
  }
  computation_ = nullptr;
  if (!ExpectEnd() || !FinishComputation(computation, instruction, place)) return false;
  // As in XLA: such a module is scheduled, and its entry has default layouts.
  module_->config().is_scheduled = true;
  ProgramShape& layout = module_->config().entry_computation_layout.emplace(computation->program_shape());
  for (Shape& shape : layout.parameters) shape = shape.WithoutLayout().WithDefaultLayout();
  layout.result = layout.result.WithoutLayout().WithDefaultLayout();
  return true;
}

HloComputation* ModuleReader::EntryOrLast() {
  HloComputation* entry = module_->entry_computation();
  return entry != nullptr ? entry : module_->computations().back();
}

bool ModuleReader::FinishModule() {
  module_->config().stack_frames = stack_frames_.TakeTables();
  module_->set_entry_computation(EntryOrLast());
  if (has_inline_computations_ && !renamed_from_.empty()) GiveNamesAnew();
  const ModuleConfig& config = module_->config();
  const Shape& result = config.entry_computation_layout.has_value() ? config.entry_computation_layout->result
                                                                    : module_->entry_computation()->root()->shape();
  for (const InputOutputAlias& alias : config.input_output_alias) {
    const Shape* part = &result;
    for (int64_t i : alias.output_index) {
      if (!part->IsTuple() || i < 0 || i >= part->tuple_size()) {
        return Fail(lexer_.begin(),
                    Format("input_output_alias names an output that {} does not have", result.ToString(false)));
      }
      part = &part->tuple_shapes(i);
    }
  }
  return true;
}

}  // namespace hloir
