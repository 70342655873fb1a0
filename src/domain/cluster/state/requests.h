#pragma once

// The changes of users that were answered, so that a repeated request changes nothing.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/fields.h"
#include "base/time.h"

namespace gp {

// A request is remembered for this time, or until kRequestsMax newer ones were answered.
inline constexpr Duration kRequestsKept = Duration::Minutes(24 * 60);
inline constexpr size_t kRequestsMax = 20'000;

struct AnsweredRequest {
  uint64_t digest = 0;  // of the operation and its request, without the request id
  Instant at;
};
GP_FIELDS(AnsweredRequest, v.digest, v.at)

// `answered` are values; `by_time` follows from them.
struct RequestStore {
  std::map<std::string, AnsweredRequest> answered;  // by AnsweredKey
  std::set<std::pair<Instant, std::string>> by_time;

  // nullptr: not answered, or too long ago.
  const AnsweredRequest* Find(const std::string& key, Instant at) const;
  // Adds a request, and forgets those that are too old or too many.
  void Remember(const std::string& key, const AnsweredRequest& request);
};

// Ids of different principals ("user:ana") never collide: neither contains a line break.
std::string AnsweredKey(const std::string& principal, const std::string& request_id);

}  // namespace gp
