#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace gp {

// Agents that are played against a running controller: each sends its heartbeats, every second one
// with readings, and every tenth time a report beside it.
// One whose connection ends connects again.
struct AgentsOptions {
  std::vector<std::string> addresses;  // "unix:…/control.sock" or "host:port", of each controller
  std::string join_token;
  std::string authority;  // certificate of the controller's (PEM), for TLS; empty: without
  int agents = 1'000;
  int gpus_per_node = 8;
  Duration jobs_last;                      // a job's run time
  Duration lasts = Duration::Seconds(20);  // from when all have joined
};

struct AgentsResult {
  int joined = 0;
  double joined_s = 0;             // until the last one has joined
  int64_t heartbeat_every_ms = 0;  // the controller's period
  uint64_t messages = 0;           // heartbeats and reports
  uint64_t answers = 0;
  double answer_p50_ms = 0;
  double answer_p99_ms = 0;
  double answer_max_ms = 0;
  std::map<std::string, int> ended;  // connections that ended meanwhile, by reason
  // From when the first connection ended until all had joined again; 0: none ended, or not all did
  double rejoined_s = 0;
};

// Returns when the time is over; it begins when all have joined, at the latest after two minutes.
// Errors: kUnavailable (the controller issues no certificate).
Result<AgentsResult> RunAgents(const AgentsOptions& options);

}  // namespace gp
