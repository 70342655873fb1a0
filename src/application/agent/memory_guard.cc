#include "application/agent/memory_guard.h"

namespace gp {

std::vector<MemoryOveruse> MemoryGuard::Read(int gpu,
                                             const std::map<std::string, int64_t>& used_mib,
                                             const std::map<std::string, GpuPart>& granted) {
  std::vector<MemoryOveruse> found;
  for (const auto& [key, part] : granted) {
    const auto used = used_mib.find(key);
    const bool is_over =
        used != used_mib.end() && used->second > part.memory_mib + options_.tolerance_mib;
    if (!is_over) {
      over_.erase({key, gpu});
    } else if (++over_[{key, gpu}] >= options_.readings) {
      found.push_back({key, part, used->second});
    }
  }
  // Drops the counts of attempts that are gone.
  std::erase_if(over_, [&](const auto& entry) {
    return entry.first.second == gpu && !granted.contains(entry.first.first);
  });
  return found;
}

std::string ToText(const MemoryOveruse& overuse) {
  return "used " + std::to_string(overuse.used_mib) + " MiB of the memory of GPU " +
         std::to_string(overuse.part.gpu) + ", of which it was granted " +
         std::to_string(overuse.part.memory_mib) + " MiB";
}

}  // namespace gp
