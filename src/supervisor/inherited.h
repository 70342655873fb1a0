#pragma once

// What the agent hands to a supervisor that it starts.

namespace gp {

inline constexpr int kAgentFd = 3;      // conversation with the agent
inline constexpr int kDirectoryFd = 4;  // the attempt's directory
inline constexpr int kLockFd = 5;       // `launch`, locked as long as the supervisor lives
inline constexpr int kInheritedEnd = 6;
inline constexpr const char* kBuryArgument = "bury";

}  // namespace gp
