#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "adapters/outbound/notify/metric_teller.h"
#include "adapters/outbound/notify/notification_sender.h"
#include "base/text.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

// Notifies receivers of committed events.  The writer's thread calls OnCommit and CatchUp, which
// only fill queues.
class Notifier : public CommitObserver {
 public:
  // `directory`: each receiver has a subdirectory.  What `clock` and `ledger_now` use must outlive
  // the notifier. kInternal: the directories cannot be made.
  static Result<std::unique_ptr<Notifier>> Start(NotifyConfig config, std::string directory,
                                                 NotifySay say, Clock& clock, LedgerTime ledger_now,
                                                 JobReportSource reports = {});
  ~Notifier() override;

  // Replaces the receivers.  An unchanged receiver continues.  A changed one stops, which may take
  // as long as its current delivery, and is started again; it misses events in between, except ends
  // of jobs and incidents if its filter is unchanged.  Returns what has changed, and which
  // receivers could not start.  One caller at a time.
  std::vector<std::string> Reload(NotifyConfig config);

  // Queues events that are found again in the state: those from before a crash of the previous
  // controller, or from while a receiver was restarted.  Runs on the writer's thread; OnCommit does
  // it first if nobody has called it.
  void CatchUp(const State& state);
  void OnCommit(const State& state, const CommittedRecords& committed) override;

  // For all receivers; any thread.
  std::vector<std::pair<Receiver, NotificationSender::Backlog>> Backlogs() const;
  // The receivers that jobs may name.
  std::vector<std::string> NamedByJobs() const;

 private:
  struct Desk {
    std::shared_ptr<NotificationSender> sender;
    std::shared_ptr<MetricTeller> metrics;  // nullptr: it does not hear of them
    bool has_caught_up = false;
  };

  Notifier(NotifyConfig config, std::string directory, NotifySay say, Clock& clock,
           LedgerTime ledger_now, JobReportSource reports)
      : directory_(std::move(directory)),
        say_(std::move(say)),
        clock_(clock),
        ledger_now_(std::move(ledger_now)),
        reports_(std::move(reports)),
        config_(std::move(config)) {}
  Status Begin(const NotifyConfig& config, const Receiver& receiver);
  static void EndAll(const std::vector<Desk>& desks);
  // Replaces the configuration.  Returns the desks of receivers that are gone or changed.
  std::vector<Desk> TakeConfig(const NotifyConfig& config, std::vector<std::string>& changes);
  // Begins with the receivers that have no desk.
  void BeginMissing(const NotifyConfig& config, std::vector<std::string>& changes);
  std::string NextId(Instant at) {
    return ToBase32(static_cast<uint64_t>(at.ns)) + "." + std::to_string(++notifications_);
  }
  bool HasDeskOf(const Receiver& receiver) const;
  // REQUIRES: the mutex is held.
  void CatchUpAll(const State& state);

  const std::string directory_;
  const NotifySay say_;
  Clock& clock_;
  const LedgerTime ledger_now_;
  const JobReportSource reports_;
  uint64_t notifications_ = 0;

  mutable std::mutex mutex_;  // held briefly, also by the writer's thread
  NotifyConfig config_;
  std::vector<Desk> desks_;
};

}  // namespace gp
