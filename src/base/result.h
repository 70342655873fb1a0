#pragma once

// Result<T>: a value or an Error.  Nothing in base, domain, ports or application throws.
//
//   Result<Plan> Load(...) {
//     const std::string text = GP_TRY(ReadFile(path));   // returns the error of ReadFile
//     ...

#include <expected>
#include <utility>

#include "base/error.h"

namespace gp {

template <typename T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

inline Status Ok() { return {}; }
inline std::unexpected<Error> Fail(Error error) { return std::unexpected<Error>(std::move(error)); }

}  // namespace gp

// The value of a Result expression, or a return of its error from the enclosing function.
#define GP_TRY(expression)                                                               \
  __extension__({                                                                        \
    auto gp_try_result = (expression);                                                   \
    if (!gp_try_result.has_value()) return ::gp::Fail(std::move(gp_try_result).error()); \
    std::move(gp_try_result).value();                                                    \
  })

// The same for a Status, which has no value.
#define GP_CHECK_OK(expression)                                                          \
  do {                                                                                   \
    auto gp_try_status = (expression);                                                   \
    if (!gp_try_status.has_value()) return ::gp::Fail(std::move(gp_try_status).error()); \
  } while (false)
