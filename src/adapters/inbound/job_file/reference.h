#pragma once

// Texts about the job file for people, made from the tables that the decoder itself runs on.

#include <optional>
#include <string>
#include <string_view>

namespace gp {

// docs/reference/job_file.md and docs/reference/error_codes.md.
std::string JobFileReference();
std::string ErrorCodeReference();

// For `explain job.resources.gpus` (or job alone) and `explain error GP1007`; nullopt: no such.
std::optional<std::string> ExplainField(std::string_view path);
std::optional<std::string> ExplainCode(std::string_view code);

}  // namespace gp
