#pragma once

// Brings notifications to one receiver, one after the other: one that is away holds up nobody else.  What cannot be
// brought now waits in files, is tried again ever more seldom, and is given up after a day.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "adapters/outbound/notify/notification.h"
#include "adapters/outbound/notify/outbox.h"
#include "adapters/outbound/notify/told.h"
#include "ports/outbound/clock.h"

namespace gp {

using NotifySay = std::function<void(LogLevel, const std::string&)>;

class Courier {
 public:
  // `directory`: of this receiver alone.  `say` is called from the courier's thread.
  static Result<std::unique_ptr<Courier>> Start(const NotifyConfig& config, const NotifyRule& rule, const std::string& directory, NotifySay say, Clock& clock);
  // What was told is in files by then.
  ~Courier();

  const NotifyRule& rule() const { return rule_; }
  // As far as it got before this process; from when on to look for more.
  Instant told_until() const { return begun_with_.until; }

  // Any thread; waits for nothing.  `can_be_found`: by HappenedSince, after a crash; such a one is taken once.
  void Tell(Notification notification, bool can_be_found);

 private:
  struct News {
    Notification notification;
    bool can_be_found = false;
  };

  Courier(const NotifyConfig& config, const NotifyRule& rule, std::string directory, NotifySay say, Clock& clock, Outbox outbox, Told told);
  void Run();
  void Keep(std::vector<News> news, size_t lost);
  // When to try again; nullopt: nothing waits.
  std::optional<std::chrono::steady_clock::time_point> TryFirst();
  void Refused(const Outbox::Waiting& waiting, const std::string& why);
  void Say(LogLevel level, const std::string& text) { say_(level, "notify: " + rule_.name + ": " + text); }

  const NotifyConfig config_;
  const NotifyRule rule_;
  const std::string directory_;
  const NotifySay say_;
  Clock& clock_;
  int stop_fd_;  // readable: end what runs

  Outbox outbox_;
  Told told_;
  const Told begun_with_;
  int failures_ = 0;  // of the first that waits, in a row
  bool is_disk_bad_ = false;

  std::mutex mutex_;
  std::condition_variable told_of_;
  std::vector<News> news_;
  size_t lost_ = 0;  // told of while as many waited as may
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace gp
