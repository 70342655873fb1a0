#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>

#include "application/control/control_loop.h"
#include "application/control/node_connections.h"
#include "base/rng.h"
#include "ports/outbound/operator_log.h"
#include "simulation/world/controllers/crash_journal.h"
#include "simulation/world/controllers/shared_controller.h"
#include "simulation/world/findings.h"
#include "simulation/world/host_clock.h"
#include "simulation/world/ledger_watch.h"
#include "simulation/world/network.h"
#include "simulation/world/ports/virtual_quorum_store.h"

namespace gp {

// A controller's machine: the controller process with the production loop and the production side
// of the agents' connections, and the disk that outlives it.  It also simulates crashes and
// restarts of the process.  With a store the controller shares its log with others: it is a standby
// until it leads.
class ControllerHost : public ConnectionServer {
 public:
  // `witness` sees each commit before all other observers; those of a process that crashed before
  // it reported them, when the next one begins.  The witness of a shared log is elsewhere.
  // `number`: from 1.  `store`: nullptr: it is the only controller.
  ControllerHost(int number, VirtualQuorumStore* store, ControlOptions options, Timeline& timeline,
                 Network& network, LedgerWatch& witness, Findings& findings, Rng& rng);
  ~ControllerHost() override;

  void PowerOn();
  void Kill();
  void CrashAt(CrashPoint point);
  void SleepFor(Duration lasts) {
    asleep_until_ = std::max(asleep_until_, timeline_.now() + lasts);
  }
  // The process runs; it leads, or is a standby.
  bool is_up() const { return loop_ != nullptr || shared_ != nullptr; }
  // Of its lead; 0: it does not lead.
  uint64_t epoch() const { return loop_ != nullptr ? loop_->Epoch().epoch : 0; }
  // All processes after its first `runs` are of the next release.  REQUIRES: it has not begun.
  void UpgradeAfter(int runs) { older_runs_ = runs; }
  // Gives up the lead.
  void StepDown();
  // nullptr: it does not follow a shared log now.
  const Replica* replica() const {
    return shared_ != nullptr && loop_ == nullptr ? &shared_->replica() : nullptr;
  }
  VirtualStoreClient* client() { return client_ ? &*client_ : nullptr; }
  // The next restart after a crash takes this much longer.
  void SetRepair(Duration wait) { repair_ = wait; }
  // Called, with the reason, when the shared log refuses its journal for good; it may replace it.
  void WhenRefused(std::function<void(ControllerHost&, const std::string&)> refused) {
    refused_ = std::move(refused);
  }
  // Its name in the store.
  std::string machine() const { return "machine-" + std::to_string(number_); }
  // What it leaves of the shared log where all others live.
  static TrimLimits Trims();

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
    void OnCommit(const State& state, const CommittedRecords& committed) override;

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
  void Observe();
  void OpenShared();
  void FollowAt(Instant at);
  void Follow();
  void UpgradeUnfit();
  void Lead();
  void KeepLead();
  void CareForLog();
  // Runs an action of this process, later if it is suspended; not once the process has ended.
  void RunAwake(std::function<void()> work);
  // Shows the witness the records that were durable but not reported when the process crashed.
  Status WitnessUnreported();
  // Runs work of the process; false: the process crashed in it.
  bool Do(const std::function<void()>& work);
  void HearAll();
  void Hear(const ConnectionRef& connection, AgentMessage message);
  void Join(const ConnectionRef& connection, uint64_t number, JoinNode join);
  void TakeJoined(const ConnectionRef& connection, const Result<Joined>& joined);
  void Turn();
  void TurnAt(Instant at);

  const int number_;
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
  std::optional<VirtualStoreClient> client_;
  std::unique_ptr<SharedController> shared_;  // outlives the loop; nullptr: down, or alone
  std::unique_ptr<ControlLoop> loop_;
  std::unique_ptr<NodeConnections> nodes_;
  uint64_t process_ = 0;
  uint64_t crashes_ = 0;
  std::optional<int> older_runs_;  // still to come, before its upgrade; nullopt: it has none
  Instant turn_at_;                // time of the next turn; ns == 0: none is due
  Instant asleep_until_;
  std::deque<std::pair<ConnectionRef, AgentMessage>> unheard_;
  Duration repair_;
  std::function<void(ControllerHost&, const std::string&)> refused_;
};

// Thrown with the text of a broken rule where production code would abort its process.
struct BrokenRule {
  std::string text;
};

}  // namespace gp
