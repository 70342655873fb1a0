#include "application/archive/archive_copier.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace gp {

ArchiveCopier::ArchiveCopier(Archiver& archiver, Clock& clock, OperatorLog& log, Times times,
                             Then then)
    : archiver_(archiver),
      clock_(clock),
      log_(log),
      times_(times),
      then_(std::move(then)),
      thread_([this] { Run(); }) {}

ArchiveCopier::~ArchiveCopier() {
  End();
  thread_.join();
}

bool ArchiveCopier::End() {
  std::unique_lock lock(mutex_);
  ends_ = true;
  ended_.notify_all();
  const auto wait = [&] {
    return ended_.wait_for(lock, std::chrono::nanoseconds(times_.last_max.ns),
                           [this] { return has_ended_; });
  };
  if (wait()) return true;
  then_.give_up();
  return wait();
}

void ArchiveCopier::Run() {
  Duration pause = times_.every;
  std::unique_lock lock(mutex_);
  while (!ends_) {
    lock.unlock();
    const bool is_well = Turn();
    lock.lock();
    pause = is_well ? times_.every : std::min(pause * 2, times_.pause_max);
    ended_.wait_for(lock, std::chrono::nanoseconds(pause.ns), [this] { return ends_; });
  }
  lock.unlock();
  Turn();
  lock.lock();
  has_ended_ = true;
  ended_.notify_all();
}

bool ArchiveCopier::Turn() {
  const Status turn = archiver_.Turn(clock_.Now(), clock_.BootNs());
  if (archiver_.IsClaimed()) {
    log_.Write(LogLevel::kError, turn ? "the archive is claimed" : turn.error().message);
    then_.on_claimed();
  }
  Hear(archiver_.status().trouble);
  return turn.has_value();
}

// Each trouble once, and its end.
void ArchiveCopier::Hear(const std::string& now) {
  if (now == trouble_) return;
  if (!now.empty())
    log_.Write(LogLevel::kWarning, "archive: " + now + "; it is tried again");
  else
    log_.Write(LogLevel::kInfo, "archive: it is copied again");
  trouble_ = now;
}

}  // namespace gp
