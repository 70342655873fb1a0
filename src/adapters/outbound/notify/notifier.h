#pragma once

// Tells receivers outside of what is committed.  The writer's thread only puts it into queues.

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "adapters/outbound/notify/notification_sender.h"
#include "base/text.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

class Notifier : public CommitObserver {
 public:
  // `directory`: below it each receiver has one of its own.  What `clock` and `ledger_now` ask
  // outlives the notifier.  kInternal: the directories cannot be made.
  static Result<std::unique_ptr<Notifier>> Start(NotifyConfig config, std::string directory,
                                                 NotifySay say, Clock& clock,
                                                 LedgerTime ledger_now);
  ~Notifier() override;

  // From now on these.  Who is the same goes on; who has changed ends, which may take as long as
  // what it does right now, and begins anew: what happens in between it does not hear, but for ends
  // of jobs and incidents where it wants what it wanted before.  Tells what has changed, and who
  // could not begin.  One caller at a time.
  std::vector<std::string> Reload(NotifyConfig config);

  // What happened when the controller before this one died, or while a receiver began anew, and is
  // found again in the state.  On the writer's thread, as OnCommit, which does it by itself where
  // it comes first.
  void CatchUp(const State& state);
  void OnCommit(const State& state, const std::vector<Event>& events) override;

  // Of all receivers; any thread.
  std::vector<std::pair<Receiver, NotificationSender::Backlog>> Backlogs() const;
  // Those that jobs may name.
  std::vector<std::string> NamedByJobs() const;

 private:
  struct Desk {
    std::shared_ptr<NotificationSender> sender;
    bool has_caught_up = false;
  };

  Notifier(NotifyConfig config, std::string directory, NotifySay say, Clock& clock,
           LedgerTime ledger_now)
      : directory_(std::move(directory)),
        say_(std::move(say)),
        clock_(clock),
        ledger_now_(std::move(ledger_now)),
        config_(std::move(config)) {}
  Status Begin(const NotifyConfig& config, const Receiver& receiver);
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
  uint64_t notifications_ = 0;

  mutable std::mutex mutex_;  // held for moments, by the writer's thread too
  NotifyConfig config_;
  std::vector<Desk> desks_;
};

}  // namespace gp
