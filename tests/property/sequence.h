#pragma once

// One generated life of a cluster: people, agents, faults, a lossy network and a scheduler, chosen
// by a seed; then the world heals and everything must come to an end.  Three nets at once: the
// ledger's own rules after each command, the physical world's truth, and the tale of every job.

#include <string>
#include <vector>

#include "base/rng.h"
#include "domain/scheduling/planner.h"
#include "tests/property/ledger.h"
#include "tests/property/physical_world.h"
#include "tests/property/virtual_agent.h"

namespace gp {

class Sequence {
 public:
  static constexpr int kStepsMin = 100;

  explicit Sequence(uint64_t seed);

  // What broke first, in words; empty: nothing.
  std::string Run();
  // The same in parts, for tests that want the state in the middle of a life.
  void RunSteps();
  void Settle();
  void CheckEnd();

  const Ledger& ledger() const { return ledger_; }
  Instant now() const { return now_; }
  int steps() const { return steps_; }

 private:
  struct Machine {
    explicit Machine(VirtualAgent its_agent) : agent(std::move(its_agent)) {}
    VirtualAgent agent;
    std::vector<GpuObservation> gpus;  // of those that are there, by the ledger's positions
    std::shared_ptr<const NodeFacts> original;  // what it began as
    bool powered = true;
    bool running = true;     // the agent's process
    bool connected = false;  // as the agent sees it
    uint64_t session = 0;  // the incarnation of the connection that the controller serves; 0: none
    bool joining = false;  // its join is still under way
    Instant cut_until;     // no connection before
    JoinNode join;
    std::vector<std::pair<Instant, ReportNode>> up;  // in flight, with the time of sending
    std::vector<DownMessage> down;                   // in flight
    bool orders_due = false;
    Instant answer_due;  // sending time of the newest message seen; ns == 0: nothing to answer
    Instant heard;
  };

  void WeighPlaces();
  void SetPrices();
  void SetUnderUse();
  bool ReloadPolicy();
  void AddMachine();
  Machine& AnyMachine() { return machines_[rng_.Below(machines_.size())]; }
  JobId AnyJob();
  JobId AnyQueuedJob();  // any job if none is queued
  // Seldom an id, which others have too; mostly none.
  std::string AnyRequest();

  // One step of the kind drawn; false: it had no object.
  bool Step();
  bool StepOfPeople(uint64_t dice);
  bool StepOfAgents(uint64_t dice);
  bool StepOfTrouble(uint64_t dice);
  void PassTime();

  bool Submit();
  void AddVariants(JobSpec& spec);
  bool StepOfQueues(uint64_t dice);
  bool StepOfAccess(uint64_t dice);
  bool StepOfCertificates();
  std::string AnyQueue();
  bool ReserveOrEnd();
  bool SetOrDeleteBudget();
  void ReviewABudget();
  bool MoveAny();
  bool MoveAtRandom();
  void LiftQuotas();
  bool ChangeServiceOfAny();
  bool ExitAny();
  bool ReportAny();
  bool Connect(Machine& machine);
  bool SendReport(Machine& machine);
  bool ReceiveUp(Machine& machine);
  bool ReceiveReport(Machine& machine);
  bool ReceiveDown(Machine& machine, bool at_once);
  bool BreakLink(Machine& machine);
  bool Outage(Machine& machine);
  bool Reboot(Machine& machine, bool wiped);
  bool Silence(Machine& machine);
  bool DeclareLost(Machine& machine);
  bool Fault(Machine& machine);
  bool StepOfFaults();
  bool ReportFault(Machine& machine);
  bool EndTasks(Machine& machine, bool all_well);
  void HealGpus();
  bool BringBack(Machine& machine);
  bool ChangeHardware(Machine& machine);
  Machine* FindOfKind(const Machine& machine, const GpuFacts& gpu);
  void RestoreHardware();
  void SeeGpus(Machine& machine);
  void ComeLater(Machine& machine, const std::string& refusal);
  bool RepeatOldReport();
  bool RepeatOldJoin();
  bool RestartController();

  void Heal();
  void ReleaseHeld();
  bool SettleRound();
  void JumpToDeadline();

  const std::vector<Event>* Tell(Command command, std::string request_id = {});
  void Pass();
  void ComparePlan(const Plan& plan);
  bool CommitOldPlan();
  void SendOrders(const std::vector<Event>& events);
  void CheckTale(const std::vector<Event>& events);
  void CheckPreempted(const JobPreemptionOrdered& order);
  void CheckMoved(const JobMoveOrdered& order);
  void CheckArray(const Job& placed);
  void CheckPlaced(const GangPlaced& placed);
  void CheckCompleted(JobId job);

  Rng rng_;
  Policy policy_;
  Ledger ledger_;
  PhysicalWorld world_;
  std::vector<Machine> machines_;
  std::vector<ReportNode> old_reports_;  // of connections that are gone
  std::vector<JoinNode> old_joins_;
  std::vector<PlaceGang> old_plan_;  // made, and not committed at once
  std::vector<LeaseId> to_exit_;
  Planner planner_;
  int passes_ = 0;
  bool shares_time_ = false;  // some of its jobs are preemptible
  bool has_queues_ = false;   // several, with limits, guarantees and pools
  int machines_max_ = 1;
  Instant now_{1'700'000'000'000'000'000};
  int steps_ = 0;
  bool changes_hardware_ = false;  // GPUs vanish, return, are exchanged and moved
  int gpus_made_ = 0;              // that came from elsewhere
  bool has_faults_ = false;        // its GPUs fail, and are reset and tested
  uint64_t signals_ = 0;
  size_t records_planned_ = 0;  // the ledger's records at the last pass of the settling
  Instant look_again_at_;       // of the last plan
};

}  // namespace gp
