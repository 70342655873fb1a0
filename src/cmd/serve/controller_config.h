#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/inbound/grpc/server.h"
#include "adapters/outbound/traces/trace_exporter.h"
#include "adapters/wire/event_line.h"
#include "base/time.h"
#include "cmd/agent/agent_config.h"

namespace gp {

// Where the controller listens besides its Unix sockets, and how these connections are encrypted.
struct ListenConfig {
  std::string grpc;                // "127.0.0.1:7070"; empty: no TCP
  std::string http;                // "127.0.0.1:8080"; empty: no TCP
  bool tls = false;                // on loopback too
  std::vector<std::string> names;  // more host names of the controller, for its certificate
  Duration node_certificates = Duration::Minutes(60 * 24 * 90);  // lifetime

  // Connections that leave this machine are encrypted, without exception.
  bool IsEncrypted(const std::string& address) const;
};

// The policy of the scheduler: a file, and what overrides it.
struct PolicyConfig {
  std::string file;  // empty: none
  Duration lease_time = Duration::Seconds(10);
  std::optional<Duration> min_run;  // nullopt: the policy's
};

// All settings of a controller, parsed and checked, except the files that it reads again on
// request.
struct ControllerConfig {
  std::string state_directory;
  std::string run_directory;
  bool ephemeral = false;  // nothing is kept on disk
  bool keep_sound_prefix = false;
  Duration keep_journal;  // older records may be dropped; 0: none may
  ListenConfig listen;
  PolicyConfig policy;
  std::string notify;                // a file with receivers; empty: none
  std::optional<WebAddress> traces;  // a collector
  std::optional<LogFormat> log;      // nullopt: events are not logged
  bool starts_agent = true;
  std::string simulate;   // "dgx-h100:2": simulated nodes instead of this machine; empty: none
  bool is_light = false;  // simulated nodes are played: they start no processes
  AgentConfig agent;      // of this machine, or of each simulated node
};

}  // namespace gp
