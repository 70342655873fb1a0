// For LD_PRELOAD: the wall clock of a program is off by as many nanoseconds as stand in the file
// WALL_CLOCK_OFF, an int64 in the machine's byte order that may be rewritten at any time.  Other
// clocks are true.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;

int64_t Off() {
  static const volatile int64_t* const off = [] {
    const char* path = std::getenv("WALL_CLOCK_OFF");
    const int fd = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    void* map = fd < 0 ? MAP_FAILED : mmap(nullptr, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
    if (fd >= 0) close(fd);
    return map == MAP_FAILED ? nullptr : static_cast<const volatile int64_t*>(map);
  }();
  return off == nullptr ? 0 : *off;
}

}  // namespace

extern "C" int clock_gettime(clockid_t id, timespec* time) noexcept {
  const long failed = syscall(SYS_clock_gettime, id, time);
  if (failed == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
    const int64_t now = time->tv_sec * kNsPerSecond + time->tv_nsec + Off();
    time->tv_sec = now / kNsPerSecond;
    time->tv_nsec = now % kNsPerSecond;
  }
  return static_cast<int>(failed);
}

extern "C" int gettimeofday(timeval* time, void*) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1'000};
  return 0;
}

extern "C" time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}
