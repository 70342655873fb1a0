#pragma once

// The ways by which a notification reaches its receiver.

#include <string>

#include "adapters/outbound/notify/notification.h"
#include "base/result.h"

namespace gp {

// How the id, the time and the signature of a webhook are sent: by the names of
// standardwebhooks.com.
struct WebhookSignature {
  std::string id;
  std::string timestamp;  // seconds since 1970
  std::string signature;  // "v1,BASE64"; empty: nothing signs it
};

// The key of a secret file: "whsec_" and 24 to 64 bytes as base64.  kInvalidArgument: it is none,
// or others may read it. No part of the secret is in any message.
Result<std::string> ReadWebhookKey(const std::string& path);

// What would keep this receiver from being told, as far as that can be known here; empty: nothing.
std::string ProblemOf(const Receiver& receiver);

WebhookSignature Sign(const std::string& key, const std::string& id, Instant at,
                      const std::string& body);

// `body`: of ToJson.  Tries once.  kUnavailable: later it may succeed; every other error: it never
// will. `stop_fd`: readable when it is to be given up.
Status Deliver(const NotifyConfig& config, const Receiver& receiver, const std::string& body,
               Instant now, int stop_fd);

}  // namespace gp
