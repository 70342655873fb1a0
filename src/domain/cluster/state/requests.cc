#include "domain/cluster/state/requests.h"

namespace gp {

const AnsweredRequest* RequestStore::Find(const std::string& key, Instant at) const {
  const auto found = answered.find(key);
  const bool counts = found != answered.end() && at <= found->second.at + kRequestsKept;
  return counts ? &found->second : nullptr;
}

void RequestStore::Remember(const std::string& key, const AnsweredRequest& request) {
  const auto [known, is_new] = answered.try_emplace(key, request);
  if (!is_new) by_time.erase({known->second.at, key});
  known->second = request;
  by_time.insert({request.at, key});
  while (by_time.size() > kRequestsMax || by_time.begin()->first + kRequestsKept < request.at) {
    answered.erase(by_time.begin()->second);
    by_time.erase(by_time.begin());
  }
}

std::string AnsweredKey(const std::string& principal, const std::string& request_id) {
  return principal + "\n" + request_id;
}

}  // namespace gp
