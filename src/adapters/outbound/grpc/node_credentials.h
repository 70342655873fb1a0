#pragma once

// With what an agent proves to its controller which node it is: the join token, where the way is
// not encrypted; else a certificate of the node, which it gets by the join token and renews before
// it ends.  All calls are for any thread.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "adapters/outbound/grpc/channel.h"
#include "base/result.h"
#include "ports/outbound/clock.h"

namespace gp {

class NodeCredentials {
 public:
  struct Options {
    std::string address;  // of the controller
    std::string join_token;
    // The certificate of the controller's (PEM); empty: the way there is not encrypted
    std::string authority;
    std::string node;  // its name
  };
  // Where the identity is kept from one start of the agent to the next.
  struct Storage {
    std::function<Result<Identity>()> read;  // kNotFound: there is none yet
    std::function<Status(const Identity&)> write;
  };

  NodeCredentials(Options options, Storage storage, Clock& clock)
      : options_(std::move(options)), storage_(std::move(storage)), clock_(clock) {}
  ~NodeCredentials();

  // Brings the certificate that is kept, or a new one, and renews it from then on; once, before the
  // others. kUnavailable: none is kept, and the controller does not answer.  kUnauthenticated,
  // kConflict: it gives none.
  Status Open();

  const std::string& address() const { return options_.address; }
  const std::string& join_token() const { return options_.join_token; }
  ChannelSecurity Security() const;

 private:
  Result<Identity> Ask(const Identity& shown) const;
  Status Renew(const Identity& shown);
  void KeepRenewing();
  // False: it ends.
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
