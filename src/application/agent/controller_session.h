#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ports/outbound/clock.h"
#include "ports/outbound/control_link.h"
#include "ports/outbound/controller_epoch.h"

namespace gp {

// What a session needs of its owner.
struct SessionParts {
  // The join of a new connection; the session fills in its numbers.
  std::function<JoinNode()> join;
  // Stores the controller that is followed durably, before anything of it is carried out.
  std::function<Status(const ControllerEpoch&)> keep_followed;
  std::function<void(const std::string&)> warn;
};

// What has happened since the last Turn.
struct SessionNews {
  bool is_lost = false;  // the connection to which the owner has sent is over
  bool is_new = false;   // the join of another connection is answered
  LinkNews link;         // of the controller that is followed
};

// An agent's connection to the controller that leads.  It probes all addresses, joins the first
// controller that answers and may be followed (epochs), and notices silence: a controller that does
// not answer a heartbeat in time may have stopped, or be cut off.  Then it probes again, while the
// old connection stays until another one has answered, or half a lease has passed.  It joins only
// when it has left the connection before, because a join says which leases are not there.  One
// thread calls it.
class ControllerSession {
 public:
  // `incarnation`: of this process; the connections are numbered within it.  All outlive it.
  ControllerSession(ControlLink& link, Clock& clock, SessionParts parts, uint64_t incarnation,
                    ControllerEpoch followed);

  // Takes what has come, and connects if that is due.
  SessionNews Turn();
  // No connection is opened until Resume.
  void Pause();
  void Resume();

  // The join is answered.
  bool is_connected() const { return current_ != nullptr && current_->is_joined; }
  const ControllerEpoch& followed() const { return followed_; }
  // Stores the controller first.
  Status Follow(const ControllerEpoch& other);
  // The controller cannot be followed further, for this reason.
  void Leave(const std::string& why);
  // What it said is carried out: the next trouble is a new one.
  void Settle();

  // REQUIRES: connected.
  template <typename Message>
  void Send(const Message& message) {
    const int64_t sent_at_ns = clock_.BootNs();  // before sending: the lease counts from here
    const uint64_t number = current_->connection->Send(message);
    current_->last_sent = number;
    current_->sent_at_ns[number] = sent_at_ns;
  }
  void SendHeartbeat(const Heartbeat& heartbeat);
  // A message whose answer renews nothing.
  void SendUnanswered(const MetricParts& parts) {
    current_->last_sent = current_->connection->Send(parts);
  }
  uint64_t next_number() const { return current_->last_sent + 1; }
  bool IsHeartbeatDue() const;
  // Boot time until which the newest answer renews leases.
  int64_t lease_until_ns() const { return lease_until_ns_; }
  // How often the node is to be reported if nothing changes: what only reports carry, such as the
  // use of leases, may be as old.
  Duration report_every() const;
  // Boot time of the next Turn that has something to do, if nothing comes before.
  int64_t NextAtNs() const;

 private:
  struct Line {
    std::unique_ptr<ControlConnection> connection;
    size_t address = 0;
    uint64_t last_sent = 0;
    std::map<uint64_t, int64_t> sent_at_ns;  // of messages not yet answered
    std::optional<ControllerEpoch> probed;   // who has answered its probe
    bool is_joined = false;
    int64_t waits_since_ns = 0;   // for the answer to its probe, join or heartbeat; 0: for none
    int64_t heartbeat_at_ns = 0;  // when the next one is due
    Duration heartbeat_every;     // 0: it sends none
  };
  void ForgiveOwnSleep(int64_t now_ns);
  void HearCurrent(SessionNews& news);
  void HearCandidates();
  // Errors: kConflict (the controller is older than one that was followed).
  Status CheckEpoch(const ControllerEpoch& other) const;
  bool IsBetter(const ControllerEpoch& other) const;
  void Join(std::unique_ptr<Line> line);
  Status FollowSpeaker(const LinkNews& news);
  void TakeAnswers(const LinkNews& news);
  void LookElsewhere();
  void ProbeAll();
  void EndLookingElsewhere();
  void ProbeLater();
  void NoteTrouble(size_t address, const std::string& why);
  // Whether an answer has been awaited for longer than that.
  bool IsSilent(const Line& line, Duration patience) const;

  ControlLink& link_;
  Clock& clock_;
  const SessionParts parts_;
  const uint64_t incarnation_;
  ControllerEpoch followed_;
  uint64_t joins_ = 0;
  std::unique_ptr<Line> current_;                  // nullptr: there is none
  std::vector<std::unique_ptr<Line>> candidates_;  // probed; at most one for each address
  static constexpr size_t kNoAddress = SIZE_MAX;
  // Where probes were answered and a join was not: joined again if no other address answers
  size_t avoided_ = kNoAddress;
  bool is_paused_ = false;
  bool is_looking_elsewhere_ = false;
  int64_t probe_at_ns_ = 0;  // boot time of the next round over all addresses
  Duration probe_wait_;      // before the round after that
  // By address, each reported once, until Settle
  std::map<size_t, std::string> troubles_;
  int64_t lease_until_ns_ = 0;
  Duration lease_time_ = Duration::Seconds(10);
  int64_t turned_at_ns_ = 0;
};

}  // namespace gp
