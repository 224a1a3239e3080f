// Common parts of the verifier: the list of errors, and one function per group of rules, each in its own file.
// verifier.cc has the entry point; tests/unit/verifier_test.cc and tests/verifier_errors/ cover the rules.
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
  // Adds an error about `instruction`, or about the module for nullptr.
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

// The graph is consistent: a precondition of the other groups. structure.cc
void VerifyStructure(const HloModule& module, Errors& errors);
// Each instruction's stated shape equals the inferred one: a precondition of the groups below. shapes.cc
bool VerifyShape(const HloInstruction& instruction, const VerifierOptions& options, Errors& errors);
// The layout of an array of `instruction` names each dimension once. shapes.cc
void VerifyLayout(const HloInstruction* instruction, const Shape& shape, Errors& errors);
// Fusion bodies, calls, execution threads, aliasing of operands and results. calls.cc
void VerifyCalls(const HloInstruction& instruction, Errors& errors);
// Replica groups, source-target pairs, and the resulting sizes. collectives.cc
void VerifyCollective(const HloInstruction& instruction, Errors& errors);
// Starts and dones in pairs. async.cc
void VerifyAsyncPair(const HloInstruction& instruction, Errors& errors);
void VerifyAsyncChains(const HloModule& module, Errors& errors);
// The instructions of each channel. channels.cc
void VerifyChannels(const HloModule& module, Errors& errors);
// Values of type `b(…)`: memory with one valid name at a time. buffers.cc
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
// The main thread is "" or its name.
inline std::string_view ThreadName(std::string_view thread) { return thread.empty() ? "main" : thread; }

}  // namespace hloir::verifier
