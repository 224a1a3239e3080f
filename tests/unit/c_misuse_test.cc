// Misuse of hloir_c.h: NULL, invalid arguments and concurrent use are reported as errors, never as a crash or a bug of
// hloir.
#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "hloir/hloir_c.h"
#include "tests/unit/catch.h"

namespace {

constexpr char kText[] = "HloModule m\nENTRY e {\n  x = f32[4]{0} parameter(0)\n  ROOT n = f32[4]{0} negate(x)\n}\n";

hloir_module* Module(const char* text = kText) {
  hloir_error* error = nullptr;
  hloir_module* module = hloir_parse(text, std::string(text).size(), "m", &error);
  REQUIRE(error == nullptr);
  return module;
}

// The error of a call that must fail: "CODE: message".
template <class Call>
std::string Said(Call call) {
  hloir_error* error = nullptr;
  if (call(&error)) return "it went well";
  if (error == nullptr) return "no error";
  std::string said = hloir_error_code(error) == HLOIR_INVALID_ARGUMENT ? "" : "not an invalid argument: ";
  said += hloir_error_message(error);
  hloir_error_free(error);
  (void)call(static_cast<hloir_error**>(nullptr));  // nobody wants to know
  return said;
}

// The error of a builder to which `add` adds.
std::string SaidOfBuilder(const char* name, const std::function<void(hloir_builder*)>& add) {
  hloir_builder* builder = hloir_builder_new(name);
  add(builder);
  const std::string said = Said([&](hloir_error** error) {
    hloir_module* module = hloir_builder_finish(builder, error);
    hloir_module_free(module);
    return module != nullptr;
  });
  hloir_builder_free(builder);
  return said;
}

TEST_CASE("C: what must be given and is NULL") {
  hloir_module* m = Module();
  using Call = std::function<bool(hloir_error**)>;
  const std::pair<const char*, Call> kCalls[] = {
      {"text is NULL", [&](auto e) { return hloir_parse(nullptr, 7, "m", e) != nullptr; }},
      {"path is NULL", [&](auto e) { return hloir_read(nullptr, e) != nullptr; }},
      {"path is NULL", [&](auto e) { return hloir_write(m, nullptr, e); }},
      {"module is NULL", [&](auto e) { return hloir_write(nullptr, "x.hlo", e); }},
      {"module is NULL", [&](auto e) { return hloir_module_clone(nullptr, e) != nullptr; }},
      {"module is NULL", [&](auto e) { return hloir_print(nullptr, HLOIR_PRINT_XLA, e) != nullptr; }},
      {"module is NULL", [&](auto e) { return hloir_verify(nullptr, e); }},
      {"builder is NULL", [&](auto e) { return hloir_builder_finish(nullptr, e) != nullptr; }},
      {"module is NULL", [&](auto e) { return hloir_optimize(nullptr, "dce", HLOIR_MATH_EXACT, e); }},
      {"module is NULL", [&](auto e) { return hloir_dry_run(nullptr, "dce", HLOIR_MATH_EXACT, e) != nullptr; }},
      {"module is NULL", [&](auto e) { return hloir_take(nullptr, "dce", HLOIR_MATH_EXACT, nullptr, 0, nullptr, e); }},
      {"ids is NULL", [&](auto e) { return hloir_take(m, "dce", HLOIR_MATH_EXACT, nullptr, 3, nullptr, e); }},
      {"module is NULL", [&](auto e) { return hloir_prepare(nullptr, nullptr, e) != nullptr; }},
      {"executable is NULL", [&](auto e) { return hloir_run(nullptr, nullptr, 0, nullptr, 0, e); }},
      {"before is NULL", [&](auto e) { return hloir_check(nullptr, m, nullptr, e) != nullptr; }},
      {"after is NULL", [&](auto e) { return hloir_check(m, nullptr, nullptr, e) != nullptr; }},
  };
  for (const auto& [expected, call] : kCalls) CHECK(Said(call) == expected);
  const char* ids[] = {"a", nullptr};
  CHECK(Said([&](auto e) { return hloir_take(m, "dce", HLOIR_MATH_EXACT, ids, 2, nullptr, e); }) == "an id is NULL");
  hloir_module_free(m);
}

TEST_CASE("C: what is asked of NULL") {
  CHECK(hloir_error_code(nullptr) == 0);
  CHECK(std::string(hloir_error_message(nullptr)).empty());
  CHECK(hloir_error_line(nullptr) == 0);
  CHECK(hloir_error_column(nullptr) == 0);
  CHECK(hloir_module_name(nullptr).size == 0);
  CHECK(hloir_module_instruction_count(nullptr) == 0);
  CHECK(hloir_module_computation_count(nullptr) == 0);
  CHECK(hloir_module_computation(nullptr, 0) == nullptr);
  CHECK(hloir_module_entry(nullptr) == nullptr);
  CHECK(hloir_computation_name(nullptr).size == 0);
  CHECK(hloir_computation_parameter_count(nullptr) == 0);
  CHECK(hloir_computation_parameter(nullptr, 0) == nullptr);
  CHECK(hloir_computation_root(nullptr) == nullptr);
  CHECK(hloir_computation_first(nullptr) == nullptr);
  CHECK(hloir_instruction_next(nullptr) == nullptr);
  CHECK(hloir_instruction_name(nullptr).size == 0);
  CHECK(hloir_instruction_opcode(nullptr).size == 0);
  CHECK(hloir_instruction_id(nullptr) == -1);
  CHECK(hloir_instruction_parent(nullptr) == nullptr);
  CHECK(hloir_instruction_operand(nullptr, 0) == nullptr);
  CHECK(hloir_instruction_user(nullptr, 0) == nullptr);
  CHECK(hloir_instruction_called(nullptr, 0) == nullptr);
  CHECK(hloir_instruction_shape(nullptr) == nullptr);
  CHECK(hloir_instruction_attributes(nullptr) == nullptr);
  CHECK(hloir_instruction_attribute(nullptr, "x") == nullptr);
  CHECK(hloir_instruction_print(nullptr) == nullptr);
  CHECK(hloir_rewrites_count(nullptr) == 0);
  CHECK(hloir_rewrites_get(nullptr, 0).id.size == 0);
  CHECK(hloir_executable_input_count(nullptr) == 0);
  CHECK(hloir_executable_output_count(nullptr) == 0);
  CHECK(hloir_executable_input_size(nullptr, 0) == 0);
  CHECK(hloir_executable_output_size(nullptr, 0) == 0);
  CHECK(hloir_executable_input_shape(nullptr, 0) == nullptr);
  CHECK(hloir_executable_output_shape(nullptr, 0) == nullptr);
  CHECK_FALSE(hloir_verdict_agrees(nullptr));
  CHECK(hloir_verdict_answer(nullptr) == HLOIR_NOT_JUDGED);
  CHECK(hloir_verdict_text(nullptr).size == 0);
  CHECK(hloir_verdict_differing(nullptr) == 0);
  hloir_error_free(nullptr);
  hloir_module_free(nullptr);
  hloir_builder_free(nullptr);
  hloir_rewrites_free(nullptr);
  hloir_executable_free(nullptr);
  hloir_verdict_free(nullptr);
  hloir_builder_computation(nullptr, "c");
  hloir_builder_add(nullptr, "n", "add", nullptr, nullptr, 0, nullptr);

  hloir_module* m = Module();
  CHECK(hloir_instruction_attribute(hloir_computation_root(hloir_module_entry(m)), nullptr) == nullptr);
  hloir_module_free(m);
}

TEST_CASE("C: a module as StableHLO") {
  hloir_module* m = Module();
  char* text = hloir_print(m, HLOIR_PRINT_STABLEHLO, nullptr);
  REQUIRE(text != nullptr);
  CHECK(std::string(text).starts_with("module @"));
  hloir_free(text);
  hloir_module_free(m);
}

TEST_CASE("C: numbers that mean nothing") {
  hloir_module* m = Module();
  CHECK(Said([&](auto e) { return hloir_print(m, static_cast<hloir_style>(77), e) != nullptr; }) ==
        "no such hloir_style");
  CHECK(Said([&](auto e) { return hloir_optimize(m, nullptr, static_cast<hloir_math>(77), e); }) ==
        "no such hloir_math");
  hloir_prepare_options options{};
  options.size = sizeof(options);
  options.threads = -5;
  CHECK(Said([&](auto e) { return hloir_prepare(m, &options, e) != nullptr; }) ==
        "hloir_prepare_options.threads is not from 0 to 1024");
  options.threads = 1;
  options.custom_call_count = 7;
  CHECK(Said([&](auto e) { return hloir_prepare(m, &options, e) != nullptr; }) == "custom_calls is NULL");
  options = {};
  CHECK(Said([&](auto e) { return hloir_prepare(m, &options, e) != nullptr; }) ==
        "hloir_prepare_options.size is not set");
  hloir_module_free(m);
}

TEST_CASE("C: a builder's strings stay what they were given as") {
  CHECK(SaidOfBuilder(nullptr, [](auto) {}) == "the module's name is NULL");
  CHECK(SaidOfBuilder("a b", [](auto) {}) == "the module's name is 'a b', which is no name");
  CHECK(SaidOfBuilder("m", [](auto) {}) == "the module has no computation");
  const char* const number[] = {"0"};
  CHECK(SaidOfBuilder("m", [&](auto b) { hloir_builder_add(b, "p", "parameter", "f32[]", number, 1, nullptr); }) ==
        "an instruction was added before any computation");
  CHECK(SaidOfBuilder("m", [&](auto b) { hloir_builder_computation(b, nullptr); }) == "a computation's name is NULL");
  const auto added = [&](const char* name, const char* opcode, const char* const* operands, size_t count,
                         const char* attributes) {
    return SaidOfBuilder("m", [&](auto b) {
      hloir_builder_computation(b, "e");
      hloir_builder_add(b, "x", "parameter", "f32[4]", number, 1, nullptr);
      hloir_builder_add(b, name, opcode, "f32[4]", operands, count, attributes);
    });
  };
  const char* const x[] = {"x"};
  const char* const none[] = {nullptr};
  const char* const more[] = {"x)\n  extra = f32[4] sine(x"};
  CHECK(added("n", "negate", x, 1, nullptr) == "it went well");
  CHECK(added("%n", "negate", x, 1, "metadata={op_name=\"a\"}") == "it went well");
  CHECK(added("q = f32[4] sine(x)\n n", "negate", x, 1, nullptr).find("which is no name") != std::string::npos);
  CHECK(added("n", "sine(x)\n m = f32[4] negate", x, 1, nullptr).find("which is no name") != std::string::npos);
  CHECK(added("n", nullptr, x, 1, nullptr) == "an opcode is NULL");
  CHECK(added("n", "negate", nullptr, 1, nullptr) == "operands is NULL");
  CHECK(added("n", "negate", none, 1, nullptr) == "an operand is NULL");
  CHECK(added("n", "negate", more, 1, nullptr) != "it went well");
  const std::string two = added("n", "negate", x, 1, "sharding={replicated}\n  extra = f32[4] sine(n)");
  CHECK(two.find("are more than that") != std::string::npos);
}

TEST_CASE("C: buffers that do not fit") {
  hloir_module* m = Module();
  hloir_executable* executable = hloir_prepare(m, nullptr, nullptr);
  REQUIRE(executable != nullptr);
  alignas(16) std::array<float, 8> memory{};
  const auto said = [&](hloir_buffer in, hloir_buffer out) {
    return Said([&](auto e) { return hloir_run(executable, &in, 1, &out, 1, e); });
  };
  CHECK(said({&memory[0], 16}, {&memory[4], 16}) == "it went well");
  CHECK(said({nullptr, 16}, {&memory[4], 16}) == "block 0 does not exist");
  CHECK(said({&memory[0], 16}, {reinterpret_cast<char*>(&memory[0]) + 17, 16}).find("aligned") != std::string::npos);
  CHECK(said({&memory[0], 12}, {&memory[4], 16}) == "input 0 has 16 bytes, not 12");
  CHECK(said({&memory[0], 16}, {&memory[2], 16}) == "an output overlaps another buffer");
  CHECK(said({&memory[0], 16}, {&memory[0], 16}) == "an output overlaps another buffer");
  CHECK(Said([&](auto e) { return hloir_run(executable, nullptr, 1, nullptr, 1, e); }) == "input is NULL");
  CHECK(Said([&](auto e) { return hloir_run(executable, nullptr, 0, nullptr, 0, e); }) ==
        "the module has 1 inputs, not 0");
  hloir_executable_free(executable);
  hloir_module_free(m);
}

TEST_CASE("C: one executable in several threads is refused or right") {
  hloir_module* m = Module();
  hloir_executable* executable = hloir_prepare(m, nullptr, nullptr);
  REQUIRE(executable != nullptr);
  std::atomic<int> wrong = 0, right = 0, unexpected = 0;
  const auto work = [&](int thread) {
    for (int i = 0; i < 300; ++i) {
      std::array<float, 4> in{}, out{};
      in.fill(static_cast<float>(1 + thread * 1000 + i));
      const hloir_buffer input{in.data(), sizeof in}, output{out.data(), sizeof out};
      hloir_error* error = nullptr;
      if (hloir_run(executable, &input, 1, &output, 1, &error)) {
        (out[3] == -in[3] ? right : wrong)++;
      } else {
        unexpected += std::string(hloir_error_message(error)).find("running already") == std::string::npos;
        hloir_error_free(error);
      }
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(right > 0);
  CHECK(unexpected == 0);
  hloir_executable_free(executable);
  hloir_module_free(m);
}

// A function that runs the executable that calls it.
struct Reentry {
  hloir_executable* executable = nullptr;
  std::string said;
};
const char* RunAgain(void* user_data, const hloir_instruction*, const hloir_buffer* operands, size_t,
                     const hloir_buffer* results, size_t) {
  Reentry& reentry = *static_cast<Reentry*>(user_data);
  hloir_error* error = nullptr;
  const hloir_buffer in{operands[0].data, operands[0].size}, out{results[0].data, results[0].size};
  if (hloir_run(reentry.executable, &in, 1, &out, 1, &error)) reentry.said = "it went well";
  else reentry.said = hloir_error_message(error);
  hloir_error_free(error);
  return nullptr;
}

TEST_CASE("C: a function cannot run the executable that calls it") {
  hloir_module* m = Module(
      "HloModule m\nENTRY e {\n  x = f32[4]{0} parameter(0)\n"
      "  ROOT c = f32[4]{0} custom-call(x), custom_call_target=\"again\", api_version=API_VERSION_TYPED_FFI\n}\n");
  Reentry reentry;
  const hloir_custom_call call{"again", &RunAgain, &reentry};
  hloir_prepare_options options{};
  options.size = sizeof(options);
  options.custom_calls = &call;
  options.custom_call_count = 1;
  reentry.executable = hloir_prepare(m, &options, nullptr);
  REQUIRE(reentry.executable != nullptr);
  std::array<float, 4> in{1, 2, 3, 4}, out{};
  const hloir_buffer input{in.data(), sizeof in}, output{out.data(), sizeof out};
  CHECK(hloir_run(reentry.executable, &input, 1, &output, 1, nullptr));
  CHECK(reentry.said == "the executable is running already: each thread needs its own");
  hloir_executable_free(reentry.executable);
  hloir_module_free(m);
}

}  // namespace
