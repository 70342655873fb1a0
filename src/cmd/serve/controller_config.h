#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/inbound/grpc/server.h"
#include "adapters/wire/event_line.h"
#include "base/time.h"
#include "cmd/agent/agent_config.h"
#include "cmd/settings/settings_layers.h"
#include "domain/cluster/codec/format.h"
#include "domain/cluster/policy.h"
#include "ports/outbound/notify_config.h"

namespace gp {

// Where the controller listens besides its Unix sockets, and how these connections are encrypted.
struct ListenConfig {
  std::string grpc;                // "127.0.0.1:7070"; empty: no TCP
  std::string http;                // "127.0.0.1:8080"; empty: no TCP
  std::string reads;               // for reads that may be old, of one of several; empty: none
  bool tls = false;                // on loopback too
  std::vector<std::string> names;  // more host names of the controller, for its certificate
  Duration node_certificates = Duration::Minutes(60 * 24 * 90);  // lifetime
  bool single_use_joins = false;  // the join token of the cluster gets no node a certificate

  // Connections that leave this machine are encrypted, without exception.
  bool IsEncrypted(const std::string& address) const;
};

// How a controller shares its log with others.
struct SharingConfig {
  std::string store;                // "etcd:https://e1:2379,…"; empty: it is the only controller
  std::string cluster = "default";  // several clusters may use one store
  std::string name;                 // of this controller in the cluster; empty: the host's
  std::string advertise;  // host under which others reach it; empty: where it listens, or its name
  // Files; empty: none
  std::string authority_file;
  std::string certificate_file;
  std::string key_file;
  std::string user;
  std::string password_file;
  bool compacts = true;              // the store serves nobody else
  int64_t quota = int64_t{2} << 30;  // of the store, in bytes
};

// Where the journal is copied to all the time (docs/disaster_recovery.md).
struct ArchiveConfig {
  std::string url;  // "s3://bucket/prefix", "file:///directory"; empty: there is no archive
  // Files; empty: none
  std::string credentials_file;
  std::string key_file;
  Duration every = Duration::Milliseconds(500);
  Duration keep = Duration::Minutes(60L * 24 * 7);
  Duration verify_every = Duration::Minutes(60L * 24);  // 0: never by itself
};

// All settings of a controller, parsed and checked.
struct ControllerConfig {
  std::string profile;  // empty: none
  std::string state_directory;
  std::string run_directory;
  bool ephemeral = false;  // nothing is kept on disk
  bool keep_sound_prefix = false;
  FormatRange formats;    // of records, that it reads and writes
  Duration keep_journal;  // older records may be dropped; 0: none may
  ListenConfig listen;
  SharingConfig sharing;
  ArchiveConfig archive;
  std::string policy_file;             // empty: none
  Policy policy;                       // with what the settings change
  std::string notify_file;             // empty: none
  std::optional<NotifyConfig> notify;  // nullopt: nobody is notified
  std::string traces;                  // URL of a collector; empty: none
  std::optional<LogFormat> log;        // nullopt: events are not logged
  bool starts_agent = true;
  std::string simulate;   // "dgx-h100:2": simulated nodes instead of this machine; empty: none
  bool is_light = false;  // simulated nodes are played: they start no processes
  AgentConfig agent;      // of this machine, or of each simulated node

  SettingsSources sources;            // read again on request
  std::vector<SettingValue> values;   // each setting, with its origin
  std::vector<std::string> files;     // that were read, lowest first
  std::vector<std::string> warnings;  // what was ignored
};

}  // namespace gp
