#pragma once

// The life of a job as spans: the job is the parent of its waits and its attempts
// (docs/reference/traces.md).

#include <string>
#include <vector>

#include "adapters/outbound/traces/span.h"
#include "domain/cluster/state/state.h"

namespace gp {

// The parent of a span, from the W3C header `traceparent`.
struct TraceParent {
  std::string trace;
  std::string span;
};
// Parses "00-TRACE-SPAN-FLAGS"; nullopt: not a valid header.
std::optional<TraceParent> ParseTraceParent(std::string_view text);

// The spans of a job that has ended.  The trace id is the one in TRACEPARENT of the job's
// environment, or else is derived from the job, so that a repeated export gives the same ids.
// Spans contain no arguments and no other variables.
std::vector<Span> SpansOf(const State& state, const Job& job);

}  // namespace gp
