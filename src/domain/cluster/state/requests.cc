#include "domain/cluster/state/requests.h"

namespace gp {

const AnsweredRequest* RequestStore::Find(const std::string& key) const {
  const auto found = answered.find(key);
  return found == answered.end() ? nullptr : &found->second;
}

void RequestStore::Remember(const std::string& key, const AnsweredRequest& request) {
  answered.insert_or_assign(key, request);
  by_time.insert({request.at, key});
  while (by_time.size() > kRequestsMax || by_time.begin()->first + kRequestsKept < request.at) {
    answered.erase(by_time.begin()->second);
    by_time.erase(by_time.begin());
  }
}

std::string AnsweredKey(const std::string& principal, const std::string& request_id) {
  return principal + "/" + request_id;
}

}  // namespace gp
