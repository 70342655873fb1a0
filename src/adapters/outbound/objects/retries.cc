#include "adapters/outbound/objects/retries.h"

#include <poll.h>

#include <algorithm>
#include <ctime>

namespace gp {
namespace {

int64_t MonotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * Duration::Seconds(1).ns + now.tv_nsec;
}

}  // namespace

bool IsTransient(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kDeadlineExceeded;
}

Retries::Retries(const RetryLimits& limits, int stop_fd)
    : limits_(limits),
      stop_fd_(stop_fd),
      random_(std::random_device()()),
      progress_ns_(MonotonicNs()),
      pause_(limits.first) {}

void Retries::NoteProgress() {
  progress_ns_ = MonotonicNs();
  pause_ = limits_.first;
}

// Between half of the pause and all of it, so that many clients do not come back at one moment.
bool Retries::Wait(const Error& error, Duration asked) {
  if (!IsTransient(error)) return false;
  const int64_t half = pause_.ns / 2;
  const Duration drawn{half + std::uniform_int_distribution<int64_t>(0, half)(random_)};
  const Duration pause = std::min(std::max(drawn, asked), limits_.longest);
  pause_ = std::min(pause_ * 2, limits_.longest);
  if (MonotonicNs() + pause.ns - progress_ns_ > limits_.stall.ns) return false;
  pollfd stop{stop_fd_, POLLIN, 0};
  return poll(&stop, 1, static_cast<int>(pause.ToMilliseconds())) <= 0;
}

}  // namespace gp
