#pragma once

// An OpenTelemetry span: a named interval of time within a trace.

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"

namespace gp {

using SpanValue = std::variant<std::string, int64_t, bool, std::vector<std::string>>;
using SpanAttributes = std::vector<std::pair<std::string, SpanValue>>;

struct SpanEvent {
  Instant at;
  std::string name;
  SpanAttributes attributes;
};

struct Span {
  std::string trace;   // 32 hexadecimal digits
  std::string id;      // 16
  std::string parent;  // 16; empty: none
  std::string name;
  Instant begin;
  Instant end;
  SpanAttributes attributes;
  std::vector<SpanEvent> events;
  bool is_error = false;
  std::string message;  // of the error
};

// The body of a request to a collector: OTLP over HTTP, as JSON.
std::string ToOtlp(const std::vector<Span>& spans, const std::string& version);

}  // namespace gp
