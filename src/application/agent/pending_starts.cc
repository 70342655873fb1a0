#include "application/agent/pending_starts.h"

#include <ranges>

namespace gp {

std::vector<LaunchSpec> PendingStarts::Waiting() const {
  const auto specs = std::views::values(waiting_);
  return {specs.begin(), specs.end()};
}

void PendingStarts::GiveUp(const LaunchSpec& spec, EndCause cause, const std::string& message) {
  AttemptStatus& status = ended_[spec.key];
  status.key = spec.key;
  status.phase = AttemptPhase::kExited;
  status.cause = cause;
  status.message = message;
  status.launch = std::make_shared<const LaunchSpec>(spec);
  waiting_.erase(spec.key);
}

std::optional<std::string> PendingStarts::TakeFailure(const std::string& key) {
  const auto ended = ended_.find(key);
  if (ended == ended_.end()) return std::nullopt;
  std::string message = std::move(ended->second.message);
  ended_.erase(ended);
  return message;
}

bool PendingStarts::Renew(const std::string& key, int64_t lease_deadline_boot_ns) {
  const auto waits = waiting_.find(key);
  if (waits != waiting_.end()) waits->second.lease_deadline_boot_ns = lease_deadline_boot_ns;
  return waits != waiting_.end();
}

bool PendingStarts::Stop(const std::string& key) {
  const auto waits = waiting_.find(key);
  if (waits == waiting_.end()) return false;
  const LaunchSpec spec = waits->second;
  GiveUp(spec, EndCause::kStopped, "stopped before it was started");
  return true;
}

void PendingStarts::AppendTo(std::vector<AttemptStatus>& statuses) const {
  for (const auto& [key, spec] : waiting_) {
    AttemptStatus status;
    status.key = key;
    status.launch = std::make_shared<const LaunchSpec>(spec);
    statuses.push_back(std::move(status));
  }
  for (const auto& [key, status] : ended_) statuses.push_back(status);
}

}  // namespace gp
