#pragma once

// An event as a line for people and programs, with its job and node.  It never contains arguments
// or the environment of jobs.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"
#include "ports/outbound/operator_log.h"

namespace gp {

const char* Name(LogLevel level);

struct EventLine {
  using Value = std::variant<std::string, int64_t>;

  LogLevel level = LogLevel::kInfo;
  std::string event;  // "job_started": stable names, docs/reference/event_log.md
  std::vector<std::pair<std::string, Value>> fields;
};

// All possible values of `event`, and all names of fields; docs/reference/event_log.md describes
// each.
std::span<const std::string_view> EventNames();
std::span<const std::string_view> EventFields();
// All possible values of a field; empty: any value.
std::vector<std::string> EventValues(std::string_view field);

// The lines for the events of a commit, in order; internal events have none.  `state` is the state
// after all of them.
std::vector<EventLine> LinesOf(const State& state, const std::vector<Event>& events);

enum class LogFormat { kText, kJson };
// Includes the line break; as text: "2026-11-24T10:00:00.000Z info job_started job=job-1 user=ana".
std::string ToText(const EventLine& line, Instant at, LogFormat format);

}  // namespace gp
