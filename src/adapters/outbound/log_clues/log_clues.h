#pragma once

// Clues about why a program failed, found at the end of its output.

#include <string>
#include <string_view>
#include <vector>

#include "domain/model/jobs/end_class.h"
#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/log_reader.h"

namespace gp {

inline constexpr int64_t kClueBytes = 1 << 20;  // of each stream, from its end

// `patterns`: of LogRules, in their order; an invalid regular expression matches nothing.
LogClues FindClues(std::string_view output, const std::vector<std::string>& patterns);

// Searches both streams of the attempt; a stream that cannot be read gives no clues.
LogClues FindClues(LogReader& logs, const LaunchSpec& launch);

}  // namespace gp
