// The objects behind the handles of hloir_c.h, and Guarded(), the wrapper of functions that can fail: it turns a Status
// or an exception into an hloir_error. Not for use outside src/c_api. Tested by tests/install.
#pragma once

#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "hloir/hloir_c.h"
#include "hloir/module.h"
#include "hloir/status.h"

struct hloir_error {
  hloir_code code;
  std::string message;
  int64_t line = 0, column = 0;
};

struct hloir_module {
  std::unique_ptr<hloir::HloModule> module;
};

namespace hloir::c_api {

void SetError(hloir_error** error, const Status& status);

// Calls `body`, which returns a StatusOr<Result>; on an error, a Status or an exception, reports it and returns
// Result{}.
template <class Result, class Body>
Result Guarded(hloir_error** error, Body body) noexcept {
  try {
    StatusOr<Result> result = body();
    if (result.ok()) return *std::move(result);
    SetError(error, result.status());
  } catch (const std::bad_alloc&) {
    SetError(error, ResourceExhausted("out of memory"));
  } catch (const std::exception& exception) {
    SetError(error, Internal(exception.what()));
  } catch (...) {
    SetError(error, Internal("an unknown exception"));
  }
  return Result{};
}

// A copy that hloir_free frees.
inline char* NewText(std::string_view text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}
// Returns the result of `make`, for functions that fail only without memory: then NULL.
template <class Make>
char* NewTextOf(Make make) noexcept {
  try {
    return NewText(make());
  } catch (...) {
    return nullptr;
  }
}

// InvalidArgument if any of these is NULL: Given({{"path", path}}).
inline Status Given(std::initializer_list<std::pair<const char*, const void*>> pointers) {
  for (const auto& [name, pointer] : pointers)
    if (pointer == nullptr) return InvalidArgument(std::string(name) + " is NULL");
  return OkStatus();
}

inline hloir_text Text(std::string_view text) { return {text.data(), text.size()}; }
inline hloir_module* NewModule(std::unique_ptr<HloModule> module) { return new hloir_module{std::move(module)}; }

// Graph handles are the graph's own objects.
inline const hloir_computation* Handle(const HloComputation* computation) {
  return reinterpret_cast<const hloir_computation*>(computation);
}
inline const hloir_instruction* Handle(const HloInstruction* instruction) {
  return reinterpret_cast<const hloir_instruction*>(instruction);
}
inline const HloComputation& Of(const hloir_computation* handle) {
  return *reinterpret_cast<const HloComputation*>(handle);
}
inline const HloInstruction& Of(const hloir_instruction* handle) {
  return *reinterpret_cast<const HloInstruction*>(handle);
}

}  // namespace hloir::c_api
