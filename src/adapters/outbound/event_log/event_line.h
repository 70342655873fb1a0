#pragma once

// What has happened, as a line for people and for programs: of which job, on which node.  Arguments
// and environment of jobs are never in it.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state.h"

namespace gp {

enum class LogLevel { kInfo, kWarning, kError };
const char* Name(LogLevel level);

struct EventLine {
  using Value = std::variant<std::string, int64_t>;

  LogLevel level = LogLevel::kInfo;
  std::string event;  // "job_started": stable names, docs/reference/event_log.md
  std::vector<std::pair<std::string, Value>> fields;
};

// All that `event` may be, and all that fields are called; docs/reference/event_log.md tells of
// each.
std::span<const std::string_view> EventNames();
std::span<const std::string_view> EventFields();
// All that a field may be; empty: anything.
std::vector<std::string> EventValues(std::string_view field);

// Of a commit, in order; those that who reads logs is not told of have none.  `state` is the one
// after all of them.
std::vector<EventLine> LinesOf(const State& state, const std::vector<Event>& events);

enum class LogFormat { kText, kJson };
// With its line break; as text: "2026-11-24T10:00:00.000Z info job_started job=job-1 user=ana".
std::string ToText(const EventLine& line, Instant at, LogFormat format);

}  // namespace gp
