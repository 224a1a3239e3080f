/* The C interface of hloir: parse, print, verify, build, walk, optimize, prepare, run, check. C11.
 *
 * Handles are opaque. The caller owns the results of functions named …_new, _parse, _read, _clone, _finish, _prepare,
 * _check and _dry_run, and each returned `char*`, and frees them by the …_free of their type (`char*`: hloir_free).
 * Computations and instructions belong to their module and are valid until it is freed or changed (optimized). An
 * hloir_text points into the object from which it was obtained, is valid as long as the object, and is not terminated
 * by a 0.
 *
 * A function that can fail takes `hloir_error** error` last, which may be NULL. On failure it returns NULL or false and
 * makes *error an error to be freed by hloir_error_free; on success it leaves *error alone. No exception leaves a
 * function. NULL for a required argument is HLOIR_INVALID_ARGUMENT; functions that cannot fail return 0, NULL or an
 * empty text for a NULL handle, and the …_free functions do nothing. Using a freed handle is undefined.
 *
 * Threads: functions that take const handles may be called concurrently on one handle; the others, and the …_free
 * functions, need exclusive access to the handle. Different handles share no state. hloir_run fails for an executable
 * that is running already.
 *
 * ABI: within one SONAME (libhloir.so.0.1) no declaration here changes or is removed; structs that callers fill begin
 * with their size, so that they can grow. Source: src/c_api; tests: tests/install/c and tests/install/ctypes. */
#ifndef HLOIR_HLOIR_C_H_
#define HLOIR_HLOIR_C_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
/* Enums have the underlying type int in C++: a value without an enumerator, which a C program may pass, is an error. */
#ifdef __cplusplus
#define HLOIR_ANY_INT : int
extern "C" {
#else
#define HLOIR_ANY_INT
#endif

typedef struct hloir_error hloir_error;
typedef struct hloir_module hloir_module;
typedef struct hloir_computation hloir_computation;
typedef struct hloir_instruction hloir_instruction;
typedef struct hloir_builder hloir_builder;
typedef struct hloir_rewrites hloir_rewrites;
typedef struct hloir_executable hloir_executable;
typedef struct hloir_verdict hloir_verdict;

/* Text owned by the object from which it was obtained; not terminated by a 0. */
typedef struct hloir_text {
  const char* data;
  size_t size;
} hloir_text;

/* "0.1.0" */
const char* hloir_version(void);
/* Frees a char* of this library. */
void hloir_free(char* text);
/* Limits the data of the process to `bytes`, for all threads together (Linux's RLIMIT_DATA); 0 removes hloir's limit. A
 * function that needs more fails with HLOIR_RESOURCE_EXHAUSTED. For programs that read untrusted files; the hloir
 * command sets 768 MB and 64 times the size of its files. */
bool hloir_limit_memory(uint64_t bytes, hloir_error** error);

/* ---- Errors ---- */

typedef enum hloir_code HLOIR_ANY_INT {
  HLOIR_INVALID_ARGUMENT = 1,   /* the input is wrong */
  HLOIR_UNIMPLEMENTED = 2,      /* legal HLO that hloir does not support */
  HLOIR_RESOURCE_EXHAUSTED = 3, /* over a limit, or out of memory */
  HLOIR_CANCELLED = 4,
  HLOIR_INTERNAL = 5,         /* a bug of hloir's */
  HLOIR_DEADLINE_EXCEEDED = 6 /* a run exceeds its limit of steps */
} hloir_code;

hloir_code hloir_error_code(const hloir_error* error);
/* Terminated by a 0; valid as long as the error. A parse error includes the location, the source line and a caret. */
const char* hloir_error_message(const hloir_error* error);
/* The location of the error in the text, from 1; 0 without a location. */
int64_t hloir_error_line(const hloir_error* error);
int64_t hloir_error_column(const hloir_error* error);
void hloir_error_free(hloir_error* error);

/* ---- Modules ---- */

/* HLO text of one module. `name` is the file name in messages; it may be NULL. */
hloir_module* hloir_parse(const char* text, size_t size, const char* name, hloir_error** error);
/* The module in a file of any form: text, XLA's messages, their JSON, each also gzipped. */
hloir_module* hloir_read(const char* path, hloir_error** error);
/* Writes a file in the form selected by its name: .hlo, .txt, .pb, .json or .mlir (StableHLO), each also with .gz. */
bool hloir_write(const hloir_module* module, const char* path, hloir_error** error);
hloir_module* hloir_module_clone(const hloir_module* module, hloir_error** error);
void hloir_module_free(hloir_module* module);

typedef enum hloir_style HLOIR_ANY_INT {
  HLOIR_PRINT_READABLE = 0, /* as `hloir opt` writes: all that the module says */
  HLOIR_PRINT_XLA = 1,      /* byte for byte as XLA's default; large constants as {...} */
  HLOIR_PRINT_SHORT = 2,
  HLOIR_PRINT_CANONICAL = 3,
  HLOIR_PRINT_FINGERPRINT = 4, /* without names: equal for modules that are the same but for these */
  HLOIR_PRINT_STABLEHLO = 5    /* StableHLO text; HLOIR_UNIMPLEMENTED for what StableHLO cannot express */
} hloir_style;
char* hloir_print(const hloir_module* module, hloir_style style, hloir_error** error);
/* Verifies that the module is legal HLO; the error describes the first violation. */
bool hloir_verify(const hloir_module* module, hloir_error** error);

/* ---- Building ----
 *
 * A module from its parts, computation by computation, callees before their callers and the entry last. The strings
 * have the syntax of HLO text; a name is [A-Za-z_][A-Za-z0-9_.-]*, optionally with a % before it. A string with more
 * than its part of an instruction is an error. Errors come from hloir_builder_finish. */

hloir_builder* hloir_builder_new(const char* module_name);
/* Begins a computation; the module's last one is its entry. */
void hloir_builder_computation(hloir_builder* builder, const char* name);
/* Adds an instruction to it; the last one added is its root. `shape` is "f32[2,3]", or NULL if opcode, operands and
 * attributes determine it. `operands` are names of instructions added before, a parameter's number, or a constant's
 * value. `attributes` is "dimensions={0}, to_apply=sum", or NULL. */
void hloir_builder_add(hloir_builder* builder, const char* name, const char* opcode, const char* shape,
                       const char* const* operands, size_t operand_count, const char* attributes);
/* Returns the module, verified. The builder is unchanged, and must be freed. */
hloir_module* hloir_builder_finish(const hloir_builder* builder, hloir_error** error);
void hloir_builder_free(hloir_builder* builder);

/* ---- Walking ---- */

hloir_text hloir_module_name(const hloir_module* module);
size_t hloir_module_instruction_count(const hloir_module* module);
size_t hloir_module_computation_count(const hloir_module* module);
/* In the order of the text, callees before callers. */
const hloir_computation* hloir_module_computation(const hloir_module* module, size_t i);
const hloir_computation* hloir_module_entry(const hloir_module* module);

hloir_text hloir_computation_name(const hloir_computation* computation);
size_t hloir_computation_parameter_count(const hloir_computation* computation);
const hloir_instruction* hloir_computation_parameter(const hloir_computation* computation, size_t i);
const hloir_instruction* hloir_computation_root(const hloir_computation* computation);
/* All instructions: from the first by hloir_instruction_next, until NULL. */
const hloir_instruction* hloir_computation_first(const hloir_computation* computation);
const hloir_instruction* hloir_instruction_next(const hloir_instruction* instruction);

hloir_text hloir_instruction_name(const hloir_instruction* instruction);
/* "get-tuple-element" */
hloir_text hloir_instruction_opcode(const hloir_instruction* instruction);
/* Dense and unique within the module: an index for the caller's arrays. */
int32_t hloir_instruction_id(const hloir_instruction* instruction);
const hloir_computation* hloir_instruction_parent(const hloir_instruction* instruction);
size_t hloir_instruction_operand_count(const hloir_instruction* instruction);
const hloir_instruction* hloir_instruction_operand(const hloir_instruction* instruction, size_t i);
/* Each user once, also if it uses this in several operands. */
size_t hloir_instruction_user_count(const hloir_instruction* instruction);
const hloir_instruction* hloir_instruction_user(const hloir_instruction* instruction, size_t i);
size_t hloir_instruction_called_count(const hloir_instruction* instruction);
const hloir_computation* hloir_instruction_called(const hloir_instruction* instruction, size_t i);
/* "f32[2,3]{1,0}" */
char* hloir_instruction_shape(const hloir_instruction* instruction);
/* As in HLO text: "dimensions={0}, metadata={op_name=\"f\"}"; "" for none. */
char* hloir_instruction_attributes(const hloir_instruction* instruction);
/* The value of one attribute, "{0}"; NULL if the instruction does not have it (not an error). */
char* hloir_instruction_attribute(const hloir_instruction* instruction, const char* name);
/* One line of HLO text. */
char* hloir_instruction_print(const hloir_instruction* instruction);

/* ---- Optimizing ---- */

typedef enum hloir_math HLOIR_ANY_INT {
  HLOIR_MATH_EXACT = 0, /* no bit of a result changes */
  HLOIR_MATH_ROUNDING = 1,
  HLOIR_MATH_FAST = 2
} hloir_math;

/* Runs passes, "dce,[cse,dce],fusion{multi-output=false}", or, for NULL, the pipeline of `hloir opt`. After an error
 * the module is legal, but may be half optimized. */
bool hloir_optimize(hloir_module* module, const char* passes, hloir_math math, hloir_error** error);
/* Lists the rewrites that these passes could make, each with its id; the module is unchanged. */
hloir_rewrites* hloir_dry_run(const hloir_module* module, const char* passes, hloir_math math, hloir_error** error);
size_t hloir_rewrites_count(const hloir_rewrites* rewrites);
/* One opportunity or one rewrite. */
typedef struct hloir_rewrite {
  hloir_text id;                  /* "algebraic-simplifier/add-zero@main/sum": the same in every run */
  hloir_text pass, rule, formula; /* formula: "A + 0 => A" */
  hloir_text computation, instruction;
  hloir_text before; /* what would go: HLO text, a line each */
  hloir_text reason; /* why it is sound, or why it pays; often empty */
  hloir_math math;
} hloir_rewrite;
hloir_rewrite hloir_rewrites_get(const hloir_rewrites* rewrites, size_t i);
void hloir_rewrites_free(hloir_rewrites* rewrites);
/* Makes only the rewrites with these ids. An id that is no longer applicable when its pass runs, because of an earlier
 * rewrite, is skipped: *taken, if it is not NULL, receives the number of rewrites made. */
bool hloir_take(hloir_module* module, const char* passes, hloir_math math, const char* const* ids, size_t id_count,
                size_t* taken, hloir_error** error);

/* ---- Running ---- */

/* Memory owned by the caller. */
typedef struct hloir_buffer {
  void* data;
  size_t size; /* in bytes */
} hloir_buffer;

/* Implements the custom-calls of a target, for example a host callback. `call` is the instruction; several calls of a
 * target differ in its name and its attribute "backend_config". Operands are read, results written: the array leaves of
 * each, tuples taken apart, in row-major order, types under a byte one byte an element; results begin as zeros. `call`
 * and the buffers are valid until the function returns. It returns NULL, or a message, which is copied at once and ends
 * the run with an error. It must not throw, and must not use the executable that calls it.
 *
 * Threads: it may be called in another thread than hloir_run's, in execution order, never concurrently for one
 * executable, and only during hloir_run. */
typedef const char* (*hloir_callback)(void* user_data, const hloir_instruction* call, const hloir_buffer* operands,
                                      size_t operand_count, const hloir_buffer* results, size_t result_count);
/* A target and its function. */
typedef struct hloir_custom_call {
  const char* target; /* "xla_ffi_python_cpu_callback", copied; comes before what hloir knows of a target */
  hloir_callback function;
  void* user_data; /* handed to the function as it is; must stay as long as the executable is run */
} hloir_custom_call;

/* Options of hloir_prepare. */
typedef struct hloir_prepare_options {
  size_t size;     /* sizeof(hloir_prepare_options) */
  int threads;     /* 0: as many as the machine has */
  const char* isa; /* NULL: the best that the machine has */
  /* Without a function, running a host callback is an error that names it. */
  const hloir_custom_call* custom_calls;
  size_t custom_call_count;
  const char* cache; /* a folder that keeps plans, so that preparing the module again takes less; NULL: none */
} hloir_prepare_options;
/* Prepares a copy of the module for repeated runs. `options` may be NULL. */
hloir_executable* hloir_prepare(const hloir_module* module, const hloir_prepare_options* options, hloir_error** error);
/* Inputs are the array leaves of the entry's parameters, tuples taken apart, and outputs those of its result. */
size_t hloir_executable_input_count(const hloir_executable* executable);
size_t hloir_executable_output_count(const hloir_executable* executable);
/* Bytes of a buffer. Elements are in row-major order whatever the layout; types under a byte take one each. */
size_t hloir_executable_input_size(const hloir_executable* executable, size_t i);
size_t hloir_executable_output_size(const hloir_executable* executable, size_t i);
/* "f32[2,3]{1,0}" */
char* hloir_executable_input_shape(const hloir_executable* executable, size_t i);
char* hloir_executable_output_shape(const hloir_executable* executable, size_t i);

/* Runs it once, on the caller's buffers, without copies. Inputs are only read, outputs are written. Each buffer must
 * have the required size, be aligned as its elements are, and overlap no output. */
bool hloir_run(hloir_executable* executable, const hloir_buffer* inputs, size_t input_count,
               const hloir_buffer* outputs, size_t output_count, hloir_error** error);
void hloir_executable_free(hloir_executable* executable);

/* ---- Checking ---- */

/* Options of hloir_check. */
typedef struct hloir_check_options {
  size_t size;   /* sizeof(hloir_check_options) */
  uint64_t seed; /* of the inputs, which are made up */
  bool exact;    /* nothing but the same bits will do */
} hloir_check_options;
/* Compares two modules. An error means that there is no verdict. `options` may be NULL. */
hloir_verdict* hloir_check(const hloir_module* before, const hloir_module* after, const hloir_check_options* options,
                           hloir_error** error);
bool hloir_verdict_agrees(const hloir_verdict* verdict);
/* The strongest property that holds for the two modules: check.h, docs/accuracy.md. */
typedef enum hloir_answer HLOIR_ANY_INT {
  HLOIR_PROVED_BITWISE = 0,  /* equal bits on every input, apart from which NaN */
  HLOIR_PROVED_REALS = 1,    /* the same function of the real numbers */
  HLOIR_PROVED_ASSUMING = 2, /* one of these, under assumptions that the text has */
  HLOIR_TESTED = 3,          /* they agree on all inputs that were run */
  HLOIR_LESS_ACCURATE = 4,   /* the second loses more digits than the first */
  HLOIR_DIFFERENT = 5,       /* there are inputs on which they differ */
  HLOIR_NOT_JUDGED = 6       /* none of these is known */
} hloir_answer;
hloir_answer hloir_verdict_answer(const hloir_verdict* verdict);
/* The explanations accepted for unequal results, separated by commas: "signed-zero, ill-conditioned". */
hloir_text hloir_verdict_explanations(const hloir_verdict* verdict);
/* True if they agree only without overflow. */
bool hloir_verdict_finite_only(const hloir_verdict* verdict);
/* "agree, bit for bit", or the difference, as `hloir verify` prints it. */
hloir_text hloir_verdict_text(const hloir_verdict* verdict);
/* Over all results: the number of different elements, and the largest difference relative to the largest magnitude. */
int64_t hloir_verdict_differing(const hloir_verdict* verdict);
double hloir_verdict_largest_relative(const hloir_verdict* verdict);
void hloir_verdict_free(hloir_verdict* verdict);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#endif
