// Graph to text, byte for byte as XLA prints it. The options have the names of XLA's HloPrintOptions.
//
// Threads: may be called from any thread while none edits the module.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// Options of the printer; the names are those of XLA's HloPrintOptions.
struct PrintOptions {
  enum class SubcomputationMode { kOff, kNameOnly, kFullBodies, kNonSequentialBodies };
  int print_operand_index_annotation_interval = 5;
  SubcomputationMode print_subcomputation_mode = SubcomputationMode::kNameOnly;
  int indent_amount = 0;
  bool print_large_constants = false;
  bool print_only_essential_constants = false;
  bool print_original_value = true;
  bool print_metadata = true;
  bool print_metadata_only_op_name = false;
  // Also the metadata of instructions that were merged into this one, in a comment after metadata={…}, which every
  // reader skips.
  bool print_merged_metadata = false;
  bool print_backend_config = true;
  bool print_infeed_outfeed_config = true;
  bool compact_operands = false;
  bool include_layout_in_shapes = true;
  bool print_result_shape = true;
  bool print_operand_shape = false;
  bool print_operand_names = true;
  bool print_program_shape = true;
  bool print_percent = true;
  bool print_control_dependencies = true;
  bool canonicalize_instruction_names = false;
  bool canonicalize_computations = false;
  bool print_ids = true;
  bool print_extra_attributes = true;
  bool syntax_sugar_async_ops = true;
  bool print_frontend_attributes = true;
  bool print_name_after_closing_brace = false;
  bool print_full_replica_group_list = false;
  bool print_parameter_number = true;
  bool print_channel_id = true;
  bool print_inline_stack_frames = false;
  bool compact_gte = false;
  // Text that XLA prints but cannot read back is printed in another form: the modules in origin_recovery_table as
  // strings with escapes, async ops in full if `op-start` would be lossy or mean another op, every computation before
  // its callers, and -0 as -0.0, because XLA reads -0 as 0.
  bool reads_back = false;

  static PrintOptions Default() { return {}; }
  static PrintOptions Readable();  // for files: reads_back, and constants whole
  static PrintOptions ShortParsable();
  static PrintOptions Canonical();
  static PrintOptions Fingerprint();
};

std::string PrintModule(const HloModule& module, const PrintOptions& options = {});
// Takes the next piece of a text. After an error it is not called again.
using WriteText = std::function<Status(std::string_view piece)>;
// The same text, piece by piece, so that it is never in memory as a whole; returns the status of `write`.
Status PrintModule(const HloModule& module, const PrintOptions& options, const WriteText& write);
std::string PrintComputation(const HloComputation& computation, const PrintOptions& options = {});
std::string PrintInstruction(const HloInstruction& instruction, const PrintOptions& options = {});
// The attributes as text: {"dimensions", "{0}"}, {"metadata", "{op_name=\"f\"}"}, …
std::vector<std::pair<std::string, std::string>> PrintAttributes(const HloInstruction& instruction);
std::string PrintSharding(const Sharding& sharding);
std::string PrintReplicaGroups(const ReplicaGroups& groups);
std::string PrintWindow(const Window& window);
std::string PrintConvDimensionNumbers(const ConvDimensionNumbers& dims);

}  // namespace hloir
#pragma GCC visibility pop
