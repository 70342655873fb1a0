#pragma once

// The node's side: holds what it is ordered to hold, and tells what it sees.  One thread owns all
// of it; channels (logs, exec) come in from other threads through a small queue of tasks.

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "application/agent/gpu_keeper.h"
#include "application/agent/launch.h"
#include "application/agent/use_meter.h"
#include "domain/node/reconcile.h"
#include "ports/inbound/channel_gateway.h"
#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/clock.h"
#include "ports/outbound/control_link.h"
#include "ports/outbound/log_reader.h"

namespace gp {

struct AgentOptions {
  std::shared_ptr<const NodeFacts> facts;
  LaunchOptions launch;
  uint64_t incarnation = 1;
  bool fresh = false;    // remembers nothing of earlier leases and has ended all it found
  uint64_t lineage = 0;  // of the attempts kept here; 0: none known
  // Makes the lineage last, before anything is started under it.
  std::function<Status(uint64_t)> keep_lineage = [](uint64_t) { return Ok(); };
  // What the output of an attempt that has failed tells.
  std::function<LogClues(const LaunchSpec&)> find_clues = [](const LaunchSpec&) {
    return LogClues{};
  };
  // Words for whoever keeps the host; empty: to stderr.
  std::function<void(const std::string&)> say;
};

class AgentLoop : public ChannelGateway {
 public:
  // All ports outlive the loop.  `gpus` may be null: a node without GPUs.
  AgentLoop(AgentOptions options, ControlLink& link, AttemptRunner& runner, LogReader& logs,
            GpuKeeper* gpus, Clock& clock);
  ~AgentLoop() override;

  // Until Stop.  Jobs go on after it.
  void Run();
  // Run by hand, on one thread: one turn does all that is due now and waits for nothing.  The next
  // one is due when something happens, and after so long in any case.
  void Turn();
  Duration UntilNextTurn();
  void Stop();  // any thread, or a signal handler
  // Jobs that this node is ordered to hold; any thread.  nullopt: it has no orders now.
  std::optional<std::set<JobId>> JobsHere() const;

  Status ReadLog(const LogRequest& request,
                 const std::function<bool(int64_t, const std::string&)>& take) override;
  Result<ExecStreams> Exec(LeaseId lease, const ExecSpec& spec) override;

 private:
  void Connect();
  void TakeNews();
  void TakeDesiredState(NodeDesiredState desired);
  void Disconnect(const std::string& why);
  void MoveOver();
  void Observe();
  bool IsAtWork(LeaseId lease) const;
  void MeasureUse();
  // Of all leases, as they are told.
  std::vector<LeaseObservation> Observations() const;
  void AddClues(const AttemptStatus& status, LeaseObservation& seen);
  void Act();
  void Carry(const NodeAction& action);
  void StartLease(LeaseId id);
  void Decline(LeaseId id, const LeaseOutcome& outcome);
  void Renew();
  void PassSurplus();
  void SendReport();
  void UpdateOpenLogs();
  bool MayStillWrite(LeaseId lease) const;
  void KeepGpus();
  void RunTasks();
  void WaitForEvents();
  void Say(const std::string& text) const;
  const LeaseOrder* OrderFor(LeaseId id) const;

  static constexpr Duration kConnectWaitMin = Duration::Milliseconds(50);

  const AgentOptions options_;
  ControlLink& link_;
  AttemptRunner& runner_;
  LogReader& logs_;
  GpuKeeper* gpus_;
  Clock& clock_;

  uint64_t lineage_ = 0;
  uint64_t moving_to_ = 0;  // the lineage to take when nothing of the present one is left
  int64_t move_at_ns_ = 0;  // not before: the last try failed
  bool fresh_ = false;
  bool connected_ = false;
  uint64_t connections_ = 0;
  int64_t connect_at_ns_ = 0;
  // Until orders are taken each wait is longer than the one before
  Duration connect_wait_ = kConnectWaitMin;
  std::string trouble_;  // why the connection was lost; reported once, until orders are taken
  bool has_desired_state_ = false;
  NodeDesiredState desired_;
  uint64_t newest_epoch_ = 0;
  uint64_t last_sent_ = 0;                  // message of this connection
  std::map<uint64_t, int64_t> sent_at_ns_;  // of messages not yet answered
  int64_t lease_until_ns_ = 0;              // by the controller's latest word
  Duration lease_time_ = Duration::Seconds(10);

  std::map<LeaseId, int64_t> begun_;  // boot time at which each program that was seen began
  std::map<LeaseId, LeaseObservation> seen_;
  std::vector<LeaseProgress> progress_;
  UseMeter meter_;
  int64_t measure_at_ns_ = 0;
  std::map<LeaseId, LogClues> clues_;             // of attempts that have ended
  std::map<LeaseId, LeaseObservation> declined_;  // ordered, never started here
  std::map<LeaseId, StopOrder> stopped_;          // the strongest order passed on
  // New orders may name other checkpoints to remove
  bool surplus_due_ = false;
  bool report_due_ = false;
  int64_t report_at_ns_ = 0;

  int wake_fd_;
  std::atomic<bool> stopping_ = false;
  std::mutex tasks_mutex_;
  std::vector<std::function<void()>> tasks_;
  // For log followers, on other threads: leases that are ordered or running, and the newest lease
  // that the orders could have named.  One beyond it is on its way here.
  mutable std::mutex logs_mutex_;
  std::set<LeaseId> open_logs_;
  LeaseId newest_known_;
  std::optional<std::set<JobId>> jobs_here_;
};

}  // namespace gp
