#include "adapters/outbound/cgroup/host_use.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "adapters/outbound/cgroup/cgroup_file.h"

namespace gp {
namespace {

int64_t NumberIn(std::string_view text) {
  int64_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

int64_t ReadNumber(const std::string& path) {
  const auto text = ReadCgroupFile(path);
  return text ? NumberIn(*text) : -1;
}

// The number from "usage_usec 12345" in cpu.stat.
int64_t ReadCpuStat(const std::string& path) {
  constexpr std::string_view kUsage = "usage_usec ";
  const auto text = ReadCgroupFile(path);
  const size_t at = text ? text->find(kUsage) : std::string::npos;
  return at == std::string::npos ? -1
                                 : NumberIn(std::string_view(*text).substr(at + kUsage.size()));
}

}  // namespace

HostUse ReadHostUse(const CgroupPaths& paths) {
  constexpr int64_t kUsPerMs = 1'000;
  constexpr int64_t kNsPerMs = 1'000'000;
  int64_t cpu_ms = -1;
  int64_t memory = -1;
  if (!paths.unified.empty()) {
    if (const int64_t us = ReadCpuStat(paths.unified + "/cpu.stat"); us >= 0)
      cpu_ms = us / kUsPerMs;
    memory = ReadNumber(paths.unified + "/memory.peak");
  }
  for (const std::string& joined : paths.joined) {
    if (const int64_t ns = cpu_ms >= 0 ? -1 : ReadNumber(joined + "/cpuacct.usage"); ns >= 0)
      cpu_ms = ns / kNsPerMs;
    memory = std::max(memory, ReadNumber(joined + "/memory.max_usage_in_bytes"));
  }
  return {cpu_ms, memory < 0 ? -1 : memory >> 20};
}

}  // namespace gp
