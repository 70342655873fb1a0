#pragma once

// What went wrong, told to whoever has to act on it.  A code says what the *caller* can do about
// it; the message says what happened, where, and what would mend it.

#include <string>
#include <string_view>
#include <utility>

namespace gp {

enum class ErrorCode {
  kInvalidArgument,    // the request is wrong in itself: mend it
  kNotFound,           // the thing named does not exist
  kConflict,           // the thing is in a state that forbids this now
  kPermissionDenied,   // the caller may not do this
  kUnauthenticated,    // the caller did not prove who it is
  kResourceExhausted,  // a quota or limit is used up
  kUnavailable,        // try again later; nothing was changed
  kDeadlineExceeded,   // the caller's own time limit ran out
  kUnsupported,        // this machine, driver or build cannot do it
  kInternal,           // a bug or a broken world: nothing the caller can do
};

// "invalid-argument", "not-found" …: stable names for logs and machine-readable output.
std::string_view ErrorCodeName(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;

  // The same error with "context: " before its message, added on the way up.
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
