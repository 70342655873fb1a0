#pragma once

// Runs one attempt from prolog to final status, with one thread and one poll loop, independent of
// the agent.  docs/isolation.md describes the rules; each On… function handles one event.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "supervisor/agent_link.h"
#include "supervisor/deadline_timer.h"
#include "supervisor/output/log_stream.h"
#include "supervisor/output/metric_file.h"
#include "supervisor/output/report_pipe.h"
#include "supervisor/process/children.h"
#include "supervisor/process/job_cgroups.h"
#include "supervisor/process/private_mounts.h"
#include "supervisor/process/private_processes.h"
#include "supervisor/records/attempt_record.h"
#include "supervisor/records/report_line.h"
#include "supervisor/status_file.h"

struct pollfd;

namespace gp {

class Supervisor {
 public:
  // `directory` is the attempt's and must also be the working directory.  `agent` may be invalid;
  // `secrets` is invalid if there are none.
  Supervisor(Descriptor agent, Descriptor directory, Descriptor secrets = {});

  // Runs the attempt to its end.
  void Run();
  // Ends an attempt whose supervisor died: kill, epilog, final status kSupervisorLost.
  void Bury();

 private:
  enum class State { kProlog, kRunning, kStopping, kKilling, kEpilog, kDone };

  // supervisor.cc: the phases of the attempt.
  Status Prepare();
  Status TakeSecrets();
  Status OpenLogs();
  void Begin();
  void StartMain();
  Status StartMainProcess();
  void AwaitEntry();
  void CouldNotStart(EndCause cause, const std::string& why);
  void OnStartKnown(Child& child);
  void OnExit(Exit exit);
  void OnMainExit(const Exit& exit);
  void OnReaped();
  void LookAtGroupLater();
  void Stop(Duration grace, EndCause cause, const std::string& why);
  void SetLease(int64_t deadline_boot_ns);
  void OnLeaseLost();
  void SignalMain();
  void BeginKilling();
  void Kill();
  bool IsGone();
  void OnGone();
  void Finish();
  void JudgeMemory();
  void AddMessage(const std::string& text);

  // supervisor_hooks.cc: prolog and epilog.
  void StartHook(const std::string& program, State state);
  void OnHookExit(const Exit& exit);
  void KillHook();

  // supervisor_exec.cc: more processes inside the attempt.
  void OnExec(const ExecRequest& request);
  Status StartExec(const ExecRequest& request);
  void AnswerExec(Child& child);
  ChildPlan JobPlan() const;

  // supervisor_reports.cc: reports of the job, and requests for checkpoints.
  Status OpenReports();
  void BeginReports();
  void TakeReports();
  void TakeReport(const ReportLine& line);
  void TakeMetrics(const ReportLine& line);
  void TakeLinks(const ReportLine& line);
  void Refuse(const std::string& why);
  void NoteStep(const ReportLine& line);
  int64_t MetricsDue() const { return metrics_ ? metrics_->NextAtNs() : kNever; }
  void LookAtNext();
  Status StartLook();
  void OnLooked(const Exit& exit);
  void CloseReports();
  void OnReportTimeout();
  void OnCheckpointDue();
  bool AskForCheckpoint() const;

  // supervisor_discards.cc: surplus checkpoints.
  void OnDiscard(const DiscardRequest& request);
  void DiscardNext();
  void SpareFromDiscards(const std::string& written);
  void EndDiscards();

  // supervisor_loop.cc: waiting for events.
  void Loop();
  void WaitForEvents();
  std::vector<pollfd> AwaitedEvents();
  void LearnStarts(const std::vector<pollfd>& events);
  void PassOn(const std::vector<pollfd>& events);
  int64_t NextDeadline() const;
  void OnSignals();
  void OnTimer();
  void OnNobodyEntered();
  void OnMessages();

  Descriptor directory_;
  AgentLink link_;
  Descriptor agent_;
  Descriptor secrets_;
  Descriptor signals_;
  DeadlineTimer timer_;
  LaunchRecord launch_;
  JobCgroups cgroups_;
  bool has_own_mounts_ = false;
  bool has_own_network_ = false;
  PrivateProcesses processes_;
  StatusFile status_file_;
  std::optional<LogStream> output_;
  std::optional<LogStream> errors_;
  Descriptor null_;
  std::optional<ReportPipe> reports_;
  std::optional<MetricFile> metrics_;
  std::deque<CheckpointReport> unseen_;  // reported, and not yet checked
  int64_t reported_ = 0;                 // number of checkpoints so far
  bool is_looking_ = false;              // a child checks the first of them
  Descriptor look_;                      // the child's result
  DiscardRequest discards_;              // still to be removed
  // Paths of the newest request that are removed, being removed, or written again
  std::vector<std::string> removed_;

  State state_ = State::kProlog;
  AttemptStatus status_;
  bool status_changed_ = false;
  bool burying_ = false;
  Children children_;
  pid_t main_pid_ = 0;  // also its process group; kept after its end
  bool main_ended_ = false;
  bool lease_lost_ = false;
  bool hook_overdue_ = false;
  bool epilog_done_ = false;

  // CLOCK_BOOTTIME; kNever: not set.
  int64_t lease_deadline_ = kNever;
  int64_t stop_deadline_ = kNever;
  int64_t hook_deadline_ = kNever;
  int64_t entry_deadline_ = kNever;  // an interactive attempt's main process must have come
  int64_t kill_again_at_ = kNever;
  // The main process has ended, but others of its group may use the grace
  int64_t group_look_at_ = kNever;
  int64_t reports_next_ = kNever;  // earliest next read; kNever: as soon as there are any
  int64_t metrics_told_ = 0;       // metrics change the status at most once a second
  int64_t hang_deadline_ = kNever;
  int64_t checkpoint_due_ = kNever;
  int64_t look_deadline_ = kNever;
  int64_t looks_until_ = kNever;  // deadline of all checks together
  int64_t killing_since_ = 0;
};

}  // namespace gp
