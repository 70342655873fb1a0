#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cmd/agent/agent_config.h"

namespace gp {

// "dgx-h100:2" -> machine and number of nodes.  kInvalidArgument: there are more, or none.
Result<std::pair<std::string, int>> ParseSimulate(const std::string& text, int nodes_max);

// Waits until the controller knows that number of nodes, or until patience ends: a node that does
// not join prints the reason itself.
void AwaitNodes(const std::function<size_t()>& count_nodes, size_t wanted,
                std::chrono::milliseconds patience);

// The agents of simulated nodes: one process for each, which simulates its own machine with its own
// devices.
class SimulatedAgents {
 public:
  struct Options {
    // Settings of all of them; `simulate` is "dgx-h100" or "dgx-h100:2"
    AgentConfig agent;
    std::string state;          // directory of the controller: theirs are below it
    std::string run_directory;  // with its sockets
    bool first_is_quiet = false;
  };
  // Starts the first one.  kInvalidArgument names --simulate, kNotFound the machine.
  static Result<SimulatedAgents> Start(Options options);

  // Starts the others, one after the other, so that the first node is the first to get work.
  // `count_nodes`: the number of nodes that the controller knows.
  Status StartOthers(const std::function<size_t()>& count_nodes);
  // Ends them and waits until they have ended; jobs run on.
  void Stop();
  int count() const { return count_; }

 private:
  Status Spawn(int index);

  Options options_;
  std::string machine_;
  int count_ = 0;
  std::vector<pid_t> children_;
};

}  // namespace gp
