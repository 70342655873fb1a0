#pragma once

// Messages between the agent and its fork server: one packet requests a supervisor, one answers.

#include <string>

namespace gp {

// The fork server's only descriptor besides 0, 1 and 2.
inline constexpr int kForkServerFd = 3;

// Attached descriptors, in this order: the supervisor's end of the connection to the agent; the
// attempt's directory; the launch file, locked while the supervisor lives; and the attempt's
// secrets if there are any (secret_memory.h).
struct SpawnRequest {
  bool only_clean_up = false;  // only end what a dead supervisor left
  std::string key;
};
std::string EncodeSpawnRequest(const SpawnRequest& request);
SpawnRequest DecodeSpawnRequest(const std::string& bytes);

// The answer: the pid as a decimal number, or minus an errno.

}  // namespace gp
