#pragma once

// Documentation of the job file for users, generated from the tables that the decoder uses.

#include <optional>
#include <string>
#include <string_view>

namespace gp {

// The texts of docs/reference/job_file.md and docs/reference/error_codes.md.
std::string JobFileReference();
std::string ErrorCodeReference();

// For `explain job.resources.gpus` (or job alone) and `explain error GP1007`; nullopt: there is
// none.
std::optional<std::string> ExplainField(std::string_view path);
std::optional<std::string> ExplainCode(std::string_view code);

}  // namespace gp
