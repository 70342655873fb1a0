#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>

#include "application/control/control_loop.h"
#include "application/control/node_connections.h"
#include "base/rng.h"
#include "ports/outbound/operator_log.h"
#include "simulation/world/crash_journal.h"
#include "simulation/world/findings.h"
#include "simulation/world/host_clock.h"
#include "simulation/world/ledger_watch.h"
#include "simulation/world/network.h"

namespace gp {

// The controller's machine: the controller process with the production loop and the production side
// of the agents' connections, and the disk that outlives it.  It also simulates crashes and
// restarts of the process.
class ControllerHost : public ConnectionServer {
 public:
  // `witness` sees each commit before all other observers; those of a process that crashed before
  // it reported them, when the next one begins.
  ControllerHost(ControlOptions options, Timeline& timeline, Network& network, LedgerWatch& witness,
                 Findings& findings, Rng& rng);
  ~ControllerHost() override;

  void PowerOn();
  void Kill();
  void CrashAt(CrashPoint point);
  void SleepFor(Duration lasts) {
    asleep_until_ = std::max(asleep_until_, timeline_.now() + lasts);
  }
  bool is_up() const { return loop_ != nullptr; }
  // The next restart after a crash takes this much longer.
  void SetRepair(Duration wait) { repair_ = wait; }

  // Acts as a client on the same machine. nullopt: the controller is down or suspended, or crashed
  // before it answered.
  std::optional<Outcome> Execute(const std::string& principal, const ClientRequest& request,
                                 Command command);
  bool Read(const std::function<void(const State&)>& read);

  HostClock& clock() { return clock_; }
  CrashJournal& journal() { return journal_; }
  uint64_t crashes() const { return crashes_; }

  uint64_t process() const override { return is_up() ? process_ : 0; }
  void Receive(const ConnectionRef& connection, AgentMessage message) override;
  void Ended(const ConnectionRef& connection) override;

 private:
  // The first observer of a commit.  Here the process may crash before its agents get their desired
  // state.
  class FirstTold : public CommitObserver {
   public:
    explicit FirstTold(ControllerHost& host) : host_(host) {}
    void OnCommit(const State& state, const std::vector<Event>& events) override;

   private:
    ControllerHost& host_;
  };
  // What the loop tells the operator: a plan that the rules refuse is a bug of the planner.
  class RefusedPlans : public OperatorLog {
   public:
    explicit RefusedPlans(ControllerHost& host) : host_(host) {}
    void Write(LogLevel level, const std::string& text) override;

   private:
    ControllerHost& host_;
  };
  void Open();
  // Shows the witness the records that were durable but not reported when the process crashed.
  Status WitnessUnreported();
  // Runs work of the process; false: the process crashed in it.
  bool Do(const std::function<void()>& work);
  void HearAll();
  void Hear(const ConnectionRef& connection, AgentMessage message);
  void Join(const ConnectionRef& connection, uint64_t number, JoinNode join);
  void Turn();
  void TurnAt(Instant at);

  ControlOptions options_;
  Timeline& timeline_;
  Network& network_;
  LedgerWatch& witness_;
  Findings& findings_;
  Rng& rng_;
  HostClock clock_;
  CrashJournal journal_;
  FirstTold first_told_{*this};
  RefusedPlans refused_plans_{*this};
  bool dies_before_desired_state_ = false;
  uint64_t witnessed_ = 0;  // records
  Instant died_at_;
  std::unique_ptr<ControlLoop> loop_;
  std::unique_ptr<NodeConnections> nodes_;
  uint64_t process_ = 0;
  uint64_t crashes_ = 0;
  Instant turn_at_;  // time of the next turn; ns == 0: none is due
  Instant asleep_until_;
  std::deque<std::pair<ConnectionRef, AgentMessage>> unheard_;
  Duration repair_;
};

// Thrown with the text of a broken rule where production code would abort its process.
struct BrokenRule {
  std::string text;
};

}  // namespace gp
