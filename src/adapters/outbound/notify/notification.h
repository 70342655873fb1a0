#pragma once

// Notifications: events that are sent to receivers outside, and the rules that select the
// receivers.

#include <optional>
#include <string>
#include <vector>

#include "adapters/wire/event_line.h"
#include "base/time.h"
#include "domain/cluster/state/state.h"
#include "ports/outbound/metric_store.h"
#include "ports/outbound/notify_config.h"

namespace gp {

// The newest value of a metric that a job reports.
struct NewestValue {
  int attempt = 0;
  int rank = 0;
  MetricPoint point;
};

struct Notification {
  std::string id;  // stays the same when the same event is sent again
  Instant at;
  EventLine line;
  struct Metrics {
    bool is_last = false;  // the job has ended
    std::vector<NewestValue> values;
  };
  std::optional<Metrics> metrics = std::nullopt;  // of kJobMetrics
};

const char* Name(NotifyWay way);
// The receiver's address for operators; for a webhook only the host, because its path may be a
// secret.
std::string PlaceOf(const Receiver& receiver);

// The receiver's filter as text: equal texts mean equal filters.
std::string WishOf(const Receiver& receiver);

bool IsWanted(const Receiver& receiver, const EventLine& line);

// Whether the job that the line is about requests that this receiver is notified.
bool IsAskedFor(const State& state, const Receiver& receiver, const EventLine& line);

// The text for people: "job ended: job-7 name=train user=ana state=FAILED exit_code=3".
std::string Sentence(const EventLine& line);

// The body that receivers get: {"id", "type", "timestamp", "level", "text", "data": {…}} in one
// line.
std::string ToJson(const Notification& notification);

}  // namespace gp
