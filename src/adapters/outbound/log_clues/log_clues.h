#pragma once

// What the end of a failed program's output tells of why it failed.

#include <string>
#include <string_view>
#include <vector>

#include "domain/model/end_class.h"
#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/log_reader.h"

namespace gp {

inline constexpr int64_t kClueBytes = 1 << 20;  // of each stream, from its end

// `patterns`: of LogRules, in their order; one that is no expression matches nothing.
LogClues FindClues(std::string_view output, const std::vector<std::string>& patterns);

// Of both streams of the attempt; what cannot be read tells nothing.
LogClues FindClues(LogReader& logs, const LaunchSpec& launch);

}  // namespace gp
