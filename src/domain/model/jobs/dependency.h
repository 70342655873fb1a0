#pragma once

// What a job may wait for, as text: "job-3", "job-4:ended".

#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/model/jobs/job_spec.h"

namespace gp {

// As users write it: "ok".
const char* Name(AfterKind kind);
std::string ToText(const Dependency& dependency);

// kInvalidArgument: the message lists the valid forms.
Result<Dependency> ParseDependency(std::string_view text);
Result<AfterKind> ParseAfterKind(std::string_view text);  // empty: kOk

}  // namespace gp
