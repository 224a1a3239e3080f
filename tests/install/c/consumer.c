/* hloir from C11: builds, parses, prints, walks, optimizes, takes, runs and checks, and sees errors with their places.
 */
#include <hloir/hloir_c.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void Expect(bool good, const char* what) {
  if (good) return;
  fprintf(stderr, "not so: %s\n", what);
  exit(1);
}
#define EXPECT(condition) Expect(condition, #condition)

static void ExpectGood(const void* result, hloir_error* error) {
  if (result != NULL) return;
  fprintf(stderr, "error: %s\n", error != NULL ? hloir_error_message(error) : "without an error");
  exit(1);
}

static bool Is(hloir_text text, const char* expected) {
  return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

static const char kText[] =
    "HloModule m\n"
    "\n"
    "sum {\n"
    "  a = f32[] parameter(0)\n"
    "  b = f32[] parameter(1)\n"
    "  ROOT c = f32[] add(a, b)\n"
    "}\n"
    "\n"
    "ENTRY e {\n"
    "  x = f32[2,3]{1,0} parameter(0)\n"
    "  one = f32[] constant(1)\n"
    "  ones = f32[2,3]{1,0} broadcast(one), dimensions={}\n"
    "  same = f32[2,3]{1,0} multiply(x, ones)\n"
    "  zero = f32[] constant(0)\n"
    "  ROOT r = f32[2]{0} reduce(same, zero), dimensions={1}, to_apply=sum, metadata={op_name=\"f, g\"}\n"
    "}\n";

static void CheckErrors(void) {
  static const char kBroken[] = "HloModule m\nENTRY e {\n  ROOT x = f32[2] nosuchop()\n}\n";
  hloir_error* error = NULL;
  EXPECT(hloir_parse(kBroken, strlen(kBroken), "broken.hlo", &error) == NULL);
  EXPECT(error != NULL && hloir_error_code(error) == HLOIR_INVALID_ARGUMENT);
  EXPECT(hloir_error_line(error) == 3 && hloir_error_column(error) == 19);
  EXPECT(strncmp(hloir_error_message(error), "broken.hlo:3:19: error: ", 24) == 0);
  hloir_error_free(error);
  /* Without a place for the error, too. */
  EXPECT(hloir_parse(kBroken, strlen(kBroken), NULL, NULL) == NULL);
  error = NULL;
  EXPECT(hloir_read("/no/such/file", &error) == NULL && error != NULL && hloir_error_line(error) == 0);
  hloir_error_free(error);
}

static void CheckBuilding(void) {
  hloir_builder* builder = hloir_builder_new("built");
  hloir_builder_computation(builder, "e");
  const char* const number[] = {"0"};
  hloir_builder_add(builder, "p", "parameter", "f32[4]", number, 1, NULL);
  const char* const operands[] = {"p", "p"};
  hloir_builder_add(builder, "twice", "add", NULL, operands, 2, NULL);
  hloir_error* error = NULL;
  hloir_module* module = hloir_builder_finish(builder, &error);
  ExpectGood(module, error);
  EXPECT(hloir_module_instruction_count(module) == 2);
  EXPECT(Is(hloir_instruction_name(hloir_computation_root(hloir_module_entry(module))), "twice"));
  hloir_module_free(module);
  hloir_builder_add(builder, "wrong", "add", "f32[4]", operands, 1, NULL);
  EXPECT(hloir_builder_finish(builder, &error) == NULL && error != NULL && hloir_error_line(error) > 0);
  hloir_error_free(error);
  hloir_builder_free(builder);
}

static void CheckWalking(const hloir_module* module) {
  EXPECT(Is(hloir_module_name(module), "m"));
  EXPECT(hloir_module_computation_count(module) == 2);
  EXPECT(Is(hloir_computation_name(hloir_module_computation(module, 0)), "sum"));
  EXPECT(hloir_module_computation(module, 2) == NULL);
  const hloir_computation* entry = hloir_module_entry(module);
  size_t count = 0, edges = 0;
  for (const hloir_instruction* i = hloir_computation_first(entry); i != NULL; i = hloir_instruction_next(i)) {
    ++count;
    EXPECT(hloir_instruction_parent(i) == entry && hloir_instruction_id(i) >= 0);
    for (size_t k = 0; k < hloir_instruction_user_count(i); ++k, ++edges) {
      const hloir_instruction* user = hloir_instruction_user(i, k);
      bool found = false;
      for (size_t o = 0; o < hloir_instruction_operand_count(user); ++o)
        found = found || hloir_instruction_operand(user, o) == i;
      EXPECT(found);
    }
  }
  EXPECT(count == 6 && edges == 5);
  EXPECT(hloir_computation_parameter_count(entry) == 1);
  EXPECT(Is(hloir_instruction_opcode(hloir_computation_parameter(entry, 0)), "parameter"));

  const hloir_instruction* root = hloir_computation_root(entry);
  EXPECT(hloir_instruction_called_count(root) == 1);
  EXPECT(hloir_instruction_called(root, 0) == hloir_module_computation(module, 0));
  char* text = hloir_instruction_shape(root);
  EXPECT(strcmp(text, "f32[2]{0}") == 0);
  hloir_free(text);
  text = hloir_instruction_attribute(root, "dimensions");
  EXPECT(text != NULL && strcmp(text, "{1}") == 0);
  hloir_free(text);
  text = hloir_instruction_attribute(root, "metadata");
  EXPECT(text != NULL && strcmp(text, "{op_name=\"f, g\"}") == 0);
  hloir_free(text);
  EXPECT(hloir_instruction_attribute(root, "dimension") == NULL);
  text = hloir_instruction_attributes(root);
  EXPECT(strcmp(text, "dimensions={1}, to_apply=sum, metadata={op_name=\"f, g\"}") == 0);
  hloir_free(text);
  text = hloir_instruction_attributes(hloir_computation_parameter(entry, 0));
  EXPECT(strcmp(text, "") == 0);
  hloir_free(text);
}

static hloir_module* Optimized(const hloir_module* module) {
  hloir_error* error = NULL;
  hloir_rewrites* rewrites = hloir_dry_run(module, "algebraic-simplifier", HLOIR_MATH_EXACT, &error);
  ExpectGood(rewrites, error);
  EXPECT(hloir_rewrites_count(rewrites) >= 1);
  const hloir_rewrite first = hloir_rewrites_get(rewrites, 0);
  EXPECT(Is(first.pass, "algebraic-simplifier") && first.id.size > 0 && first.before.size > 0);
  char id[256];
  EXPECT(first.id.size < sizeof id);
  memcpy(id, first.id.data, first.id.size);
  id[first.id.size] = 0;
  hloir_module* taken = hloir_module_clone(module, &error);
  ExpectGood(taken, error);
  const char* const ids[] = {id};
  size_t count = 0;
  EXPECT(hloir_take(taken, "algebraic-simplifier", HLOIR_MATH_EXACT, ids, 1, &count, &error) && count == 1);
  hloir_rewrites_free(rewrites);
  hloir_module_free(taken);

  hloir_module* optimized = hloir_module_clone(module, &error);
  ExpectGood(optimized, error);
  EXPECT(hloir_optimize(optimized, NULL, HLOIR_MATH_EXACT, &error));
  EXPECT(hloir_verify(optimized, &error));
  EXPECT(!hloir_optimize(optimized, "no-such-pass", HLOIR_MATH_EXACT, &error) && error != NULL);
  hloir_error_free(error);
  return optimized;
}

static void CheckRunning(const hloir_module* module) {
  hloir_error* error = NULL;
  const hloir_prepare_options options = {.size = sizeof options, .threads = 1};
  hloir_executable* executable = hloir_prepare(module, &options, &error);
  ExpectGood(executable, error);
  EXPECT(hloir_executable_input_count(executable) == 1 && hloir_executable_output_count(executable) == 1);
  EXPECT(hloir_executable_input_size(executable, 0) == 24 && hloir_executable_output_size(executable, 0) == 8);
  char* shape = hloir_executable_input_shape(executable, 0);
  EXPECT(strcmp(shape, "f32[2,3]{1,0}") == 0);
  hloir_free(shape);
  float x[6] = {1, 2, 3, 4, 5, 6}, sums[2] = {0, 0};
  const hloir_buffer input = {x, sizeof x}, output = {sums, sizeof sums};
  for (int round = 0; round < 2; ++round) {
    EXPECT(hloir_run(executable, &input, 1, &output, 1, &error));
    EXPECT(sums[0] == 6 && sums[1] == 15);
    sums[0] = sums[1] = 0;
  }
  const hloir_buffer small = {x, 8};
  EXPECT(!hloir_run(executable, &small, 1, &output, 1, &error) && hloir_error_code(error) == HLOIR_INVALID_ARGUMENT);
  hloir_error_free(error);
  hloir_executable_free(executable);
}

static const char* Halve(void* user_data, const hloir_instruction* call, const hloir_buffer* operands,
                         size_t operand_count, const hloir_buffer* results, size_t result_count) {
  EXPECT(operand_count == 1 && result_count == 1 && operands[0].size == 8 && results[0].size == 8);
  char* index = hloir_instruction_attribute(call, "backend_config");
  EXPECT(index != NULL && strstr(index, "index = 3") != NULL);
  hloir_free(index);
  const float *x = operands[0].data, most = 100;
  float* y = results[0].data;
  if (x[0] > most) return "too large";
  for (int i = 0; i < 2; ++i) y[i] = x[i] / 2;
  ++*(int*)user_data;
  return NULL;
}

static void CheckCallbacks(void) {
  const char* text =
      "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[2] custom-call(x), "
      "custom_call_target=\"xla_ffi_python_cpu_callback\", api_version=API_VERSION_TYPED_FFI, "
      "backend_config={index = 3 : ui64}\n  ROOT z = f32[2] add(x, y)\n}\n";
  hloir_error* error = NULL;
  hloir_module* module = hloir_parse(text, strlen(text), "callback.hlo", &error);
  ExpectGood(module, error);
  int calls = 0;
  const hloir_custom_call given = {"xla_ffi_python_cpu_callback", Halve, &calls};
  const hloir_prepare_options options = {
      .size = sizeof options, .threads = 1, .custom_calls = &given, .custom_call_count = 1};
  hloir_executable* executable = hloir_prepare(module, &options, &error);
  ExpectGood(executable, error);
  float x[2] = {2, 6}, z[2] = {0, 0};
  const hloir_buffer input = {x, sizeof x}, output = {z, sizeof z};
  EXPECT(hloir_run(executable, &input, 1, &output, 1, &error));
  EXPECT(z[0] == 3 && z[1] == 9 && calls == 1);
  x[0] = 101;
  EXPECT(!hloir_run(executable, &input, 1, &output, 1, &error));
  EXPECT(strstr(hloir_error_message(error), "too large") != NULL && calls == 1);
  hloir_error_free(error);
  error = NULL;
  hloir_executable_free(executable);
  /* Without a function: refused by name. A caller of before there were functions has a smaller struct. */
  const hloir_prepare_options before = {.size = offsetof(hloir_prepare_options, custom_calls), .threads = 1};
  executable = hloir_prepare(module, &before, &error);
  ExpectGood(executable, error);
  EXPECT(!hloir_run(executable, &input, 1, &output, 1, &error) && hloir_error_code(error) == HLOIR_UNIMPLEMENTED);
  EXPECT(strstr(hloir_error_message(error), "xla_ffi_python_cpu_callback") != NULL);
  hloir_error_free(error);
  hloir_executable_free(executable);
  hloir_module_free(module);
}

static void CheckVerdict(const hloir_module* module, const hloir_module* optimized) {
  hloir_error* error = NULL;
  hloir_verdict* verdict = hloir_check(module, optimized, NULL, &error);
  ExpectGood(verdict, error);
  EXPECT(hloir_verdict_agrees(verdict) && hloir_verdict_text(verdict).size > 0);
  hloir_verdict_free(verdict);
  /* Another sum. */
  char text[sizeof kText];
  memcpy(text, kText, sizeof kText);
  memcpy(strstr(text, "constant(0)"), "constant(7)", 11);
  hloir_module* other = hloir_parse(text, strlen(text), NULL, &error);
  ExpectGood(other, error);
  verdict = hloir_check(module, other, NULL, &error);
  ExpectGood(verdict, error);
  EXPECT(!hloir_verdict_agrees(verdict) && hloir_verdict_differing(verdict) > 0);
  hloir_verdict_free(verdict);
  hloir_module_free(other);
}

int main(void) {
  EXPECT(strcmp(hloir_version(), "0.1.0") == 0);
  CheckErrors();
  CheckBuilding();
  hloir_error* error = NULL;
  hloir_module* module = hloir_parse(kText, strlen(kText), NULL, &error);
  ExpectGood(module, error);
  CheckWalking(module);
  hloir_module* optimized = Optimized(module);
  CheckRunning(module);
  CheckRunning(optimized);
  CheckCallbacks();
  CheckVerdict(module, optimized);
  char* printed = hloir_print(optimized, HLOIR_PRINT_READABLE, &error);
  ExpectGood(printed, error);
  puts(printed);
  hloir_free(printed);
  hloir_module_free(optimized);
  hloir_module_free(module);
  return 0;
}
