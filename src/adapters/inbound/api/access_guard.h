#pragma once

// Knows callers by what they show, and what was granted to them, without asking the writer each
// time.  All calls are for any thread.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "adapters/inbound/api/caller.h"
#include "adapters/inbound/api/refusals.h"
#include "base/result.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

// Root, and whom the controller runs as.
bool IsSuperuser(const User& user);

class AccessGuard : public CommitObserver {
 public:
  explicit AccessGuard(ControlGateway& gateway) : gateway_(gateway), refusals_(gateway) {}

  // The kernel has said who it is.
  Result<Caller> ByKernel(User user, std::string from);
  // `secret` as it was told when the token was issued.  kUnauthenticated: it is none, or is over.
  Result<Caller> BySecret(std::string_view secret, std::string from);

  // kUnauthenticated: this certificate is none of the node's, or was revoked.
  Status CheckNode(const std::string& node, std::string_view fingerprint);
  // For the audit: whoever speaks from there was refused what it asked for.
  void NoteRefusal(const Origin& origin, std::string_view operation, const std::string& why) {
    refusals_.Note(origin, operation, why);
  }

  // Runs `answer` if the caller is known and may use the operation; writes down what is refused.
  Status Answer(const Result<Caller>& caller, const std::string& from, std::string_view operation,
                const std::function<Status(const Caller&)>& answer);

  void OnCommit(const State& state, const std::vector<Event>& events) override;

 private:
  struct View {
    Access access;
    std::map<std::string, TokenId, std::less<>> tokens;  // by the digest of their secrets
  };

  static Caller CallerOf(const std::shared_ptr<const View>& view, User user, std::string from);
  // As of the last commit.
  Result<std::shared_ptr<const View>> Look();
  void Take(const State& state);

  ControlGateway& gateway_;
  Refusals refusals_;
  std::mutex mutex_;
  std::shared_ptr<const View> view_;  // nullptr: nobody has asked yet
};

}  // namespace gp
