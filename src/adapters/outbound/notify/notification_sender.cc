#include "adapters/outbound/notify/notification_sender.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "adapters/outbound/notify/deliver.h"
#include "base/ignore_result.h"

namespace gp {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kFirstPause{1};
constexpr std::chrono::seconds kLongestPause{300};
constexpr int kDoublings = 9;  // from the first delay to more than the longest
constexpr std::chrono::minutes kSayLostEvery{1};
constexpr int kSyncedOneByOne = 16;  // more files are synced together
constexpr Duration kGivenUpAfter = Duration::Minutes(24 * 60);
constexpr Duration kTriedAtLeast = Duration::Minutes(60);

std::string Count(size_t number) {
  return std::to_string(number) + (number == 1 ? " notification" : " notifications");
}

// The stored cursor; a new receiver, or one with another filter, starts at the current time.  If
// the journal was lost, the stored time may be in the future: then it becomes the current time.
DeliveryCursor StandOf(const std::string& path, const Receiver& receiver, Instant now,
                       const std::function<void(const std::string&)>& warn) {
  const std::string wish = WishOf(receiver);
  auto cursor = ReadDeliveryCursor(path);
  if (cursor && cursor->wish == wish) {
    cursor->until = std::min(cursor->until, now);
    return *std::move(cursor);
  }
  const bool is_damaged = !cursor && cursor.error().code != ErrorCode::kNotFound;
  if (!is_damaged) return {wish, now, {}};
  warn(cursor.error().message + "; what happened since yesterday may be sent again");
  return {wish, now - kGivenUpAfter, {}};
}

}  // namespace

Result<std::unique_ptr<NotificationSender>> NotificationSender::Start(const NotifyConfig& config,
                                                                      const Receiver& receiver,
                                                                      const std::string& directory,
                                                                      NotifySay say, Clock& clock,
                                                                      LedgerTime ledger_now) {
  const Instant now = ledger_now();
  Outbox outbox = GP_TRY(Outbox::Open(directory, now));
  const auto warn = [&](const std::string& text) {
    say(LogLevel::kWarning, "notify: " + receiver.name + ": " + text);
  };
  const DeliveryCursor cursor = StandOf(directory + "/told", receiver, now, warn);
  GP_CHECK_OK(SaveDeliveryCursor(directory + "/told", cursor));
  return std::unique_ptr<NotificationSender>(
      new NotificationSender(config, receiver, directory, std::move(say), clock,
                             std::move(ledger_now), std::move(outbox), cursor));
}

NotificationSender::NotificationSender(const NotifyConfig& config, const Receiver& receiver,
                                       std::string directory, NotifySay say, Clock& clock,
                                       LedgerTime ledger_now, Outbox outbox, DeliveryCursor cursor)
    : config_(config),
      receiver_(receiver),
      directory_(std::move(directory)),
      say_(std::move(say)),
      clock_(clock),
      ledger_now_(std::move(ledger_now)),
      began_at_(ledger_now_()),
      queued_until_(cursor.until),
      stop_fd_(eventfd(0, EFD_CLOEXEC)),
      cursor_(std::move(cursor)),
      outbox_(std::move(outbox)),
      keeping_([this] { RunKeeping(); }),
      bringing_([this] { RunBringing(); }) {}

void NotificationSender::End() {
  {
    const std::scoped_lock locks(mutex_, box_mutex_);
    is_ending_ = true;
  }
  const uint64_t one = 1;
  IgnoreResult(write(stop_fd_, &one, sizeof one),
               "a descriptor that is full wakes its reader, too");
  arrived_.notify_one();
  kept_.notify_one();
}

void NotificationSender::Join() {
  keeping_.join();
  bringing_.join();
}

NotificationSender::~NotificationSender() {
  if (keeping_.joinable()) {
    End();
    Join();
  }
  close(stop_fd_);
}

void NotificationSender::Tell(Notification notification, std::optional<Instant> found_at) {
  {
    const std::lock_guard lock(mutex_);
    if (news_.size() >= Outbox::kWaitingMax) {
      ++untaken_;
      return;
    }
    news_.push_back({std::move(notification), found_at});
  }
  arrived_.notify_one();
}

NotificationSender::Backlog NotificationSender::backlog() const {
  const std::scoped_lock locks(mutex_, box_mutex_);
  return {outbox_.size() + news_.size(), problem_};
}

bool NotificationSender::IsEnding() const {
  const std::lock_guard lock(mutex_);
  return is_ending_;
}

void NotificationSender::SetProblem(const std::string& problem) {
  const std::lock_guard lock(mutex_);
  problem_ = problem;
}

void NotificationSender::RunKeeping() {
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait(lock, [this] { return is_ending_ || !news_.empty(); });
    const std::vector<News> news = std::exchange(news_, {});
    const size_t untaken = std::exchange(untaken_, 0);
    const bool is_ending = is_ending_;
    lock.unlock();
    if (!news.empty()) Keep(news, untaken);
    if (is_ending) return;
    lock.lock();
  }
}

void NotificationSender::Keep(const std::vector<News>& news, size_t lost) {
  const auto found =
      std::ranges::count_if(news, [](const News& one) { return one.found_at.has_value(); });
  const bool are_many = found > kSyncedOneByOne;
  for (const News& one : news)
    lost +=
        KeepOne(one, one.found_at && !are_many ? Survives::kPowerCut : Survives::kCrash) ? 0 : 1;
  // The cursor is saved after the files: otherwise a notification could be marked as queued and be
  // missing.
  Status kept = are_many ? outbox_.Sync() : Ok();
  if (kept && found > 0) kept = SaveDeliveryCursor(directory_ + "/told", cursor_);
  if (!kept && !std::exchange(is_disk_bad_, true)) Say(LogLevel::kError, kept.error().message);
  lost_ += lost;
  const auto now = SteadyClock::now();
  if (lost_ == 0 || (said_lost_at_ && now < *said_lost_at_ + kSayLostEvery)) return;
  said_lost_at_ = now;
  Say(LogLevel::kError, Count(std::exchange(lost_, 0)) +
                            " lost: " + std::to_string(Outbox::kWaitingMax) +
                            " wait already, or the disk accepts no more");
}

// False: the notification is lost.
bool NotificationSender::KeepOne(const News& one, Survives survives) {
  if (one.found_at && cursor_.Has(one.notification.id)) return true;
  const Status kept = PutIntoBox(one, survives);
  if (!kept && kept.error().code != ErrorCode::kResourceExhausted &&
      !std::exchange(is_disk_bad_, true))
    Say(LogLevel::kError, kept.error().message);
  if (kept) is_disk_bad_ = false;
  if (one.found_at && kept) cursor_.Add(one.notification.id, *one.found_at);
  return kept.has_value();
}

Status NotificationSender::PutIntoBox(const News& one, Survives survives) {
  const Instant now = ledger_now_();
  const auto number = [&] {
    const std::lock_guard lock(box_mutex_);
    return outbox_.Number(one.found_at.value_or(now));
  }();
  if (!number) return gp::Fail(number.error());
  GP_CHECK_OK(outbox_.Write(*number, ToJson(one.notification), survives));
  {
    const std::lock_guard lock(box_mutex_);
    outbox_.Insert(*number, now);
  }
  kept_.notify_one();
  return Ok();
}

void NotificationSender::RunBringing() {
  std::optional<SteadyTime> next = SteadyClock::now();
  while (!IsEnding()) {
    {
      std::unique_lock lock(box_mutex_);
      if (next) {
        kept_.wait_until(lock, *next, [this] { return is_ending_; });
      } else {
        kept_.wait(lock, [this] { return is_ending_ || outbox_.size() > 0; });
      }
      if (is_ending_) return;
    }
    next = BringFirst();
  }
}

std::optional<NotificationSender::SteadyTime> NotificationSender::BringFirst() {
  std::optional<Outbox::Waiting> waiting;
  {
    std::unique_lock lock(box_mutex_);
    auto first = outbox_.First();
    lock.unlock();
    if (!first) {
      Say(LogLevel::kError, first.error().message);
      return SteadyClock::now() + kLongestPause;
    }
    waiting = *std::move(first);
  }
  if (!waiting) {
    SetProblem("");
    return std::nullopt;
  }
  const Status brought = Deliver(config_, receiver_, waiting->body, clock_.Now(), stop_fd_);
  if (!brought) return Fail(*waiting, brought.error());
  {
    const std::lock_guard lock(box_mutex_);
    outbox_.Remove(waiting->number);
  }
  SetProblem("");
  if (std::exchange(failures_, 0) > 0) Say(LogLevel::kInfo, "is reached again");
  return SteadyClock::now();
}

std::optional<NotificationSender::SteadyTime> NotificationSender::Fail(
    const Outbox::Waiting& waiting, const Error& error) {
  if (IsEnding()) return std::nullopt;  // the stop aborted the delivery; the receiver did not fail
  SetProblem(error.message);
  if (error.code != ErrorCode::kUnavailable) {
    {
      const std::lock_guard lock(box_mutex_);
      outbox_.Refuse(waiting.number);
    }
    failures_ = 0;  // it answered
    Say(LogLevel::kError, error.message + "; given up, see " + directory_ + "/refused");
    return SteadyClock::now();
  }
  const size_t given_up = GiveUpOld();
  if (given_up > 0)
    Say(LogLevel::kError, error.message + "; " + Count(given_up) + " given up after a day, see " +
                              directory_ + "/refused");
  if (given_up == 0 && failures_ == 0) Say(LogLevel::kWarning, error.message + "; it is retried");
  const auto pause = std::min<std::chrono::seconds>(
      kFirstPause * (1 << std::min(failures_, kDoublings)), kLongestPause);
  ++failures_;
  return SteadyClock::now() + pause;
}

// After a reboot only the wall clock knows how long no controller ran, so whatever waits still gets
// its tries.
size_t NotificationSender::GiveUpOld() {
  const Instant now = ledger_now_();
  if (now - began_at_ < kTriedAtLeast) return 0;
  const std::lock_guard lock(box_mutex_);
  return outbox_.RefuseBefore(now - kGivenUpAfter);
}

}  // namespace gp
