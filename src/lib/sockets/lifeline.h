#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace gp {

// Notices within a fraction of a second that a server on another machine has ended, as after a
// crash: it holds a connection to it and says nothing.  If the connection ends, and further ones
// are refused, nothing listens there any more.  A machine that is silent, and a network that is
// cut, look different: they refuse nothing.  It has a thread, which a look-up of a name may
// outlive.
class Lifeline {
 public:
  // `ended`: called on its thread, at most once for each server, which is named by its number.
  explicit Lifeline(std::function<void(uint64_t server)> ended);
  // No call is under way afterwards.
  ~Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  // The server to be watched from now on, and its address; empty: none.  The same number again
  // changes nothing.  Any thread.
  void Hold(uint64_t server, const std::string& address);

 private:
  class Watcher;
  const std::shared_ptr<Watcher> watcher_;  // its thread's as well
};

}  // namespace gp
