#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"
#include "lib/sockets/socket_address.h"

namespace gp {

// Connects to "unix:PATH" or "HOST:PORT" without waiting: a thread looks up names.  The addresses
// of a name are tried one after another; one that does not answer within a quarter of a second is
// tried on beside the next one, and the first connection wins.  Not thread-safe.
class Dial {
 public:
  explicit Dial(const std::string& address);
  // Of one machine, the preferred one first.
  explicit Dial(std::vector<SocketAddress> addresses);

  // Can be read (POLLIN) when GoOn is due.  The same one until the end.
  int descriptor() const { return ready_.get(); }
  // The connected socket, once there is one.  Errors: kInvalidArgument (the address), kUnavailable
  // (the name is not known, or none of its addresses can be reached); then it is over.
  Result<std::optional<Descriptor>> GoOn();

 private:
  struct Lookup;

  Status Begin(const std::string& address);
  Status Ask(const HostPort& name);
  Status Try(std::vector<SocketAddress> addresses);
  // False: the name is still being looked up.
  Result<bool> TakeAddresses();
  // The first attempt that has succeeded; those that have failed end.
  std::optional<Descriptor> TakeConnected();
  // Starts to connect to the next address for which that is possible.
  void TryNext();
  bool IsPauseOver() const;
  void Watch(const Descriptor& descriptor, uint32_t events) const;

  const Descriptor ready_;                // an epoll descriptor that watches the others
  const Descriptor pause_;                // a timer: before the next address is tried
  std::shared_ptr<Lookup> lookup_;        // nullptr: it is over, or there is none
  std::vector<SocketAddress> addresses_;  // still to be tried, the next one last
  std::vector<Descriptor> attempts_;      // connecting
  Error last_{Unavailable("no address is known")};
  const Status begun_;  // after what Begin fills
};

}  // namespace gp
