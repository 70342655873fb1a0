#include "cmd/serve/archive_verifier.h"

#include <sys/eventfd.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "infrastructure/paths.h"
#include "lib/spawn/run_command.h"

namespace gp {
namespace {

constexpr Duration kVerifyMax = Duration::Minutes(60L * 6);
// After a start there is more urgent work, and an archive that has just begun has nothing to check.
constexpr Duration kBeforeFirst = Duration::Minutes(10);
constexpr Duration kPause = Duration::Minutes(60);  // after one that failed
constexpr std::chrono::seconds kLookEvery{10};

}  // namespace

ArchiveVerifier::ArchiveVerifier(const ArchiveConfig& config, std::function<ArchiveStatus()> status,
                                 OperatorLog& log, Clock& clock)
    : config_(config),
      status_(std::move(status)),
      log_(log),
      clock_(clock),
      not_before_ns_(clock.BootNs() + kBeforeFirst.ns),
      stop_(eventfd(0, EFD_CLOEXEC)),
      thread_([this] { Run(); }) {}

ArchiveVerifier::~ArchiveVerifier() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  ended_.notify_all();
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void ArchiveVerifier::Run() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kLookEvery, [this] { return ends_; })) {
    lock.unlock();
    if (IsDue()) Verify();
    lock.lock();
  }
}

bool ArchiveVerifier::IsDue() const {
  const ArchiveStatus status = status_();
  const Instant due = status.verified.at + config_.verify_every;
  return clock_.BootNs() >= not_before_ns_ && clock_.Now() >= due && status.complete_until.ns != 0;
}

void ArchiveVerifier::Verify() {
  std::vector<std::string> words{"nice",
                                 "-n",
                                 "19",
                                 ExecutablePath(),
                                 "admin",
                                 "dr",
                                 "verify",
                                 config_.url,
                                 "--new",
                                 "--key",
                                 config_.key_file,
                                 "--lineage",
                                 std::to_string(status_().lineage)};
  if (!config_.credentials_file.empty())
    words.insert(words.end(), {"--credentials", config_.credentials_file});
  CommandOptions options;
  options.time_limit = kVerifyMax;
  options.stop_fd = stop_.get();
  const CommandEnd end = RunCommand(std::move(words), options);
  // The mark of a verification is seen at the next review.
  not_before_ns_ = clock_.BootNs() + kPause.ns;
  const std::scoped_lock lock(mutex_);
  if (end.ok || ends_) return;
  log_.Write(LogLevel::kError,
             "archive: its verification failed, see gpu-platform admin dr verify: " +
                 Printable(end.output, 1'000));
}

}  // namespace gp
