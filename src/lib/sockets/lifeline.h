#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

// Notices within a fraction of a second that a server on another machine has ended, as after a
// crash: it holds a connection to it and says nothing.  If the connection ends, and further ones
// are refused, nothing listens there any more.  A machine that is silent, and a network that is
// cut, look different: they refuse nothing.  It has a thread.
class Lifeline {
 public:
  // `ended`: called on its thread, at most once for each server, which is named by its number.
  explicit Lifeline(std::function<void(uint64_t server)> ended);
  ~Lifeline();

  // The server to be watched from now on, and its address; empty: none.  The same number again
  // changes nothing.  Any thread.
  void Hold(uint64_t server, const std::string& address);

 private:
  struct Target {
    uint64_t server = 0;
    std::string address;
  };
  enum class Try { kConnected, kRefused, kFailed };

  void Run();
  // Until the server has ended, or the target changes.
  void Watch(const Target& target);
  Try Connect(const std::string& address, Descriptor& connected) const;
  // Waits until the descriptor has the event, the target changes, or the time is over; -1: no end.
  void Rest(int milliseconds, int descriptor = -1, short event = 0) const;
  bool IsCurrent(const Target& target);

  const std::function<void(uint64_t)> ended_;
  const Descriptor changed_;  // an eventfd
  std::mutex mutex_;
  Target target_;
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace gp
