#include "adapters/inbound/rest/pump.h"

#include <algorithm>
#include <exception>

namespace gp {

// Call it under the lock, so that a replaced function is never called afterwards.
void Pump::Tell() {
  if (tell_) tell_();
}

void Pump::Begin() {
  const std::lock_guard lock(mutex_);
  has_begun_ = true;
  Tell();
}

bool Pump::Write(std::string piece) {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [this] { return is_abandoned_ || unsent_.size() < kUnsentMax; });
  if (is_abandoned_) return false;
  has_begun_ = true;
  const bool is_news = unsent_.empty();
  unsent_ += piece;
  if (is_news) Tell();
  return true;
}

bool Pump::IsGone() const {
  const std::lock_guard lock(mutex_);
  return is_abandoned_;
}

void Pump::End(Status made) {
  const std::lock_guard lock(mutex_);
  ended_ = std::move(made);
  Tell();
}

bool Pump::HasEnded() const {
  const std::lock_guard lock(mutex_);
  return ended_.has_value();
}

std::optional<std::string> Pump::Take() {
  const std::lock_guard lock(mutex_);
  if (unsent_.empty() && ended_) return std::nullopt;
  taken_.notify_all();
  return std::exchange(unsent_, {});
}

std::optional<Error> Pump::Failure() const {
  const std::lock_guard lock(mutex_);
  return ended_ && !*ended_ ? std::optional(ended_->error()) : std::nullopt;
}

bool Pump::HasBegun() const {
  const std::lock_guard lock(mutex_);
  return has_begun_ || ended_;
}

void Pump::OnNews(std::function<void()> tell) {
  const std::lock_guard lock(mutex_);
  tell_ = std::move(tell);
}

void Pump::Abandon() {
  const std::lock_guard lock(mutex_);
  is_abandoned_ = true;
  taken_.notify_all();
}

Pumps::~Pumps() {
  Abandon();
  for (Running& one : running_) one.thread.join();
}

void Pumps::Abandon() {
  const std::lock_guard lock(mutex_);
  for (Running& one : running_) one.pump->Abandon();
}

Result<std::shared_ptr<Pump>> Pumps::Start(const std::string& owner, Make make) {
  const std::lock_guard lock(mutex_);
  std::erase_if(running_, [](Running& one) {
    const bool has_ended = one.pump->HasEnded();
    if (has_ended) one.thread.join();
    return has_ended;
  });
  const auto own = static_cast<size_t>(std::ranges::count(running_, owner, &Running::owner));
  if (running_.size() >= max_ || own >= max_of_one_) {
    return Fail(Unavailable("too many jobs are followed, at most " + std::to_string(max_of_one_) +
                            " by one user and " + std::to_string(max_) +
                            " in all: try again later"));
  }
  auto pump = std::make_shared<Pump>();
  running_.push_back({owner, pump, std::thread([pump, make = std::move(make)] {
                        try {
                          pump->End(make(*pump));
                        } catch (const std::exception& error) {
                          pump->End(Fail(Internal(error.what())));
                        }
                      })});
  return pump;
}

PumpedStream::~PumpedStream() {
  pump_->OnNews({});
  pump_->Abandon();
}

std::string PumpedStream::Heartbeat() {
  const Status may = may_go_on_();
  if (may) return beat_;
  stopped_by_ = may.error();
  pump_->Abandon();
  return "";
}

}  // namespace gp
