// HloProto: written modules read back equal, in binary and as JSON, and corrupt bytes are errors.
#include <filesystem>

#include "hloir/hloir.h"
#include "hloir/proto.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"

namespace hloir {
namespace {

constexpr char kModule[] =
    R"(HloModule everything, is_scheduled=true, input_output_alias={ {0}: (0, {}, must-alias) }, frontend_attributes={owner="tests"}

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
}

fused {
  p = f32[4,6]{1,0} parameter(0)
  ROOT t = f32[6,4]{1,0} transpose(p), dimensions={1,0}
}

ENTRY main {
  a = f32[4,6]{1,0} parameter(0), sharding={devices=[2,1]<=[2]}
  i = s32[2,1]{1,0} parameter(1)
  c = s4[3]{0} constant({-8, 0, 7})
  z = f32[] constant(0)
  n = c64[] constant((1, -2))
  fusion = f32[6,4]{1,0} fusion(a), kind=kLoop, calls=fused, metadata={op_name="jit(f)/transpose" source_file="f.py" source_line=7}
  gather = f32[2,6]{1,0} gather(a, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,6}
  dot = f32[2,4]{1,0} dot(gather, fusion), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,default}
  window = f32[4,3]{1,0} reduce-window(a, z), window={size=1x2 stride=1x2}, to_apply=add
  reduce = f32[4]{0} reduce(window, z), dimensions={1}, to_apply=add, backend_config={"outer":{"size":"2"}}
  sum = f32[4,6]{1,0} all-reduce(a), channel_id=1, replica_groups=[1,2]<=[2], use_global_device_ids=true, to_apply=add
  less = pred[4]{0} compare(reduce, reduce), direction=LT
  slice = f32[2]{0} slice(reduce), slice={[0:4:2]}, control-predecessors={dot}
  pad = f32[7]{0} pad(slice, z), padding=1_2_2
  ROOT out = (f32[4,6]{1,0}, f32[2,4]{1,0}, pred[4]{0}, f32[7]{0}, s4[3]{0}, c64[]) tuple(sum, dot, less, pad, c, n)
}
)";

std::string Text(const HloModule& module) {
  PrintOptions options;
  options.print_large_constants = true;
  return PrintModule(module, options);
}

HloProtoFile FileOf(std::string text) {
  StatusOr<std::unique_ptr<HloModule>> module = ParseModule(std::move(text));
  REQUIRE(module.ok());
  HloProtoFile file;
  file.module = *std::move(module);
  return file;
}

TEST_CASE("a module comes back from HloProto and from JSON as it was") {
  HloProtoFile file = FileOf(kModule);
  for (HloProtoFile::Form form : {HloProtoFile::Form::kHloProto, HloProtoFile::Form::kHloModuleProto}) {
    file.form = form;
    StatusOr<std::string> bytes = SerializeHloProto(file);
    REQUIRE(bytes.ok());
    CHECK(LooksLikeHloProto(*bytes));
    StatusOr<HloProtoFile> back = ParseHloProto(*bytes);
    REQUIRE(back.ok());
    CHECK(back->form == form);
    CHECK(Text(*back->module) == Text(*file.module));

    StatusOr<std::string> json = SerializeHloProtoAsJson(file);
    REQUIRE(json.ok());
    StatusOr<HloProtoFile> from_json = ParseHloProtoJson(*json);
    REQUIRE(from_json.ok());
    CHECK(from_json->form == form);
    CHECK(Text(*from_json->module) == Text(*file.module));
  }
}

TEST_CASE("a recovery table and its modules come back from HloProto and from JSON") {
  HloProtoFile file = FileOf(
      "HloModule m, origin_recovery_table={ {\"a\" {1}} : {\"b\"}, \"ENTRY r { ROOT p = f32[2] parameter(0) }\" }\n"
      "ENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n");
  const std::string text = Text(*file.module);
  CHECK(text.find("ENTRY %r") != std::string::npos);
  StatusOr<std::string> bytes = SerializeHloProto(file);
  REQUIRE(bytes.ok());
  StatusOr<HloProtoFile> back = ParseHloProto(*bytes);
  REQUIRE(back.ok());
  CHECK(Text(*back->module) == text);
  StatusOr<std::string> json = SerializeHloProtoAsJson(file);
  REQUIRE(json.ok());
  back = ParseHloProtoJson(*json);
  REQUIRE(back.ok());
  CHECK(Text(*back->module) == text);
}

TEST_CASE("what a message has and the graph has not is named, and a module's is kept") {
  HloProtoFile file = FileOf("HloModule m\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n");
  std::string bytes = SerializeHloModuleProto(*file.module);
  bytes += "\x7a\x02\x08\x01";  // 15: {1: 1}
  bytes +=
      "\xa2\x06\x03"
      "abc";  // 100
  StatusOr<HloProtoFile> read = ParseHloProto(bytes);
  REQUIRE(read.ok());
  CHECK(read->unread == std::vector<std::string>{"HloModuleProto.device_assignment", "HloModuleProto.100"});
  StatusOr<std::string> again = SerializeHloProto(*read);
  REQUIRE(again.ok());
  CHECK(*again == bytes);
}

TEST_CASE("stack frames, metadata's payloads and in-place slices come back") {
  const std::string text = R"(HloModule m, entry_computation_layout={(f32[4,8]{1,0})->f32[4,8]{1,0}}

FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=8 column=3 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}


ENTRY %e (p: f32[4,8]) -> f32[4,8] {
  %p = f32[4,8]{1,0} parameter(0), metadata={op_name="x" stack_frame_id=2 metadata_payload="one"}
  %zero = s32[] constant(0), metadata={metadata_payload="two"}
  %at = (s32[], s32[]) tuple(%zero, %zero), metadata={op_name="y" metadata_payload="one"}
  ROOT %c = f32[4,8]{1,0} collective-permute(%p, %p, %at, %at), source_target_pairs={{0,1}}, slice_sizes={{2,8}}
}

)";
  HloProtoFile file = FileOf(text);
  StatusOr<std::string> bytes = SerializeHloProto(file);
  REQUIRE(bytes.ok());
  // The second frame's parent is the first; the first, by text its own, has none.
  CHECK(bytes->find("\"\x02\x08\x01\"\x04\x08\x01\x10\x01") != std::string::npos);
  StatusOr<HloProtoFile> back = ParseHloProto(*bytes);
  REQUIRE(back.ok());
  CHECK(Text(*back->module) == text);
  StatusOr<std::string> json = SerializeHloProtoAsJson(file);
  REQUIRE(json.ok());
  const std::string parent = "\"parent_frame_id\": \"1\"";
  const size_t at = json->find(parent);
  REQUIRE(at != std::string::npos);
  for (const char* other : {"-1", "9223372036854775807"}) {
    std::string changed = *json;
    changed.replace(at, parent.size(), "\"parent_frame_id\": \"" + std::string(other) + "\"");
    CHECK_FALSE(ParseHloProtoJson(changed).ok());
  }
}

TEST_CASE("JSON may give enums by their names, and fields in camel case") {
  HloProtoFile file = FileOf(
      "HloModule m\nENTRY e {\n  p = f8e4m3fn[2,2] parameter(0), sharding={maximal device=0}\n  ROOT d = f32[2,2] "
      "dot(p, p), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,default}, "
      "algorithm=dot_any_f8_any_f8_f32\n}\n");
  StatusOr<std::string> json = SerializeHloProtoAsJson(file);
  REQUIRE(json.ok());
  std::string text = *json;
  auto replace = [&](const std::string& from, const std::string& to) {
    REQUIRE(text.find(from) != std::string::npos);
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace("\"element_type\": \"20\"", "\"elementType\": \"F8E4M3FN\"");
  replace("\"element_type\": \"11\"", "\"element_type\": \"F32\"");
  replace("\"type\": \"1\"", "\"type\": \"MAXIMAL\"");
  replace("\"algorithm\": \"1\"", "\"algorithm\": \"ALG_DOT_ANY_F8_ANY_F8_F32\"");
  StatusOr<HloProtoFile> back = ParseHloProtoJson(text);
  INFO((back.ok() ? "" : back.status().message()));
  REQUIRE(back.ok());
  CHECK(Text(*back->module) == Text(*file.module));
  replace("\"MAXIMAL\"", "\"MAXIMUM\"");
  CHECK_FALSE(ParseHloProtoJson(text).ok());
}

TEST_CASE("a convolution's dimension numbers beyond any array are refused") {
  HloProtoFile file = FileOf(
      "HloModule m\nENTRY e {\n  p = f32[2,2,4] parameter(0)\n  ROOT c = f32[2,2,4] convolution(p, p), window={size=4 "
      "pad=2_1}, dim_labels=bf0_oi0->bf0\n}\n");
  StatusOr<std::string> json = SerializeHloProtoAsJson(file);
  REQUIRE(json.ok());
  REQUIRE(ParseHloProtoJson(*json).ok());
  const std::string field = "\"output_feature_dimension\": \"1\"";
  const size_t at = json->find(field);
  REQUIRE(at != std::string::npos);
  json->replace(at, field.size(), "\"output_feature_dimension\": \"536870912\"");
  CHECK_FALSE(ParseHloProtoJson(*json).ok());
}

TEST_CASE("a schedule against the operands is refused") {
  HloProtoFile file =
      FileOf("HloModule m, is_scheduled=true\nENTRY e {\n  p = f32[] parameter(0)\n  ROOT n = f32[] negate(p)\n}\n");
  StatusOr<std::string> json = SerializeHloProtoAsJson(file);
  REQUIRE(json.ok());
  REQUIRE(ParseHloProtoJson(*json).ok());
  const size_t at = json->find("\"1\"", json->find("\"instruction_ids\""));
  const size_t next = json->find("\"2\"", at);
  REQUIRE(next != std::string::npos);
  (*json)[at + 1] = '2';
  (*json)[next + 1] = '1';
  StatusOr<HloProtoFile> back = ParseHloProtoJson(*json);
  REQUIRE_FALSE(back.ok());
  CHECK(back.status().message() == "schedule: 'n' comes before its operand or predecessor");
}

TEST_CASE("integers under a byte stand one to a byte, and are read packed too") {
  StatusOr<Literal> literal = ParseLiteral("s4[3] {-8, 1, 7}");
  REQUIRE(literal.ok());
  const std::string bytes = SerializeLiteralProto(*literal);
  const std::string elements("\xaa\x01\x03\x08\x01\x07", 6);  // field 21
  REQUIRE(bytes.ends_with(elements));
  StatusOr<Literal> back = ParseLiteralProto(bytes);
  REQUIRE(back.ok());
  CHECK(back->BitwiseEqual(*literal));
  back = ParseLiteralProto(bytes.substr(0, bytes.size() - elements.size()) + "\xaa\x01\x02\x18\x07");
  REQUIRE(back.ok());
  CHECK(back->BitwiseEqual(*literal));
}

TEST_CASE("computations are kept by their ids, whatever their order in the file") {
  HloProtoFile file = FileOf(
      "HloModule m\na {\n  ROOT p = f32[] parameter(0)\n}\nb {\n  ROOT q = f32[] parameter(0)\n}\n"
      "ENTRY e {\n  r = f32[] parameter(0)\n  s = f32[] call(r), to_apply=b\n  ROOT t = f32[] call(s), "
      "to_apply=a\n}\n");
  std::string bytes = SerializeHloModuleProto(*file.module);
  const size_t a = bytes.find(
                       "\n\x01"
                       "a") -
                   2,
               b = bytes.find(
                       "\n\x01"
                       "b") -
                   2;
  REQUIRE(b > a);
  const size_t size = b - a;  // both are as long
  std::swap_ranges(bytes.begin() + static_cast<ptrdiff_t>(a), bytes.begin() + static_cast<ptrdiff_t>(b),
                   bytes.begin() + static_cast<ptrdiff_t>(b));
  REQUIRE(bytes.find("\n\x01"
                     "a") == b + 2);
  REQUIRE(size > 8);
  StatusOr<HloProtoFile> back = ParseHloProto(bytes);
  REQUIRE(back.ok());
  CHECK(back->module->computations()[0]->name() == "a");
  CHECK(Text(*back->module) == Text(*file.module));
}

TEST_CASE("instructions keep their order, though nothing reads them and they came late") {
  HloProtoFile file = FileOf("HloModule m\nENTRY e {\n  p = f32[] parameter(0)\n  ROOT r = f32[] negate(p)\n}\n");
  HloComputation* entry = file.module->entry_computation();
  HloInstruction* late =
      entry->AddInstruction(HloOpcode::kSin, Shape::Scalar(PrimitiveType::F32),
                            std::vector<HloInstruction*>{entry->parameter(0)}, NoAttributes(), "late");
  entry->MoveBefore(late, entry->root());
  const std::string text = Text(*file.module);
  StatusOr<std::string> bytes = SerializeHloProto(file);
  REQUIRE(bytes.ok());
  StatusOr<HloProtoFile> back = ParseHloProto(*bytes);
  REQUIRE(back.ok());
  CHECK(back->module->entry_computation()->first()->next()->name() == "late");
  CHECK(Text(*back->module) == text);
}

TEST_CASE("shardings that are a word of all axes come back") {
  for (const char* word : {"manual", "unreduced", "replicated"}) {
    HloProtoFile file = FileOf("HloModule m\nENTRY e {\n  ROOT p = f32[4] parameter(0), sharding={mesh['x'=2,'y'=2], " +
                               std::string(word) + "}\n}\n");
    StatusOr<HloProtoFile> back = ParseHloProto(SerializeHloModuleProto(*file.module));
    REQUIRE(back.ok());
    CHECK(Text(*back->module) == Text(*file.module));
  }
}

TEST_CASE("a message's tiles and devices fit together, or it is refused") {
  HloProtoFile file = FileOf("HloModule m\nENTRY e {\n  ROOT p = f32[4] parameter(0), sharding={devices=[2]0,1}\n}\n");
  StatusOr<std::string> json = SerializeHloProtoAsJson(file);
  REQUIRE(json.ok());
  const auto with_devices = [&](const std::string& devices) {
    std::string changed = *json;
    const size_t at = changed.find("\"tile_assignment_devices\": [");
    REQUIRE(at != std::string::npos);
    const size_t open = changed.find('[', at);
    changed.replace(open, changed.find(']', open) + 1 - open, "[" + devices + "]");
    const StatusOr<HloProtoFile> back = ParseHloProtoJson(changed);
    return back.ok() ? Text(*back->module).find("devices=[2]0,1}") != std::string::npos ? "the first two" : "others"
                     : back.status().message();
  };
  CHECK(with_devices("\"0\", \"1\"") == "the first two");
  CHECK(with_devices("\"0\", \"1\", \"2\", \"3\"") == "the first two");
  CHECK(with_devices("\"0\"").find("do not fit together") != std::string::npos);
  CHECK(with_devices("").find("do not fit together") != std::string::npos);
}

TEST_CASE("a custom-call's version that nobody knows is the original one") {
  HloProtoFile file = FileOf(
      "HloModule m\nENTRY e {\n  p = f32[] parameter(0)\n  ROOT c = f32[] custom-call(p), custom_call_target=\"x\", "
      "api_version=API_VERSION_STATUS_RETURNING\n}\n");
  StatusOr<std::string> json = SerializeHloProtoAsJson(file);
  REQUIRE(json.ok());
  const std::string version = "\"custom_call_api_version\": \"2\"";
  const size_t at = json->find(version);
  REQUIRE(at != std::string::npos);
  json->replace(at, version.size(), "\"custom_call_api_version\": \"99\"");
  StatusOr<HloProtoFile> back = ParseHloProtoJson(*json);
  REQUIRE(back.ok());
  CHECK(Text(*back->module).find("api_version") == std::string::npos);
}

TEST_CASE("a module without a name or an entry without a result is refused") {
  StatusOr<std::string> json =
      SerializeHloProtoAsJson(FileOf("HloModule alone\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n"));
  REQUIRE(json.ok());
  REQUIRE(ParseHloProtoJson(*json).ok());
  const auto refusal = [&](std::string_view part, std::string_view by) -> std::string {
    const size_t at = json->rfind(part);
    REQUIRE(at != std::string::npos);
    StatusOr<HloProtoFile> back = ParseHloProtoJson(std::string(*json).replace(at, part.size(), by));
    return back.ok() ? "" : back.status().message();
  };
  CHECK(refusal("\"name\": \"alone\"", "\"name\": \"größe\"") == "");
  std::string bytes =
      SerializeHloModuleProto(*FileOf("HloModule alone\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n").module);
  REQUIRE(ParseHloProto(bytes).ok());
  CHECK(ParseHloProto(bytes + std::string("\x0a\0", 2)).status().message() ==
        "the module has no name");  // the last name counts
  CHECK(ParseHloProto(bytes + "\x0a\x01\x02").status().message() == "the module's name is not a string");
  CHECK(refusal("\"result\"", "\"nothing\"") == "host_program_shape: no result");
}

TEST_CASE("snapshots keep their arguments and results") {
  HloProtoFile file =
      FileOf("HloModule m\nENTRY e {\n  p = bf16[2,2]{0,1} parameter(0)\n  ROOT n = bf16[2,2]{0,1} negate(p)\n}\n");
  file.form = HloProtoFile::Form::kHloSnapshot;
  StatusOr<Literal> argument = ParseLiteral("bf16[2,2]{0,1} {{1, 2}, {3, 4}}");
  REQUIRE(argument.ok());
  file.arguments.push_back({*argument});
  file.result = *argument;
  file.execution_platform = "hloir";
  StatusOr<std::string> bytes = SerializeHloProto(file);
  REQUIRE(bytes.ok());
  StatusOr<HloProtoFile> back = ParseHloProto(*bytes);
  REQUIRE(back.ok());
  CHECK(back->form == HloProtoFile::Form::kHloSnapshot);
  CHECK(back->execution_platform == "hloir");
  REQUIRE(back->arguments.size() == 1);
  REQUIRE(back->arguments[0].size() == 1);
  CHECK(back->arguments[0][0].BitwiseEqual(*argument));
  REQUIRE(back->result.has_value());
  CHECK(back->result->BitwiseEqual(*argument));
}

TEST_CASE("arguments may stand behind an unoptimized snapshot's message") {
  HloProtoFile file = FileOf(
      "HloModule m\nENTRY e {\n  p = s4[3] parameter(0)\n  q = pred[9] parameter(1)\n  ROOT t = (s4[3], pred[9]) "
      "tuple(p, q)\n}\n");
  file.form = HloProtoFile::Form::kHloUnoptimizedSnapshot;
  file.streamed = true;
  for (const char* partition : {"0", "1"}) {
    auto& arguments = file.arguments.emplace_back();
    for (std::string text :
         {"s4[3] {-8, 1, 7}", "pred[9] {1, 0, 0, 1, 1, 0, 0, 0, 1}", "c64[2,1]{0,1} {{(1, 2)}, {(3, 4)}}",
          "(bf16[2]{0} {1, 2}, f4e2m1fn[3]{0} {1, 2, -6}, f6e3m2fn[2]{0} {1, 2})",
          "f64[2,3]{0,1} {{1, 2, 3}, {4, 5, 6}}"}) {
      StatusOr<Literal> literal = ParseLiteral(text);
      INFO(text << " of partition " << partition);
      REQUIRE(literal.ok());
      arguments.push_back(*std::move(literal));
    }
  }
  // As Literal::Serialize in XLA describes it: the dynamic sizes come before the elements.
  Literal cut = *ParseLiteral("s32[4]{0} {7, 8, 0, 0}");
  Literal dynamic(*ParseShape("s32[<=4]{0}"));
  std::memcpy(dynamic.untyped_data(), cut.untyped_data(), 16);
  dynamic.set_dynamic_sizes({2});
  file.arguments[0].push_back(dynamic);

  StatusOr<std::string> bytes = SerializeHloProto(file);
  REQUIRE(bytes.ok());
  CHECK(LooksLikeHloProto(*bytes));
  StatusOr<HloProtoFile> back = ParseHloProto(*bytes);
  REQUIRE(back.ok());
  CHECK(back->streamed);
  REQUIRE(back->arguments.size() == 2);
  for (size_t p = 0; p < 2; ++p) {
    REQUIRE(back->arguments[p].size() == file.arguments[p].size());
    for (size_t i = 0; i < back->arguments[p].size(); ++i) {
      INFO("argument " << i << " of partition " << p);
      CHECK(back->arguments[p][i].BitwiseEqual(file.arguments[p][i]));
    }
  }
  CHECK(back->arguments[0].back().dynamic_sizes() == DimVector{2});
  // The last argument's bytes: its two elements in use, after the size 2 and before two zeros.
  const char tail[] = {2, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  CHECK(bytes->find(std::string_view(tail, sizeof(tail))) != std::string::npos);
  for (size_t size = 0; size < bytes->size(); ++size)
    CHECK_FALSE(ParseHloProto(std::string_view(*bytes).substr(0, size)).ok());
  CHECK_FALSE(ParseHloProto(*bytes + "x").ok());
}

TEST_CASE("text is not taken for a message") {
  // An empty line is the tag of a name, and 32, the blank, could be its length.
  CHECK_FALSE(LooksLikeHloProto("\n" + std::string(200, ' ') + "HloModule m\n"));
  CHECK_FALSE(
      LooksLikeHloProto("\n\n\n                 HloModule long_name, is_scheduled=true\n\nENTRY e {\n  ROOT p = f32[] "
                        "parameter(0)\n}\n"));
  CHECK_FALSE(LooksLikeHloProto("{\n  \"hlo_module\": {}}"));
  CHECK_FALSE(LooksLikeHloProto(kModule));
  CHECK_FALSE(LooksLikeHloProto(""));
}

TEST_CASE("the corpus comes back from HloProto") {
  for (const std::filesystem::path& path : FilesIn(std::string(kCorpusFolder) + "/modules")) {
    HloProtoFile file = FileOf(TextOf(path));
    INFO(path.filename().string());
    StatusOr<std::string> bytes = SerializeHloProto(file);
    REQUIRE(bytes.ok());
    StatusOr<HloProtoFile> back = ParseHloProto(*bytes);
    REQUIRE(back.ok());
    // HloModuleProto has no fields for the number of devices and the permissions of sharding propagation, which end the
    // header.
    auto body = [](const std::string& printed) { return printed.substr(printed.find('\n')); };
    CHECK(body(Text(*back->module)) == body(Text(*file.module)));
  }
}

TEST_CASE("broken bytes are an error, wherever they break") {
  HloProtoFile file = FileOf(kModule);
  StatusOr<std::string> bytes = SerializeHloProto(file);
  REQUIRE(bytes.ok());
  int errors = 0;
  for (size_t size = 0; size < bytes->size(); size += 7) {
    errors += !ParseHloProto(std::string_view(*bytes).substr(0, size)).ok();
    std::string changed = *bytes;
    changed[size] = static_cast<char>(changed[size] ^ 0x55);
    (void)ParseHloProto(changed).ok();  // may still be a module; must not crash
  }
  CHECK(errors == static_cast<int>((bytes->size() + 6) / 7));
  CHECK_FALSE(ParseHloProto("").ok());
  CHECK_FALSE(ParseHloProto("HloModule text").ok());
  CHECK_FALSE(ParseHloProtoJson("[1").ok());
  CHECK_FALSE(ParseHloProtoJson(std::string(100000, '[')).ok());
}

}  // namespace
}  // namespace hloir
