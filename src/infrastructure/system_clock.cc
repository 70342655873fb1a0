#include "infrastructure/system_clock.h"

#include "infrastructure/paths.h"

namespace gp {

std::string SystemClock::BootId() {
  const auto id = ReadTextFile("/proc/sys/kernel/random/boot_id");
  return id ? id->substr(0, id->find('\n')) : "";
}

}  // namespace gp
