#pragma once

// Notifications: events that are sent to receivers outside, and the rules that select the
// receivers.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/wire/event_line.h"
#include "base/time.h"
#include "domain/cluster/state.h"

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
  bool jobs_may_name = false;  // jobs may request that it is notified of them
  bool operator==(const Receiver&) const = default;
};

// Placeholder in a recipient for the user of the job that the mail is about.
inline constexpr std::string_view kUserMark = "{user}";

struct NotifyConfig {
  bool operator==(const NotifyConfig&) const = default;
  std::vector<Receiver> receivers;
  std::string sendmail = "/usr/sbin/sendmail";
  std::string mail_from;  // empty: sendmail's default
};

struct Notification {
  std::string id;  // stays the same when the same event is sent again
  Instant at;
  EventLine line;
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
