// Any bytes in any string of a message: the module prints to text that reads back to the same module, or the message is
// an error. No string becomes a line of the program, and the printer writes no control characters.
#include <algorithm>
#include <deque>
#include <functional>
#include <random>

#include "hloir/analysis.h"
#include "hloir/hloir.h"
#include "hloir/proto.h"
#include "ir/names.h"
#include "proto/codec.h"
#include "support/plain_text.h"
#include "tests/unit/catch.h"

namespace hloir {
namespace {

// A string in every field that messages have one in.
constexpr char kModule[] =
    R"(HloModule everything, frontend_attributes={owner="tests",json={"a":"b"}}, origin_recovery_table={ {"a" {1}} : {"b"}, "ENTRY r { ROOT p = f32[2] parameter(0) }" }

FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
}

fused {
  p = f32[4]{0} parameter(0)
  ROOT n = f32[4]{0} negate(p)
}

on_thread {
  p.1 = f32[4]{0} parameter(0)
  two = f32[4]{0} negate(p.1)
  ROOT c = f32[4]{0} custom-call(two), custom_call_target="late"
}, execution_thread="other"

ENTRY main {
  a = f32[4]{0} parameter(0), sharding={mesh['x'=2,'y'=1], [{'x'}], replicated={'y'}, metadata={op_name="s"}}
  fusion = f32[4]{0} fusion(a), kind=kLoop, calls=fused, metadata={op_type="neg" op_name="jit(f)/neg" source_file="f.py" source_line=7 deduplicated_name="d" scheduling_name="s" stack_frame_id=1}
  reduced = f32[4]{0} all-reduce(fusion), channel_id=1, replica_groups=mesh['x'=2,'y'=1] {'x'}, use_global_device_ids=true, to_apply=add, statistics={visualizing_index=0,flops=3}
  less = pred[4]{0} compare(a, reduced), direction=LT, type=FLOAT, frontend_attributes={k="v",other={"j":1}}
  call = f32[4]{0} custom-call(reduced), custom_call_target="my_call", backend_config={"size":"2"}, origin={{"x" {0}}}
  start = ((f32[4]{0}), f32[4]{0}, s32[]) async-start(call), async_execution_thread="other", calls=on_thread
  done = f32[4]{0} async-done(start)
  tok = token[] after-all()
  in = (f32[4]{0}, token[]) infeed(tok), infeed_config="in"
  got = f32[4]{0} get-tuple-element(in), index=0
  out = token[] outfeed(got, tok), outfeed_config="out", outfeed_shape=f32[4]{0}
  dom = f32[4]{0} domain(got), domain={kind="sharding", entry={replicated}, exit={maximal device=0}}
  ROOT all = (pred[4]{0}, f32[4]{0}, f32[4]{0}) tuple(less, done, dom)
}
)";

// Calls `each` with every string of a message that is not empty, also of those that stand in it as bytes.
struct Strings {
  std::function<void(std::string_view& text)> each;
  std::deque<std::string>& storage;

  template <class T>
  void operator()(uint32_t, const char*, T& field) {
    Visit(field);
  }
  void Map(uint32_t, const char*, proto::StringPairs& map) {
    for (auto& [key, value] : map) each(key), each(value);
  }
  template <class Entry>
  void MessageMap(uint32_t, const char*, std::vector<Entry>& entries) {
    Visit(entries);
  }

 private:
  void Visit(std::string_view& text) {
    if (!text.empty()) each(text);
  }
  void Visit(proto::Bytes& bytes) { Visit(bytes.value); }
  template <class Message>
  void Visit(proto::Raw<Message>& raw) {
    Message message = proto::Decode<Message>(raw.bytes);
    proto::Fields(*this, message);
    raw.bytes = storage.emplace_back(proto::Encode(message));
  }
  template <class T>
  void Visit(std::optional<T>& field) {
    if (field.has_value()) Visit(*field);
  }
  template <class T>
  void Visit(std::vector<T>& fields) {
    if constexpr (std::is_class_v<T>) {
      for (T& field : fields) Visit(field);
    }
  }
  template <class T>
  void Visit(T& field) {
    if constexpr (std::is_class_v<T>) proto::Fields(*this, field);
  }
};

std::string SeedMessage() {
  auto module = ParseModule(kModule);
  INFO(module.status().message());
  REQUIRE(module.ok());
  return SerializeHloModuleProto(**module);
}

size_t CountStrings(const std::string& bytes) {
  std::deque<std::string> storage;
  size_t count = 0;
  Strings strings{[&](std::string_view&) { ++count; }, storage};
  auto message = proto::Decode<proto::Module>(bytes);
  proto::Fields(strings, message);
  return count;
}

// The message with `change(string)` instead of its n-th string.
template <class Change>
std::string WithString(const std::string& bytes, size_t n, Change change) {
  std::deque<std::string> storage;
  size_t at = 0;
  Strings strings{[&](std::string_view& text) {
                    if (at++ == n) text = storage.emplace_back(change(text));
                  },
                  storage};
  auto message = proto::Decode<proto::Module>(bytes);
  proto::Fields(strings, message);
  return proto::Encode(message);
}

// The lines that StructuralHash ignores.
std::string Decorations(const HloModule& module) {
  std::string text;
  const auto add = [&](std::string_view part) { text += std::to_string(part.size()) + ":" + std::string(part) + ","; };
  const auto attributes = [&](const FrontendAttributes& map) {
    for (const auto& [key, value] : map) add(key), add(value);
  };
  add(module.name());
  attributes(module.config().frontend_attributes);
  for (const std::string& name : module.config().stack_frames.file_names) add(name);
  for (const std::string& name : module.config().stack_frames.function_names) add(name);
  for (const HloComputation* c : module.TextOrder(true)) {
    text += "\n\n";
    add(c->name());
    add(c->execution_thread());
    for (const HloInstruction* i : c->PostOrder()) {
      text += '\n';
      add(i->name());
      add(i->opcode_name());
      for (const HloInstruction* operand : i->operands()) add(operand->name());
      for (const HloComputation* called : i->called_computations()) add(called->name());
      if (i->has_extras()) add(i->extras().backend_config), attributes(i->extras().frontend_attributes);
      if (i->has_extras() && i->extras().statistics.has_value()) {
        for (const auto& [name, value] : i->extras().statistics->values) add(name), add(std::to_string(value));
      }
      // As XLA, the printer omits metadata that has only other fields.
      const OpMetadata* m = i->metadata();
      if (m != nullptr && !(m->op_type.empty() && m->op_name.empty() && m->source_file.empty() &&
                            m->scheduling_name.empty() && m->stack_frame_id == 0)) {
        for (std::string_view part : {m->op_type, m->op_name, m->source_file, m->deduplicated_name, m->scheduling_name})
          add(part);
      }
    }
  }
  return text;
}

// The first lines of two texts that differ; "" if none do.
std::string FirstDifference(const std::string& a, const std::string& b) {
  const size_t at = static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  if (at == a.size() && at == b.size()) return "";
  const auto line = [at](const std::string& text) {
    const size_t begin = std::min(at, text.size()) == 0 ? 0 : text.rfind('\n', std::min(at, text.size()) - 1) + 1;
    return text.substr(begin, text.find('\n', std::min(at, text.size())) - begin);
  };
  return line(a) + "\n" + line(b);
}

// Reads the message, and holds that its text is the same module. False if the message is refused.
bool ReadsBack(const std::string& message) {
  const StatusOr<HloProtoFile> read = ParseHloProto(message);
  if (!read.ok()) {
    CHECK_FALSE(read.status().message().empty());
    return false;
  }
  const std::string text = PrintModule(*read->module, PrintOptions::Readable());
  CHECK(IsPlainText(text));
  CHECK(IsPlainText(PrintModule(*read->module)));
  const StatusOr<std::unique_ptr<HloModule>> again = ParseModule(text);
  INFO(again.status().message());
  REQUIRE(again.ok());
  CHECK(StructuralHash(**again) == StructuralHash(*read->module));
  CHECK(FirstDifference(Decorations(*read->module), Decorations(**again)) == "");
  CHECK(FirstDifference(text, PrintModule(**again, PrintOptions::Readable())) == "");
  return true;
}

const std::string kHostile[] = {
    "q = f32[4]{0} negate(x)\n  dead",
    "a b",
    "a=b,c",
    "x\"",
    "x'",
    "x\\",
    "{",
    "}",
    "{}",
    "{} ",
    "{\"a\":\"}\"}",
    "{\x1b[2J}",
    "{\"}",
    "*/ x /*",
    "// x",
    "(",
    ")",
    "%x",
    "f32",
    "true",
    "inf",
    "__x",
    "a->b",
    "-",
    "9x",
    "",
    " ",
    "\n",
    "\r",
    "\x1b]0;title\x07",
    "\x1b[2J",
    "\x7f",
    "\xc2\x9b 31m",
    "\x9b",
    "\xff\xfe",
    "\xe2\x80",
    "\xc3\xa4\xc3\xb6\xc3\xbc",
    std::string("nul\0x", 5),
    "ROOT",
    "ENTRY",
    std::string(3000, 'a'),
};

TEST_CASE("no string of a message becomes more than a string") {
  const std::string bytes = SeedMessage();
  const size_t count = CountStrings(bytes);
  REQUIRE(count > 90);
  REQUIRE(ReadsBack(bytes));
  size_t read = 0, tried = 0;
  for (size_t n = 0; n < count; ++n) {
    for (const std::string& text : kHostile) {
      CAPTURE(n, text);
      // One half appended to the previous text, the other half alone.
      const bool behind = (n + ++tried) % 2 == 0;
      read += ReadsBack(
          WithString(bytes, n, [&](std::string_view old) { return (behind ? std::string(old) : "") + text; }));
    }
  }
  CHECK(2 * read > tried);  // most are read
}

TEST_CASE("random bytes in the strings of a message") {
  const std::string bytes = SeedMessage();
  const size_t count = CountStrings(bytes);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const auto noise = [&](std::string_view old) {
      std::string text(old);
      for (size_t k = 1 + random() % 6; k > 0; --k)
        text.insert(text.begin() + static_cast<ptrdiff_t>(random() % (text.size() + 1)), static_cast<char>(random()));
      return text;
    };
    CAPTURE(i);
    ReadsBack(WithString(WithString(bytes, random() % count, noise), random() % count, noise));
  }
}

TEST_CASE("names become those that XLA makes of them") {
  CHECK(LegalName("add.1") == "add.1");
  CHECK(LegalName("a b(\x1b)") == "a_b___");
  CHECK(LegalName("9x") == "_x");
  CHECK(LegalName("f32") == "f32_");
  CHECK(LegalName("tuple") == "tuple");
  CHECK(LegalName("__x") == "a_x");
  CHECK(LegalName("__xla_x") == "__xla_x");
  CHECK(LegalName("9_x") == "a_x");  // __x, and that is reserved
  CHECK(LegalName("") == "name");

  HloModule module("my module");
  CHECK(module.name() == "my_module");
  HloComputation* entry = module.AddComputation("a b");
  CHECK(entry->name() == "a_b");
  CHECK(module.AddComputation("a b")->name() == "a_b.1");
  HloInstruction* p = entry->AddParameter(0, Shape::Array(PrimitiveType::F32, {2}), "p\n");
  CHECK(p->name() == "p_");
  p->set_name("f32");
  CHECK(p->name() == "f32_");
  entry->set_name("__e");
  CHECK(entry->name() == "a_e");
}

}  // namespace
}  // namespace hloir
