#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "application/agent/controller_session.h"
#include "application/agent/gpu_keeper.h"
#include "application/agent/launch/launch.h"
#include "application/agent/launch/lease_ports.h"
#include "application/agent/metric_feed.h"
#include "application/agent/staging_rates.h"
#include "application/agent/use_meter.h"
#include "domain/node/reconcile.h"
#include "ports/inbound/channel_gateway.h"
#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/clock.h"
#include "ports/outbound/control_link.h"
#include "ports/outbound/log_reader.h"
#include "ports/outbound/operator_log.h"

namespace gp {

// Facts and functions that an agent is started with.
struct AgentOptions {
  std::shared_ptr<const NodeFacts> facts;
  LaunchOptions launch;
  uint64_t incarnation = 1;
  bool fresh = false;  // does not remember earlier leases, and has ended all attempts it found
  // The newest controller that was followed; its lineage is that of the attempts kept here.
  ControllerEpoch followed;
  // Stores `followed` durably, before anything of that controller is carried out.
  std::function<Status(const ControllerEpoch&)> keep_followed = [](const ControllerEpoch&) {
    return Ok();
  };
  // Finds clues to the cause in the output of a failed attempt.
  std::function<LogClues(const LaunchSpec&)> find_clues = [](const LaunchSpec&) {
    return LogClues{};
  };
  OperatorLog* log = nullptr;  // outlives the loop; nullptr: messages are dropped
  // The images that the node holds.
  std::function<std::vector<HeldImage>()> held_images = [] { return std::vector<HeldImage>{}; };
  // Outlives the loop; nullptr: the node offers none.
  ImageCare* image_care = nullptr;
  // Outlives the loop; nullptr: no ports are leased, and ranks meet at a port that they compute.
  PortBlocks* port_blocks = nullptr;
};

// The agent: makes the node's leases match the desired state, and reports what it observes.  One
// thread owns all of it; channels (logs, exec) come from other threads through a queue of tasks.
class AgentLoop : public ChannelGateway {
 public:
  // All ports outlive the loop.  `gpus` may be null: a node without GPUs.
  AgentLoop(AgentOptions options, ControlLink& link, AttemptRunner& runner, LogReader& logs,
            GpuKeeper* gpus, Clock& clock);
  ~AgentLoop() override;

  // Runs until Stop.  Jobs keep running afterwards.
  void Run();
  // For an owner that runs the loop itself, on one thread: does all that is due now, without
  // waiting.  The next turn is due at the next event, and after UntilNextTurn at the latest.
  void Turn();
  Duration UntilNextTurn();
  void Stop();  // any thread, or a signal handler
  // Jobs in the node's desired state; any thread.  nullopt: there is no desired state now.
  std::optional<std::set<JobId>> JobsHere() const;

  Status ReadLog(const LogRequest& request,
                 const std::function<bool(int64_t, const std::string&)>& take) override;
  Result<ExecStreams> Exec(LeaseId lease, const ExecSpec& spec) override;
  ImageCare* Images() override { return options_.image_care; }

 private:
  SessionParts MakeSessionParts();
  void TakeNews();
  void TakeDesiredState(NodeDesiredState desired);
  void AdoptLineage();
  void Observe();
  bool IsAtWork(LeaseId lease) const;
  void MeasureUse();
  // All leases, as they are reported.
  std::vector<LeaseObservation> Observations() const;
  std::shared_ptr<const NodeFacts> FactsToReport() const;
  void AddOffers(std::vector<LeaseObservation>& all) const;
  void AddClues(const AttemptStatus& status, LeaseObservation& seen);
  void Act();
  void CarryOut(const NodeAction& action);
  void StartLease(LeaseId id);
  void Decline(LeaseId id, const LeaseOutcome& outcome);
  void Renew();
  void PassSurplus();
  void PassCopies();
  void FixImages();
  void SendWhatIsDue();
  void SendReport();
  void SendHeartbeat();
  void SendMetrics();
  void WatchMetrics();
  void UpdatePorts();
  void UpdateOpenLogs();
  bool MayStillWrite(LeaseId lease) const;
  void KeepGpus();
  void RunTasks();
  void WaitForEvents();
  void Warn(const std::string& text) const;
  const DesiredLease* DesiredLeaseFor(LeaseId id) const;

  const AgentOptions options_;
  ControlLink& link_;
  AttemptRunner& runner_;
  LogReader& logs_;
  GpuKeeper* gpus_;
  Clock& clock_;

  ControllerSession session_;
  uint64_t new_lineage_ = 0;  // lineage to take when no attempt of the present one is left
  int64_t adopt_at_ns_ = 0;   // earliest time of the next try, after one failed
  bool fresh_ = false;
  bool has_desired_state_ = false;
  NodeDesiredState desired_;

  std::map<LeaseId, int64_t> begun_;  // boot time at which the program started
  std::map<LeaseId, LeaseObservation> seen_;
  std::vector<LeaseProgress> progress_;
  UseMeter meter_;
  StagingRates rates_;
  std::set<LeaseId> copied_last_;  // their programs have ended: they use nothing
  MetricFeed metrics_;
  std::optional<LeasePorts> ports_;
  std::map<LeaseId, int> begun_with_;  // first ports of attempts
  int64_t measure_at_ns_ = 0;
  std::map<LeaseId, LogClues> clues_;             // of attempts that have ended
  std::map<LeaseId, LeaseObservation> declined_;  // desired, never started here
  std::map<LeaseId, StopOrder> stopped_;          // the strongest stop that was passed on
  // A new desired state may name digests of images, and other checkpoints to remove
  bool details_due_ = false;
  bool report_due_ = false;
  int64_t report_at_ns_ = 0;
  // As last sent on this connection
  std::vector<GpuObservation> sent_gpus_;
  std::vector<GpuReading> sent_readings_;
  std::vector<LeaseProgress> sent_progress_;
  std::optional<std::vector<HeldImage>> sent_images_;

  int wake_fd_;
  std::atomic<bool> stopping_ = false;
  std::mutex tasks_mutex_;
  std::vector<std::function<void()>> tasks_;
  // For log followers, on other threads: leases that are desired or running, and the newest lease
  // that the desired state knows of.  The desired state of a newer lease is still to arrive.
  mutable std::mutex logs_mutex_;
  std::set<LeaseId> open_logs_;
  LeaseId newest_known_;
  std::optional<std::set<JobId>> jobs_here_;
};

}  // namespace gp
