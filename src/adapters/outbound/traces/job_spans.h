#pragma once

// The life of a job as spans: the job, below it its waiting and its attempts
// (docs/reference/traces.md).

#include <string>
#include <vector>

#include "adapters/outbound/traces/span.h"
#include "domain/cluster/state.h"

namespace gp {

// Whose child a span is, by W3C's header `traceparent`.
struct TraceParent {
  std::string trace;
  std::string span;
};
// "00-TRACE-SPAN-FLAGS"; nullopt: it is none.
std::optional<TraceParent> ParseTraceParent(std::string_view text);

// Of a job that is over.  Its trace is the one that TRACEPARENT in its environment names, or one of
// its own: the same whenever it is told again.  Arguments and other variables are not in it.
std::vector<Span> SpansOf(const State& state, const Job& job);

}  // namespace gp
