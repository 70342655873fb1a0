#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace gp {

// The doors of a standby: connections of clients are passed on to the leader, byte for byte.
// Encryption is between the client and the leader, and so is the proof of who the client is: a
// relay sees neither tokens nor answers.  Agents are turned away at once, because they hold one
// connection each and know all addresses.
class Relay {
 public:
  struct Options {
    std::vector<std::string> doors;  // "0.0.0.0:7070", port 0: any
    size_t connections_max = 2'000;  // of all doors; those beyond are closed at once
    // For a client's first byte, for a leader to be known, and for the leader to answer.
    std::chrono::milliseconds patience{5'000};
  };
  struct Leader {
    std::string process;                 // no other process has ever had this name
    std::vector<std::string> addresses;  // of each door; empty: it has none
    bool operator==(const Leader&) const = default;
  };

  // Errors: kUnavailable, kInvalidArgument (an address).
  static Result<std::unique_ptr<Relay>> Start(const Options& options);
  // Closes the doors and ends all connections.
  virtual ~Relay() = default;

  // The ports of the doors.
  virtual const std::vector<int>& ports() const = 0;
  // Who leads from now on.  Connections to another leader end: it may hang, and clients begin again
  // at once.  Without one (an empty process) new connections wait.  Any thread.
  virtual void LeaderIs(Leader leader) = 0;
};

}  // namespace gp
