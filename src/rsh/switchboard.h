#pragma once

// The connections of rank 0's leader: followers, and pairs of a client with the session that a
// follower opened for it.

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <poll.h>

#include "rsh/frame.h"
#include "rsh/greeting.h"
#include "rsh/job.h"

namespace gp::rsh {

class Switchboard {
 public:
  // `listener`: a socket that does not block.
  Switchboard(const Job& job, int listener) : job_(job), listener_(listener) {}

  // Serves all connections for at most this time.
  void Turn(int milliseconds);
  // The first rank that has not come yet; -1: all have.
  int MissingRank() const;
  void TellFollowers(Kind kind);
  // Lets the followers end, and sends what is left, for at most this time.
  void End(int milliseconds);

 private:
  struct Connection {
    int fd = -1;
    std::unique_ptr<Reception> reception;  // until it is proven
    int64_t until_ms = 0;  // by then it must be proven, have its session, or be gone
    std::string in;
    std::string out;
    int rank = -1;               // of a follower
    int asked_rank = -1;         // of a client, until its command has come
    std::string number;          // of a client's session, until the session has come
    Connection* peer = nullptr;  // the other end of a session
    bool is_closing = false;     // once `out` is sent
    bool is_drained = false;  // it is sent; what still comes is dropped, until the other end closes
  };
  void Accept();
  void Serve(Connection& one, const pollfd& seen);
  void Receive(Connection& one);
  void Greet(Connection& one);
  bool MayAccept() const;
  void TakeCommand(Connection& client);
  void BeginRun(Connection& client, int rank, const std::string& command);
  void BeginSession(Connection& session, const std::string& number);
  void PassOn(Connection& one);
  void CloseWithPeer(Connection& one);
  void DropOverdue();
  Connection* FollowerOf(int rank);

  const Job& job_;
  const int listener_;
  std::list<Connection> connections_;
  std::vector<bool> has_come_ = std::vector<bool>(job_.nodes.size());
  bool is_ending_ = false;
  int64_t accept_at_ms_ = 0;  // after one failed
  int64_t sessions_ = 0;
};

}  // namespace gp::rsh
