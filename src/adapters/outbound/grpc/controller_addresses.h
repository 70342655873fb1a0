#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace gp {

// The addresses of the controllers of one cluster.  One controller leads, and all others pass
// callers on to it, so each address is as good as any other: callers stay with one while it
// answers, and go on to the next one when nobody answers there.  Any thread.
class ControllerAddresses {
 public:
  // REQUIRES: there is an address.
  explicit ControllerAddresses(std::vector<std::string> addresses)
      : addresses_(std::move(addresses)) {}

  size_t size() const { return addresses_.size(); }
  bool are_several() const { return addresses_.size() > 1; }
  // Where to try next.
  std::string Present() const;
  // Nobody answered at this address.  Another caller may have left it before: then nothing changes.
  void Leave(const std::string& address);
  // "c1:7070, c2:7070", for messages.
  std::string ToText() const;

 private:
  const std::vector<std::string> addresses_;
  mutable std::mutex mutex_;
  size_t present_ = 0;
};

}  // namespace gp
