// Prints the fuzzer's dictionary: every opcode, attribute, enumerated word and element type of the tables, and the
// grammar's own words.
#include <cstdio>
#include <initializer_list>

int main() {
#define HLOIR_OP(name, text, ...) std::printf("\"%s(\"\n", text);
#include "hloir/opcodes.def"
#undef HLOIR_OP
#define HLOIR_STRUCT(type)
#define HLOIR_FIELD(ctype, name, default_value, rule) std::printf("\", %s=\"\n", #name);
#define HLOIR_END(type)
#include "hloir/attributes.def"
#undef HLOIR_STRUCT
#undef HLOIR_FIELD
#undef HLOIR_END
#define HLOIR_ENUM(type)
#define HLOIR_VALUE(name, text) std::printf("\"%s \"\n", text);
#define HLOIR_ENUM_END(type)
#include "hloir/enums.def"
#undef HLOIR_ENUM
#undef HLOIR_VALUE
#undef HLOIR_ENUM_END
#define HLOIR_TYPE(name, text, ...) std::printf("\"%s[\"\n", text);
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
  for (const char* word : {"HloModule ",
                           "ENTRY ",
                           "ROOT ",
                           ", to_apply=",
                           ", calls=",
                           ", condition=",
                           ", body=",
                           ", branch_computations={",
                           ", true_computation=",
                           ", false_computation=",
                           ", select=",
                           ", scatter=",
                           ", called_computations={",
                           ", control-predecessors={",
                           ", sharding={",
                           ", metadata={",
                           ", origin={",
                           ", backend_config={",
                           ", statistics={",
                           ", frontend_attributes={",
                           ", result_accuracy={",
                           ", is_scheduled=true",
                           ", input_output_alias={",
                           ", entry_computation_layout={",
                           "devices=[",
                           "<=[",
                           "last_tile_dims={",
                           "mesh['x'=2]",
                           "maximal device=",
                           "token[]",
                           "opaque[]",
                           "b(",
                           "{...}",
                           "nan(0x1)",
                           "-inf",
                           "/*",
                           "*/",
                           "// -----",
                           "#0",
                           "->",
                           "<=",
                           "-start(",
                           "-update(",
                           "-done(",
                           "{1,0:T(8,128)",
                           "SC(0:1)",
                           "FileNames",
                           "StackFrames",
                           "FileLocations",
                           "FunctionNames"}) {
    std::printf("\"%s\"\n", word);
  }
}
