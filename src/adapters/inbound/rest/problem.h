#pragma once

// Errors as RFC 9457 problem details.

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "adapters/inbound/rest/http.h"
#include "adapters/wire/documents/from_document.h"
#include "base/error.h"

namespace gp {

// `example`: a body that the operation accepts, in place of the one that was sent.
HttpReply ProblemOf(const Error& error, std::span<const FieldError> fields = {},
                    const std::optional<nlohmann::ordered_json>& example = std::nullopt);
// For HTTP statuses without an error code of the project: 405, 413, 415 …
HttpReply ProblemWithStatus(int status, const std::string& detail);

}  // namespace gp
