#pragma once

// Delivery of a notification to its receiver, by each of the ways.

#include <string>

#include "adapters/outbound/notify/notification.h"
#include "base/result.h"

namespace gp {

// The id, time and signature of a webhook, as standardwebhooks.com defines them.
struct WebhookSignature {
  std::string id;
  std::string timestamp;  // seconds since 1970
  std::string signature;  // "v1,BASE64"; empty: not signed
};

// Reads the key from a secret file: "whsec_" and 24 to 64 bytes as base64. kInvalidArgument: it is
// not a key, or others may read the file.  No message contains a part of the secret.
Result<std::string> ReadWebhookKey(const std::string& path);

// The problem that would prevent delivery to this receiver, as far as it can be detected here;
// empty: none.
std::string ProblemOf(const Receiver& receiver);

WebhookSignature Sign(const std::string& key, const std::string& id, Instant at,
                      const std::string& body);

// Tries once to deliver `body`, from ToJson. kUnavailable: a later try may succeed; any other error
// is permanent.  `stop_fd`: readable when the try must be abandoned.
Status Deliver(const NotifyConfig& config, const Receiver& receiver, const std::string& body,
               Instant now, int stop_fd);

}  // namespace gp
