#pragma once

// A notification: something that has happened and that somebody elsewhere wants to know; and the
// rules that say who.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/outbound/event_log/event_line.h"
#include "base/time.h"
#include "domain/cluster/state.h"

namespace gp {

enum class NotifyWay { kWebhook, kExec, kMail };

struct Receiver {
  // Unique; also that of the directory in which its notifications wait
  std::string name;
  // Names of events (docs/reference/event_log.md)
  std::set<std::string> on;
  std::map<std::string, std::set<std::string>> where;  // by field of the event: one of these
  NotifyWay way = NotifyWay::kWebhook;
  std::string url;  // webhook
  // Webhook: what signs it; empty: nothing does
  std::string secret_file;
  // Webhook: PEM file that vouches for the receiver; empty: the host's
  std::string authorities;
  std::vector<std::string> command;  // exec
  // Mail; "{user}" in one stands for the job's user
  std::vector<std::string> recipients;
  bool jobs_may_name = false;  // jobs may ask that it hears of them
  bool operator==(const Receiver&) const = default;
};

// Stands in a mail's address for the user of the job that it tells of.
inline constexpr std::string_view kUserMark = "{user}";

struct NotifyConfig {
  bool operator==(const NotifyConfig&) const = default;
  std::vector<Receiver> receivers;
  std::string sendmail = "/usr/sbin/sendmail";
  std::string mail_from;  // empty: sendmail's own choice
};

struct Notification {
  std::string id;  // the same whenever the same is told again
  Instant at;
  EventLine line;
};

const char* Name(NotifyWay way);
// Where it is told, for persons: of a webhook the host alone, as its path may be a secret.
std::string PlaceOf(const Receiver& receiver);

// Of which events it is told, in words that are the same as long as that is.
std::string WishOf(const Receiver& receiver);

bool IsWanted(const Receiver& receiver, const EventLine& line);

// Whether the job that the line tells of asks that this receiver hears of it.
bool IsAskedFor(const State& state, const Receiver& receiver, const EventLine& line);

// For persons: "job ended: job-7 name=train user=ana state=FAILED exit_code=3".
std::string Sentence(const EventLine& line);

// What receivers are sent: {"id", "type", "timestamp", "level", "text", "data": {…}} in one line.
std::string ToJson(const Notification& notification);

}  // namespace gp
