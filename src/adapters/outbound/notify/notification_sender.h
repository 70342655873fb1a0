#pragma once

// Brings notifications to one receiver, one after the other: one that is away holds up nobody else.
// What was told of is put into files at once, by a thread that waits for no receiver; what cannot
// be brought now is tried again ever more seldom, and is given up after a day of the ledger's time.

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
// What time it is by the instants of the ledger; called by any thread.
using LedgerTime = std::function<Instant()>;

class NotificationSender {
 public:
  // `directory`: of this receiver alone.  `say` is called from the courier's threads.  `clock`: its
  // wall clock is for the receiver.  kInternal: its files.
  static Result<std::unique_ptr<NotificationSender>> Start(const NotifyConfig& config,
                                                           const Receiver& receiver,
                                                           const std::string& directory,
                                                           NotifySay say, Clock& clock,
                                                           LedgerTime ledger_now);
  // What was told is in files by then.
  ~NotificationSender();
  // Begins to end; others can meanwhile.
  void End();
  // Waits for that; once.
  void Join();

  const Receiver& receiver() const { return receiver_; }
  // How far it got before this process, by the state's time.
  Instant queued_until() const { return queued_until_; }

  struct Backlog {
    size_t waiting = 0;   // notifications that were told of and not brought
    std::string problem;  // of the oldest; empty: it is well
  };
  Backlog backlog() const;  // any thread

  // Any thread; waits for nothing.  `found_at`: when it happened by the state's time, of what
  // HappenedSince finds; such a one is taken once.
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
  // When to try again; nullopt: when something is kept.
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
  int stop_fd_;  // readable: end what runs

  // Of the thread that keeps.
  DeliveryCursor cursor_;
  size_t lost_ = 0;  // since it was said last
  std::optional<SteadyTime> said_lost_at_;
  bool is_disk_bad_ = false;
  // Of the thread that brings.
  int failures_ = 0;  // in a row

  mutable std::mutex mutex_;  // held for moments, by the writer's thread too
  std::condition_variable arrived_;
  std::vector<News> news_;
  size_t untaken_ = 0;  // told of while as many waited as may
  bool is_ending_ = false;
  std::string problem_;

  mutable std::mutex box_mutex_;  // of what waits, for moments too: files are written beside it
  std::condition_variable kept_;
  Outbox outbox_;

  std::thread keeping_;
  std::thread bringing_;
};

}  // namespace gp
