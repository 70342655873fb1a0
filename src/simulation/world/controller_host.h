#pragma once

// The controller's machine: its process with the production loop and the production side of the
// agents' connections, the disk that outlives it, and how it dies and begins again.

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>

#include "application/control/control_loop.h"
#include "application/control/node_connections.h"
#include "base/rng.h"
#include "simulation/world/crash_journal.h"
#include "simulation/world/findings.h"
#include "simulation/world/host_clock.h"
#include "simulation/world/network.h"

namespace gp {

class ControllerHost : public ConnectionServer {
 public:
  // `witness` is told of each commit before anybody else.
  ControllerHost(ControlOptions options, Timeline& timeline, Network& network,
                 CommitObserver& witness, Findings& findings, Rng& rng);
  ~ControllerHost() override;

  void PowerOn();
  void Kill();
  void CrashAt(CrashPoint point);
  void SleepFor(Duration lasts) {
    asleep_until_ = std::max(asleep_until_, timeline_.now() + lasts);
  }
  bool is_up() const { return loop_ != nullptr; }
  // Its process dies by a fault within so long, and comes back.
  void SetRepair(Duration wait) { repair_ = wait; }

  // As a client on its machine: nullopt: it is down, or went down before it answered.
  std::optional<Outcome> Execute(const std::string& principal, const std::string& request_id,
                                 Command command);
  bool Read(const std::function<void(const State&)>& read);

  HostClock& clock() { return clock_; }
  CrashJournal& journal() { return journal_; }
  uint64_t crashes() const { return crashes_; }

  uint64_t process() const override { return is_up() ? process_ : 0; }
  void Receive(const ConnectionRef& connection, AgentMessage message) override;
  void Ended(const ConnectionRef& connection) override;

 private:
  // The first to be told of a commit; here the process may die before its agents are told.
  class FirstTold : public CommitObserver {
   public:
    explicit FirstTold(ControllerHost& host) : host_(host) {}
    void OnCommit(const State& state, const std::vector<Event>& events) override;

   private:
    ControllerHost& host_;
  };
  void Open();
  // What was made durable and told to nobody: the process died in between.
  Status WitnessUnreported();
  // Work of the process; false: it died of it.
  bool Do(const std::function<void()>& work);
  void HearAll();
  void Hear(const ConnectionRef& connection, AgentMessage message);
  void Join(const ConnectionRef& connection, uint64_t number, JoinNode join);
  void Turn();
  void TurnAt(Instant at);

  const ControlOptions options_;
  Timeline& timeline_;
  Network& network_;
  CommitObserver& witness_;
  Findings& findings_;
  Rng& rng_;
  HostClock clock_;
  CrashJournal journal_;
  FirstTold first_told_{*this};
  bool dies_before_desired_state_ = false;
  uint64_t witnessed_ = 0;  // records
  std::unique_ptr<ControlLoop> loop_;
  std::unique_ptr<NodeConnections> nodes_;
  uint64_t process_ = 0;
  uint64_t crashes_ = 0;
  Instant turn_at_;  // of the next turn; ns == 0: none is due
  Instant asleep_until_;
  std::deque<std::pair<ConnectionRef, AgentMessage>> unheard_;
  Duration repair_;
};

// The text of a broken rule, where production code would end its process for a bug.
struct BrokenRule {
  std::string text;
};

}  // namespace gp
