#include "domain/model/jobs/ports.h"

#include <cstdint>

namespace gp {
namespace {

// A prime, so that an attempt's port is far from those of the next jobs.
constexpr uint64_t kBetweenAttempts = 7'919;

uint64_t Mixed(JobId job, int attempt) {
  return job.value + static_cast<uint64_t>(attempt) * kBetweenAttempts;
}

}  // namespace

bool IsFirstPort(int port) {
  const int offset = port - kPortFirst;
  return offset >= 0 && offset < kPortBlocks * kPortsInBlock && offset % kPortsInBlock == 0;
}

int PreferredFirstPort(JobId job, int attempt) {
  return kPortFirst + static_cast<int>(Mixed(job, attempt) % kPortBlocks) * kPortsInBlock;
}

int UnleasedPort(JobId job, int attempt) {
  return kPortFirst + static_cast<int>(Mixed(job, attempt) % (kPortBlocks * kPortsInBlock));
}

}  // namespace gp
