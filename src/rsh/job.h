#pragma once

// What the environment of a rank says of its job.

#include <cstdint>
#include <string>
#include <vector>

namespace gp::rsh {

struct Job {
  int rank = 0;
  std::vector<std::string> nodes;  // by rank
  std::string leader;              // address of rank 0's node
  uint16_t port = 0;               // where rank 0's leader listens
  std::string token;               // by which ranks know each other
};

// Reads GP_NODE_RANK, GP_NODE_LIST, GP_MASTER_ADDR, GP_PORTS and GP_JOB_TOKEN.  Ends the process
// with a message if one is missing.
Job JobOfEnvironment();

// The rank on the node of this name; "localhost" is the rank itself; -1: none.
int RankOf(const Job& job, const std::string& host);

// A stop reaches all processes of the rank.  Those of this program end when the programs have that
// they started, which restore what the signals do.
void IgnoreSignals();
void RestoreSignals();

// Writes "gpu-platform-rsh: …" to the error output.
void Say(const std::string& text);
[[noreturn]] void Fail(const std::string& text);

// The exit code of an ssh that could not do its work.
inline constexpr int kCannot = 255;

}  // namespace gp::rsh
