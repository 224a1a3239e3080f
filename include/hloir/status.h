// Status and StatusOr<T>: the results of functions that can fail, spelled as absl's. The library never throws, prints
// or exits; the caller handles the error. Only an error of the calling program itself, such as reading the value of a
// failed StatusOr, ends the process, with a message (detail/check.h).
//
// Threads: a Status or StatusOr is a value; each thread uses its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hloir/detail/check.h"

#pragma GCC visibility push(default)
namespace hloir {

enum class StatusCode {
  kOk,
  kInvalidArgument,    // the input is wrong; the command exits with 2
  kUnimplemented,      // legal HLO that hloir does not support; exit 3
  kResourceExhausted,  // over a limit of depth, size or memory; exit 3
  kCancelled,          // the caller asked to stop
  kInternal,           // a bug of ours; exit 70
  kDeadlineExceeded,   // a run exceeds its limit of steps; exit 3
};

// "ok", "invalid argument", "resource exhausted", …
constexpr std::string_view StatusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk: return "ok";
    case StatusCode::kInvalidArgument: return "invalid argument";
    case StatusCode::kUnimplemented: return "unimplemented";
    case StatusCode::kResourceExhausted: return "resource exhausted";
    case StatusCode::kCancelled: return "cancelled";
    case StatusCode::kInternal: return "internal";
    case StatusCode::kDeadlineExceeded: return "deadline exceeded";
  }
  return "unknown";
}

// Success, or a code and a message.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}
  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }
  // "ok", or "invalid argument: MESSAGE"
  std::string ToString() const {
    std::string text(StatusCodeName(code_));
    return ok() ? text : text + ": " + message_;
  }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

inline Status OkStatus() { return {}; }
inline Status InvalidArgument(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }
inline Status Unimplemented(std::string message) { return {StatusCode::kUnimplemented, std::move(message)}; }
inline Status ResourceExhausted(std::string message) { return {StatusCode::kResourceExhausted, std::move(message)}; }
inline Status DeadlineExceeded(std::string message) { return {StatusCode::kDeadlineExceeded, std::move(message)}; }
inline Status Cancelled(std::string message) { return {StatusCode::kCancelled, std::move(message)}; }
inline Status Internal(std::string message) { return {StatusCode::kInternal, std::move(message)}; }

// A T, or an error. Reading the value of an error, or reading it again after a move, ends the process with the error's
// message: test ok() first.
template <class T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(Status status) : status_(std::move(status)) {
    HLOIR_CHECK(!status_.ok(), "a StatusOr without a value needs an error");
  }
  StatusOr(T value) : value_(std::move(value)) {}
  template <class U>
  requires(std::is_convertible_v<U&&, T> && !std::is_same_v<std::decay_t<U>, T> &&
           !std::is_same_v<std::decay_t<U>, Status> && !std::is_same_v<std::decay_t<U>, StatusOr>) StatusOr(U&& value)
      : value_(std::forward<U>(value)) {}
  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & { return Check(), *value_; }
  const T& value() const& { return Check(), *value_; }
  T&& value() && { return Check(), *std::move(value_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  void Check() const { HLOIR_CHECK(value_.has_value(), status_.message().c_str()); }

  Status status_;
  std::optional<T> value_;
};

}  // namespace hloir
#pragma GCC visibility pop

#define HLOIR_CONCAT_IMPL(a, b) a##b
#define HLOIR_CONCAT(a, b) HLOIR_CONCAT_IMPL(a, b)
// Leaves the function with the error, if there is one.
#define HLOIR_RETURN_IF_ERROR(expr)                                                     \
  do {                                                                                  \
    if (::hloir::Status hloir_status = (expr); !hloir_status.ok()) return hloir_status; \
  } while (false)
// HLOIR_ASSIGN_OR_RETURN(auto x, F()): x is F's value, or the function returns F's error.
#define HLOIR_ASSIGN_OR_RETURN(lhs, expr) \
  HLOIR_ASSIGN_OR_RETURN_IMPL(HLOIR_CONCAT(hloir_status_or_, __LINE__), lhs, expr)
#define HLOIR_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr) \
  auto tmp = (expr);                                \
  if (!tmp.ok()) return tmp.status();               \
  lhs = std::move(tmp).value()
