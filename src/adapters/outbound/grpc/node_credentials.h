#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "adapters/outbound/grpc/channel.h"
#include "base/result.h"
#include "ports/outbound/clock.h"

namespace gp {

// The credentials by which an agent authenticates as its node: the join token on an unencrypted
// connection; otherwise a certificate of the node, which it obtains with the join token and renews
// before it expires.  All calls are for any thread.
class NodeCredentials {
 public:
  struct Options {
    std::vector<std::string> addresses;  // where controllers may be; not empty
    std::string join_token;
    // CA certificate of the controller (PEM); empty: the connection is not encrypted
    std::string authority;
    std::string node;  // node name
  };
  // Where the identity is stored across restarts of the agent.
  struct Storage {
    std::function<Result<Identity>()> read;  // kNotFound: none is stored yet
    std::function<Status(const Identity&)> write;
  };

  NodeCredentials(Options options, Storage storage, Clock& clock)
      : options_(std::move(options)), storage_(std::move(storage)), clock_(clock) {}
  ~NodeCredentials();

  // Loads the stored certificate or obtains a new one, and renews it from then on.  Call it once,
  // before the others. kUnavailable: none is stored, and the controller does not answer.
  // kUnauthenticated, kConflict: the controller refuses to issue one.
  Status Open();

  const std::vector<std::string>& addresses() const { return options_.addresses; }
  const std::string& join_token() const { return options_.join_token; }
  ChannelSecurity Security() const;

 private:
  Result<Identity> Ask(const Identity& shown) const;
  Result<Identity> AskAt(const std::string& address, const Identity& shown) const;
  Status Renew(const Identity& shown);
  void KeepRenewing();
  // False: the object is being destroyed.
  bool Rest(std::chrono::nanoseconds time);

  const Options options_;
  const Storage storage_;
  Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  Identity identity_;
  std::thread renewer_;
};

}  // namespace gp
