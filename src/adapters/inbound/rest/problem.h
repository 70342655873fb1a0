#pragma once

// Errors as RFC 9457 problems.

#include <span>
#include <string>

#include "adapters/inbound/rest/http.h"
#include "adapters/wire/from_document.h"
#include "base/error.h"

namespace gp {

HttpReply ProblemOf(const Error& error, std::span<const FieldError> fields = {});
// A status of HTTP's own, for which there is no error of ours: 405, 413, 415 …
HttpReply ProblemWithStatus(int status, const std::string& detail);

}  // namespace gp
