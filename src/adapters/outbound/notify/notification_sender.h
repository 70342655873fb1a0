#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "adapters/outbound/notify/delivery_cursor.h"
#include "adapters/outbound/notify/notification.h"
#include "adapters/outbound/notify/outbox.h"
#include "ports/outbound/clock.h"

namespace gp {

using NotifySay = std::function<void(LogLevel, const std::string&)>;
// The current time by the instants of the ledger; called by any thread.
using LedgerTime = std::function<Instant()>;

// Delivers notifications to one receiver, one at a time: an unavailable receiver does not delay the
// others.  One thread writes notifications to files at once and never waits for the receiver.
// Another delivers them; it retries a failed delivery at growing intervals and gives up after a day
// of the ledger's time.
class NotificationSender {
 public:
  // `directory`: used only by this receiver.  `say` is called on the sender's threads.  `clock`:
  // its wall clock is sent to the receiver. kInternal: its files cannot be used.
  static Result<std::unique_ptr<NotificationSender>> Start(const NotifyConfig& config,
                                                           const Receiver& receiver,
                                                           const std::string& directory,
                                                           NotifySay say, Clock& clock,
                                                           LedgerTime ledger_now);
  // When it returns, every notification given to Tell is in a file.
  ~NotificationSender();
  // Starts the shutdown without waiting, so that several senders can shut down at once.
  void End();
  // Waits for the shutdown.  Call it once.
  void Join();

  const Receiver& receiver() const { return receiver_; }
  // Up to where notifications were queued before this process started, by the state's time.
  Instant queued_until() const { return queued_until_; }

  struct Backlog {
    size_t waiting = 0;   // notifications that are not delivered yet
    std::string problem;  // of the oldest one; empty: none
  };
  Backlog backlog() const;  // any thread

  // Any thread; does not block.  `found_at`: for events that HappenedSince finds, when they
  // happened by the state's time; such an event is queued only once.
  void Tell(Notification notification, std::optional<Instant> found_at);

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct News {
    Notification notification;
    std::optional<Instant> found_at;
  };

  NotificationSender(const NotifyConfig& config, const Receiver& receiver, std::string directory,
                     NotifySay say, Clock& clock, LedgerTime ledger_now, Outbox outbox,
                     DeliveryCursor cursor);
  void RunKeeping();
  void Keep(const std::vector<News>& news, size_t lost);
  bool KeepOne(const News& one, Survives survives);
  Status PutIntoBox(const News& one, Survives survives);
  void RunBringing();
  // When to retry; nullopt: when a notification is queued.
  std::optional<SteadyTime> BringFirst();
  std::optional<SteadyTime> Fail(const Outbox::Waiting& waiting, const Error& error);
  size_t GiveUpOld();
  void SetProblem(const std::string& problem);
  bool IsEnding() const;
  void Say(LogLevel level, const std::string& text) const {
    say_(level, "notify: " + receiver_.name + ": " + text);
  }

  const NotifyConfig config_;
  const Receiver receiver_;
  const std::string directory_;
  const NotifySay say_;
  Clock& clock_;
  const LedgerTime ledger_now_;
  const Instant began_at_;
  const Instant queued_until_;
  int stop_fd_;  // readable: stop what runs

  // Used only by the thread that writes files.
  DeliveryCursor cursor_;
  size_t lost_ = 0;  // since the last message about it
  std::optional<SteadyTime> said_lost_at_;
  bool is_disk_bad_ = false;
  // Used only by the thread that delivers.
  int failures_ = 0;  // in a row

  mutable std::mutex mutex_;  // held briefly, also by the writer's thread
  std::condition_variable arrived_;
  std::vector<News> news_;
  size_t untaken_ = 0;  // dropped because the queue was full
  bool is_ending_ = false;
  std::string problem_;

  mutable std::mutex box_mutex_;  // guards outbox_; held briefly, not while files are written
  std::condition_variable kept_;
  Outbox outbox_;

  std::thread keeping_;
  std::thread bringing_;
};

}  // namespace gp
