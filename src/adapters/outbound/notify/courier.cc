#include "adapters/outbound/notify/courier.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "adapters/outbound/notify/deliver.h"

namespace gp {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kFirstPause{1};
constexpr std::chrono::seconds kLongestPause{300};
constexpr int kDoublings = 9;  // from the first pause to more than the longest
constexpr Duration kGivenUpAfter = Duration::Minutes(24 * 60);

}  // namespace

Result<std::unique_ptr<Courier>> Courier::Start(const NotifyConfig& config, const NotifyRule& rule, const std::string& directory, NotifySay say, Clock& clock) {
  Outbox outbox = GP_TRY(Outbox::Open(directory));
  auto told = ReadTold(directory + "/told");
  if (!told) {  // a new receiver is not told of old times
    told = Told{clock.Now(), {}};
    GP_CHECK_OK(KeepTold(directory + "/told", *told));
  }
  return std::unique_ptr<Courier>(new Courier(config, rule, directory, std::move(say), clock, std::move(outbox), *std::move(told)));
}

Courier::Courier(const NotifyConfig& config, const NotifyRule& rule, std::string directory, NotifySay say, Clock& clock, Outbox outbox, Told told)
    : config_(config), rule_(rule), directory_(std::move(directory)), say_(std::move(say)), clock_(clock), stop_fd_(eventfd(0, EFD_CLOEXEC)),
      outbox_(std::move(outbox)), told_(told), begun_with_(std::move(told)), thread_([this] { Run(); }) {}

Courier::~Courier() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  const uint64_t one = 1;
  (void)!write(stop_fd_, &one, sizeof one);
  told_of_.notify_one();
  thread_.join();
  close(stop_fd_);
}

void Courier::Tell(Notification notification, bool can_be_found) {
  {
    const std::lock_guard lock(mutex_);
    if (news_.size() >= Outbox::kWaitingMax) {
      ++lost_;
      return;
    }
    news_.push_back({std::move(notification), can_be_found});
  }
  told_of_.notify_one();
}

void Courier::Run() {
  std::optional<SteadyClock::time_point> next = SteadyClock::now();
  std::unique_lock lock(mutex_);
  while (true) {
    const auto is_called = [this] { return is_ending_ || !news_.empty() || lost_ > 0; };
    if (next) {
      told_of_.wait_until(lock, *next, is_called);
    } else {
      told_of_.wait(lock, is_called);
    }
    std::vector<News> news = std::exchange(news_, {});
    const size_t lost = std::exchange(lost_, 0);
    const bool is_ending = is_ending_;
    lock.unlock();
    Keep(std::move(news), lost);
    if (is_ending) return;
    if (failures_ == 0 || !next || SteadyClock::now() >= *next) next = TryFirst();
    lock.lock();
  }
}

void Courier::Keep(std::vector<News> news, size_t lost) {
  if (news.empty() && lost == 0) return;
  for (const News& one : news) {
    if (one.can_be_found && told_.Has(one.notification.id)) continue;
    const Status kept = outbox_.Add(one.notification.at, ToJson(one.notification));
    if (!kept) {
      ++lost;
      if (!std::exchange(is_disk_bad_, true)) Say(LogLevel::kError, kept.error().message + "; what happens is not kept for it");
      continue;
    }
    is_disk_bad_ = false;
    told_.until = std::max(told_.until, one.notification.at);
    if (one.can_be_found) told_.Add(one.notification.id);
  }
  if (const Status kept = KeepTold(directory_ + "/told", told_); !kept && !std::exchange(is_disk_bad_, true)) Say(LogLevel::kError, kept.error().message);
  if (lost > 0) Say(LogLevel::kError, std::to_string(lost) + " notifications are lost");
}

std::optional<SteadyClock::time_point> Courier::TryFirst() {
  const auto waiting = outbox_.First();
  if (!waiting) return std::nullopt;
  const Status delivered = Deliver(config_, rule_, waiting->body, clock_.Now(), stop_fd_);
  if (delivered) {
    outbox_.Remove(waiting->number);
    if (std::exchange(failures_, 0) > 0) Say(LogLevel::kInfo, "is reached again");
    return SteadyClock::now();
  }
  const Duration age = clock_.Now() - Instant{static_cast<int64_t>(waiting->number)};
  if (delivered.error().code != ErrorCode::kUnavailable || age > kGivenUpAfter) {
    Refused(*waiting, delivered.error().message);
    return SteadyClock::now();
  }
  {
    const std::lock_guard lock(mutex_);
    if (is_ending_) return SteadyClock::now();  // it was not the receiver that failed
  }
  if (failures_ == 0) Say(LogLevel::kWarning, delivered.error().message + "; it is tried again");
  const auto pause = std::min<std::chrono::seconds>(kFirstPause * (1 << std::min(failures_, kDoublings)), kLongestPause);
  ++failures_;
  return SteadyClock::now() + pause;
}

void Courier::Refused(const Outbox::Waiting& waiting, const std::string& why) {
  outbox_.Refuse(waiting.number);
  failures_ = 0;
  Say(LogLevel::kError, why + "; given up, it is kept in " + directory_ + "/refused");
}

}  // namespace gp
