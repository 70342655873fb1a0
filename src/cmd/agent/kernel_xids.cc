#include "cmd/agent/kernel_xids.h"

#include <algorithm>
#include <cctype>
#include <fstream>

namespace gp {
namespace {

// Domain, bus and device without leading zeros and function, in small letters: "0:1b:0".
std::string Plain(const std::string& bus_id) {
  std::string plain;
  bool begins = true;  // of a number
  for (size_t i = 0; i < bus_id.size() && bus_id[i] != '.'; ++i) {
    const char c = static_cast<char>(std::tolower(static_cast<unsigned char>(bus_id[i])));
    const bool is_last = i + 1 == bus_id.size() || bus_id[i + 1] == ':' || bus_id[i + 1] == '.';
    if (c == '0' && begins && !is_last) continue;
    plain += c;
    begins = c == ':';
  }
  return plain;
}

}  // namespace

bool IsSameBus(const std::string& a, const std::string& b) { return Plain(a) == Plain(b); }

LeaseId LeaseOfProcess(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cgroup");
  for (std::string line; std::getline(file, line);) {
    for (size_t at = line.find("/lease-"); at != std::string::npos;
         at = line.find("/lease-", at + 1)) {
      const size_t end = line.find('/', at + 1);
      if (const auto lease =
              ParseLeaseKey(line.substr(at + 1, end == std::string::npos ? end : end - at - 1)))
        return *lease;
    }
  }
  return {};
}

std::vector<SeenXid> TakeKernelXids(KernelLog& log, const std::vector<std::string>& bus_ids,
                                    const std::function<LeaseId(int gpu, int instance)>& lease_in) {
  std::vector<SeenXid> seen;
  for (const KernelXid& line : log.Take()) {
    const auto gpu = std::ranges::find_if(
        bus_ids, [&](const std::string& bus_id) { return IsSameBus(bus_id, line.bus_id); });
    const bool is_known = gpu != bus_ids.end();
    if (!is_known && line.kind == SignalKind::kXid) continue;
    const int position = is_known ? static_cast<int>(gpu - bus_ids.begin()) : -1;
    LeaseId lease = line.pid ? LeaseOfProcess(*line.pid) : LeaseId{};
    if (lease.value == 0 && line.gpu_instance) lease = lease_in(position, *line.gpu_instance);
    seen.push_back({position, line.xid, XidSource::kKernelLog, lease, DriverAdvice::kUnknown,
                    line.reported, line.is_fatal, line.text, line.kind, line.is_of_peer});
  }
  return seen;
}

}  // namespace gp
