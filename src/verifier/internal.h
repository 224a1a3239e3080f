// What the files of the verifier share: the list of errors that the rules fill, one function per theme of rules, each
// in a file of its own. verifier.cc has the one way in; tests/unit/verifier_test.cc and tests/verifier_errors/ cover
// the rules.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/format.h"
#include "hloir/verifier.h"

namespace hloir::verifier {

class Errors {
 public:
  explicit Errors(size_t limit) : limit_(limit) {}
  // Of `instruction`, or of the module as a whole for nullptr.
  template <class... Args>
  void Add(const HloInstruction* instruction, std::string_view format, const Args&... args) {
    if (!full()) list_.push_back({instruction, Format(format, args...)});
  }
  bool full() const { return list_.size() >= limit_; }
  bool empty() const { return list_.empty(); }
  std::vector<VerifierError>& list() { return list_; }

 private:
  size_t limit_;
  std::vector<VerifierError> list_;
};

// The graph hangs together: the other themes may walk it only if this found nothing. structure.cc
void VerifyStructure(const HloModule& module, Errors& errors);
// Each instruction's stated shape is the one its ingredients give. Where this is false, the themes below may not look.
// shapes.cc
bool VerifyShape(const HloInstruction& instruction, const VerifierOptions& options, Errors& errors);
// The layout of an array, which `instruction` has or names, names each dimension once. shapes.cc
void VerifyLayout(const HloInstruction* instruction, const Shape& shape, Errors& errors);
// Fusion bodies, calls, execution threads, aliasing of operands and results. calls.cc
void VerifyCalls(const HloInstruction& instruction, Errors& errors);
// Replica groups, source-target pairs, and the sizes they imply. collectives.cc
void VerifyCollective(const HloInstruction& instruction, Errors& errors);
// Starts and dones in pairs. async.cc
void VerifyAsyncPair(const HloInstruction& instruction, Errors& errors);
void VerifyAsyncChains(const HloModule& module, Errors& errors);
// What a channel's number joins. channels.cc
void VerifyChannels(const HloModule& module, Errors& errors);
// Values of type `b(…)`, memory of which one name at a time is good. buffers.cc
void VerifyBuffers(const HloModule& module, Errors& errors);
// `origin` against shapes. origin.cc
void VerifyOrigin(const HloInstruction& instruction, Errors& errors);
// Shardings against shapes and against one another. sharding.cc
void VerifySharding(const HloInstruction& instruction, Errors& errors);
// The module's header: entry layout, aliases, donors. header.cc
void VerifyHeader(const HloModule& module, Errors& errors);

inline std::string Text(const Shape& shape) { return shape.ToString(/*with_layout=*/false); }
inline std::string IndexText(const ShapeIndex& index) {
  std::string text = "{";
  for (size_t i = 0; i < index.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(index[i]);
  }
  return text + "}";
}
// Text says nothing for the main thread, or its name.
inline std::string_view ThreadName(std::string_view thread) { return thread.empty() ? "main" : thread; }

}  // namespace hloir::verifier
