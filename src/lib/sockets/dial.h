#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"
#include "lib/sockets/socket_address.h"

namespace gp {

// Connects to "unix:PATH" or "HOST:PORT" without waiting: a thread looks up names, and the
// addresses of a name are tried one after another.  Not thread-safe.
class Dial {
 public:
  explicit Dial(const std::string& address);

  // What to poll, with which of epoll's events, before the next GoOn.
  int descriptor() const;
  uint32_t events() const;
  // The connected socket, once there is one.  Errors: kInvalidArgument (the address), kUnavailable
  // (the name is not known, or none of its addresses can be reached); then it is over.
  Result<std::optional<Descriptor>> GoOn();

 private:
  struct Lookup;

  Status Begin(const std::string& address);
  // Starts to connect to the next address that can be tried.
  Status TryNext();

  std::shared_ptr<Lookup> lookup_;        // nullptr: it is over, or there is none
  std::vector<SocketAddress> addresses_;  // the next one is the last
  Descriptor connecting_;
  const Status begun_;  // after what Begin fills
};

}  // namespace gp
