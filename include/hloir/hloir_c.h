/* hloir from C, and from whatever calls C: parse, print, verify, build, walk, optimize, prepare, run, check. C11.
 *
 * Handles are opaque. What a function named …_new, _parse, _read, _clone, _finish, _prepare, _check, _dry_run or a
 * `char*` returns is the caller's, to be freed by the …_free of its type (`char*`: hloir_free); computations and
 * instructions belong to their module and stay until it is freed or changed (optimized). An hloir_text looks into what
 * it was asked of, is not terminated by a 0, and stays as long.
 *
 * A function that can fail takes `hloir_error** error` last, which may be NULL. On failure it returns NULL or false
 * and makes *error an error to be freed by hloir_error_free; on success it leaves *error alone. No exception leaves a
 * function. NULL where something must be given is HLOIR_INVALID_ARGUMENT; functions that cannot fail answer 0, NULL or
 * an empty text for a NULL handle, and the …_free functions do nothing. A handle that was freed is not recognized.
 *
 * Threads: functions that take const handles may be called on one handle from several threads at once; the others, and
 * the …_free functions, need the handle for themselves. Different handles never share state. hloir_run refuses an
 * executable that is running already.
 *
 * An ABI: within one SONAME (libhloir.so.0.1) nothing here changes or goes; structs that callers fill begin with their
 * size, so that they can grow. Implemented in src/c_api; tested by tests/install/c and tests/install/ctypes. */
#ifndef HLOIR_HLOIR_C_H_
#define HLOIR_HLOIR_C_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
/* Enums have the underlying type int in C++: a value without an enumerator, which a C program may pass, is refused. */
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

/* Text that belongs to the object it was asked of; not ended by a zero. */
typedef struct hloir_text {
  const char* data;
  size_t size;
} hloir_text;

/* "0.1.0" */
const char* hloir_version(void);
/* Frees a char* of this library. */
void hloir_free(char* text);
/* From now on the process gets no more than `bytes` of memory for its data, all threads together (Linux's RLIMIT_DATA);
 * 0: no limit of hloir's. What needs more ends as HLOIR_RESOURCE_EXHAUSTED. For programs that read files of strangers;
 * the hloir command sets 768 MB and 64 times the size of its files. */
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
/* Terminated by a 0; stays as long as the error. Of a parse error: its place, the source line and a caret as well. */
const char* hloir_error_message(const hloir_error* error);
/* Where in the text the error is, from 1; 0 where there is no place. */
int64_t hloir_error_line(const hloir_error* error);
int64_t hloir_error_column(const hloir_error* error);
void hloir_error_free(hloir_error* error);

/* ---- Modules ---- */

/* HLO text of one module. `name` stands in messages for a file's; it may be NULL. */
hloir_module* hloir_parse(const char* text, size_t size, const char* name, hloir_error** error);
/* The module in a file of any form: text, XLA's messages, their JSON, each also gzipped. */
hloir_module* hloir_read(const char* path, hloir_error** error);
/* To a file, in the form that its name says: .hlo, .txt, .pb or .json, each also with .gz. */
bool hloir_write(const hloir_module* module, const char* path, hloir_error** error);
hloir_module* hloir_module_clone(const hloir_module* module, hloir_error** error);
void hloir_module_free(hloir_module* module);

typedef enum hloir_style HLOIR_ANY_INT {
  HLOIR_PRINT_READABLE = 0, /* as `hloir opt` writes: all that the module says */
  HLOIR_PRINT_XLA = 1,      /* byte for byte as XLA's default; large constants as {...} */
  HLOIR_PRINT_SHORT = 2,
  HLOIR_PRINT_CANONICAL = 3,
  HLOIR_PRINT_FINGERPRINT = 4 /* without names: equal for modules that are the same but for these */
} hloir_style;
char* hloir_print(const hloir_module* module, hloir_style style, hloir_error** error);
/* Is it legal HLO? If not, the error says the first thing wrong. */
bool hloir_verify(const hloir_module* module, hloir_error** error);

/* ---- Building ----
 *
 * A module from its parts, computation by computation, callees before their callers and the entry last. What HLO text
 * says, the strings say in the same way; a name is [A-Za-z_][A-Za-z0-9_.-]*, perhaps with a % before it, and a string
 * that holds more than its part of an instruction is an error. Errors come from hloir_builder_finish. */

hloir_builder* hloir_builder_new(const char* module_name);
/* Begins a computation; the module's last one is its entry. */
void hloir_builder_computation(hloir_builder* builder, const char* name);
/* Adds an instruction to it; the last one added is its root. `shape` is "f32[2,3]", or NULL where the opcode, operands
 * and attributes tell it. `operands` are names of instructions added before, of a parameter its number, of a constant
 * its value. `attributes` is "dimensions={0}, to_apply=sum", or NULL. */
void hloir_builder_add(hloir_builder* builder, const char* name, const char* opcode, const char* shape,
                       const char* const* operands, size_t operand_count, const char* attributes);
/* The module, verified. The builder stays as it is, to be freed. */
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
/* Dense and unique within the module: an index for arrays of one's own. */
int32_t hloir_instruction_id(const hloir_instruction* instruction);
const hloir_computation* hloir_instruction_parent(const hloir_instruction* instruction);
size_t hloir_instruction_operand_count(const hloir_instruction* instruction);
const hloir_instruction* hloir_instruction_operand(const hloir_instruction* instruction, size_t i);
/* Each user once, however many of its operands this is. */
size_t hloir_instruction_user_count(const hloir_instruction* instruction);
const hloir_instruction* hloir_instruction_user(const hloir_instruction* instruction, size_t i);
size_t hloir_instruction_called_count(const hloir_instruction* instruction);
const hloir_computation* hloir_instruction_called(const hloir_instruction* instruction, size_t i);
/* "f32[2,3]{1,0}" */
char* hloir_instruction_shape(const hloir_instruction* instruction);
/* As text has them, "dimensions={0}, metadata={op_name=\"f\"}"; "" for none. */
char* hloir_instruction_attributes(const hloir_instruction* instruction);
/* The value of one of these, "{0}"; NULL if the instruction has none of that name (that is not an error). */
char* hloir_instruction_attribute(const hloir_instruction* instruction, const char* name);
/* One line of HLO text. */
char* hloir_instruction_print(const hloir_instruction* instruction);

/* ---- Optimizing ---- */

typedef enum hloir_math HLOIR_ANY_INT {
  HLOIR_MATH_EXACT = 0, /* no bit of a result changes */
  HLOIR_MATH_ROUNDING = 1,
  HLOIR_MATH_FAST = 2
} hloir_math;

/* Runs passes, "dce,[cse,dce],fusion{multi-output=false}", or, for NULL, what `hloir opt` runs. After an error the
 * module is legal, but may be half optimized. */
bool hloir_optimize(hloir_module* module, const char* passes, hloir_math math, hloir_error** error);
/* What these passes could rewrite, each opportunity with its id; the module stays as it is. */
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
/* Makes the opportunities with these ids and no others. One that is not there any more when its pass comes to it (an
 * earlier one took it away) is left out: *taken, if it is not NULL, is how many were made. */
bool hloir_take(hloir_module* module, const char* passes, hloir_math math, const char* const* ids, size_t id_count,
                size_t* taken, hloir_error** error);

/* ---- Running ---- */

/* Memory of the caller's. */
typedef struct hloir_buffer {
  void* data;
  size_t size; /* in bytes */
} hloir_buffer;

/* What custom-calls of a target compute, a host callback for one. `call` is the instruction, of which there may be
 * several: its name and its attribute "backend_config" tell them apart. Operands are read, results written: the array
 * leaves of each, tuples taken apart, in row-major order, types under a byte one byte an element; results begin as
 * zeros. `call` and the buffers stay until the function returns. NULL if all is well, else what is wrong, which ends
 * the run with an error; it is copied at once. No exception may leave it, and it must not use the executable that calls
 * it.
 *
 * Threads: it may be called in another thread than hloir_run's, in the order in which the module is computed, never two
 * at once for one executable, and only while hloir_run runs. */
typedef const char* (*hloir_callback)(void* user_data, const hloir_instruction* call, const hloir_buffer* operands,
                                      size_t operand_count, const hloir_buffer* results, size_t result_count);
/* A target and its function. */
typedef struct hloir_custom_call {
  const char* target; /* "xla_ffi_python_cpu_callback", copied; comes before what hloir knows of a target */
  hloir_callback function;
  void* user_data; /* handed to the function as it is; must stay as long as the executable is run */
} hloir_custom_call;

/* How hloir_prepare prepares. */
typedef struct hloir_prepare_options {
  size_t size;     /* sizeof(hloir_prepare_options) */
  int threads;     /* 0: as many as the machine has */
  const char* isa; /* NULL: the best that the machine has */
  /* Without a function a host callback is refused when it is run, by name. */
  const hloir_custom_call* custom_calls;
  size_t custom_call_count;
} hloir_prepare_options;
/* Prepares the module (a copy of it) to be run often. `options` may be NULL. */
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

/* Runs it once, on the buffers where they are: nothing is copied. They stay the caller's; inputs are only read, outputs
 * written. Each must have its size, be aligned as its elements are, and overlap no output. */
bool hloir_run(hloir_executable* executable, const hloir_buffer* inputs, size_t input_count,
               const hloir_buffer* outputs, size_t output_count, hloir_error** error);
void hloir_executable_free(hloir_executable* executable);

/* ---- Checking ---- */

/* How hloir_check compares. */
typedef struct hloir_check_options {
  size_t size;   /* sizeof(hloir_check_options) */
  uint64_t seed; /* of the inputs, which are made up */
  bool exact;    /* nothing but the same bits will do */
} hloir_check_options;
/* Do the two compute the same? An error means that there is no verdict. `options` may be NULL. */
hloir_verdict* hloir_check(const hloir_module* before, const hloir_module* after, const hloir_check_options* options,
                           hloir_error** error);
bool hloir_verdict_agrees(const hloir_verdict* verdict);
/* The strongest statement that holds of the two modules: check.h, docs/accuracy.md. */
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
/* Why results that are not the same agree, separated by commas: "signed-zero, ill-conditioned". */
hloir_text hloir_verdict_explanations(const hloir_verdict* verdict);
/* They agree only where nothing overflows. */
bool hloir_verdict_finite_only(const hloir_verdict* verdict);
/* "agree, bit for bit", or what differs; as `hloir verify` says it. */
hloir_text hloir_verdict_text(const hloir_verdict* verdict);
/* Of all results: elements that differ, and the largest difference over the largest magnitude. */
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
