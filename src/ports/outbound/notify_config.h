#pragma once

// The receivers of notifications as the operator configures them: one adapter reads them from a
// file, another delivers to them.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace gp {

enum class NotifyWay { kWebhook, kExec, kMail };

struct Receiver {
  // Unique; also the name of the directory in which its notifications wait
  std::string name;
  // Names of events (docs/reference/event_log.md)
  std::set<std::string> on;
  std::map<std::string, std::set<std::string>> where;  // by field of the event: accepted values
  NotifyWay way = NotifyWay::kWebhook;
  std::string url;  // webhook
  // Webhook: file with the signing key; empty: not signed
  std::string secret_file;
  // Webhook: PEM file of CA certificates; empty: the host's
  std::string authorities;
  std::vector<std::string> command;  // exec
  // Mail; "{user}" in a recipient stands for the job's user
  std::vector<std::string> recipients;
  // With kJobMetrics in `on`: the least time between two reports of a running job
  Duration metrics_every = Duration::Seconds(60);
  bool jobs_may_name = false;  // jobs may request that it is notified of them
  bool operator==(const Receiver&) const = default;
};

// Values of a job's metrics: no event of the log, so a receiver names it in full.
inline constexpr std::string_view kJobMetrics = "job_metrics";

// Placeholder in a recipient for the user of the job that the mail is about.
inline constexpr std::string_view kUserMark = "{user}";

struct NotifyConfig {
  bool operator==(const NotifyConfig&) const = default;
  std::vector<Receiver> receivers;
  std::string sendmail = "/usr/sbin/sendmail";
  std::string mail_from;  // empty: sendmail's default
};

}  // namespace gp
