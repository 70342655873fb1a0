#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/inbound/relay/leader_names.h"
#include "files/descriptor.h"
#include "lib/sockets/dial.h"
#include "lib/sockets/event_loop.h"

namespace gp {

// A client's connection to a standby, and from there to the leader.  On the loop's thread.
class RelayedConnection : public Watched, public std::enable_shared_from_this<RelayedConnection> {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  // The loop and the names outlive it.  `gone`: called once, when it has ended.
  RelayedConnection(EventLoop& loop, LeaderNames& names, Descriptor client, Instant give_up,
                    std::function<void()> gone);

  // Errors: kUnavailable (no memory is left).
  Status Begin();
  // The leader's address; empty: nobody leads, and it waits.  One that is connected, or is about to
  // be, ends.
  void LeaderIs(const std::string& address);
  void End();

  void OnReady(uint32_t events) override;
  void OnSecond() override;

 private:
  // One end, and whether the loop watches it.  One that nothing is wanted of is not watched: it
  // would report its end again and again.
  struct Side {
    Descriptor socket;
    bool is_watched = false;
  };
  // The bytes of one direction that have been read and not been written.
  struct Direction {
    std::string held;
    bool has_ended = false;  // the reader: no more will come
    bool is_shut = false;    // the writer has seen the end too
  };

  // 0: nothing.  False: no memory is left.
  bool Want(Side& side, uint32_t events);
  static bool IsBroken(const Side& side);
  bool HasSpoken();  // the client; ends the connection of an agent
  void Dials();
  void DialsAt(const LeaderNames::Addresses& addresses);
  void Flow();
  // False: the connection is broken.
  bool Pump(int from, int to, Direction& direction);
  // False: no memory is left.
  bool WaitForMore();

  EventLoop& loop_;
  LeaderNames& names_;
  Side client_;
  const Instant give_up_;  // if it is not connected by then
  std::function<void()> gone_;
  std::string address_;
  bool has_spoken_ = false;
  std::optional<Dial> dial_;
  Side leader_;
  Direction up_;    // to the leader
  Direction down_;  // to the client
};

}  // namespace gp
