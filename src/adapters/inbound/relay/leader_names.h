#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "lib/sockets/event_loop.h"
#include "lib/sockets/socket_address.h"

namespace gp {

// What the names of leaders stand for.  One thread looks a name up for all connections that ask
// meanwhile, and what it found counts for some seconds: clients may come by the hundred.  IP
// addresses need no thread.  On the loop's thread.
class LeaderNames {
 public:
  using Addresses = Result<std::vector<SocketAddress>>;
  using Found = std::function<void(const Addresses&)>;
  using AskServers = std::function<Addresses(const HostPort&)>;

  // The loop outlives it.  `ask_servers`: called on a thread of its own, which may outlive both.
  explicit LeaderNames(
      EventLoop& loop,
      AskServers ask_servers = [](const HostPort& name) { return LookUp(name, false); });

  // `found` is called once: at once where the address is known, else on the loop.  Errors as of
  // LookUp and SplitAddress.
  void Find(const std::string& address, Found found);

 private:
  class Question;
  struct Known {
    std::vector<SocketAddress> addresses;
    std::chrono::steady_clock::time_point until;
  };

  void Ask(const std::string& address, const HostPort& name, Found found);

  EventLoop& loop_;
  const AskServers ask_servers_;
  std::map<std::string, Known> known_;
  std::map<std::string, std::shared_ptr<Question>> asked_;
};

}  // namespace gp
