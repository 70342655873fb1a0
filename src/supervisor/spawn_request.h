#pragma once

// What the agent and its nursery say to each other: one packet asks for a supervisor, one answers.

#include <string>

namespace gp {

// The nursery's only descriptor besides 0, 1 and 2.
inline constexpr int kForkServerFd = 3;

// Beside the packet, in this order: the supervisor's end of the conversation with the agent, the
// attempt's directory, and the launch file, locked for as long as the supervisor lives; then, where
// there are any, the attempt's secrets (secret_memory.h).
struct SpawnRequest {
  bool only_clean_up = false;  // only to end what a dead supervisor left
  std::string key;
};
std::string EncodeSpawnRequest(const SpawnRequest& request);
SpawnRequest DecodeSpawnRequest(const std::string& bytes);

// The answer: the pid as a decimal number, or minus an errno.

}  // namespace gp
