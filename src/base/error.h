#pragma once

// Errors.  The code says what the *caller* can do; the message says what happened, where, and how
// to fix it.

#include <string>
#include <string_view>
#include <utility>

namespace gp {

enum class ErrorCode {
  kInvalidArgument,    // the request itself is wrong: correct it
  kNotFound,           // the named object does not exist
  kConflict,           // the present state of the object forbids this
  kPermissionDenied,   // the caller may not do this
  kUnauthenticated,    // the caller did not prove its identity
  kResourceExhausted,  // a quota or limit is used up
  kUnavailable,        // try again later; nothing was changed
  kDeadlineExceeded,   // the caller's own time limit ran out
  kUnsupported,        // this machine, driver or build cannot do it
  kInternal,           // a bug or a broken host: the caller can do nothing
};

// "invalid-argument", "not-found" …: stable names for logs and machine-readable output.
std::string_view ErrorCodeName(ErrorCode code);

// A code and a message for people.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;

  // The same error with "context: " before its message; callers add it.
  Error Within(std::string_view context) const;

  bool operator==(const Error&) const = default;
};

inline Error InvalidArgument(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}
inline Error NotFound(std::string message) { return {ErrorCode::kNotFound, std::move(message)}; }
inline Error Conflict(std::string message) { return {ErrorCode::kConflict, std::move(message)}; }
inline Error PermissionDenied(std::string message) {
  return {ErrorCode::kPermissionDenied, std::move(message)};
}
inline Error Unauthenticated(std::string message) {
  return {ErrorCode::kUnauthenticated, std::move(message)};
}
inline Error Unavailable(std::string message) {
  return {ErrorCode::kUnavailable, std::move(message)};
}
inline Error Unsupported(std::string message) {
  return {ErrorCode::kUnsupported, std::move(message)};
}
inline Error Internal(std::string message) { return {ErrorCode::kInternal, std::move(message)}; }

}  // namespace gp
