#pragma once

#include <memory>
#include <string>
#include <thread>

#include "adapters/outbound/played_nodes/played_agent.h"
#include "base/result.h"
#include "lib/sockets/event_loop.h"

namespace gp {

// Nodes that are played for a controller, thousands of them on one thread.
class PlayedNodes {
 public:
  struct Options {
    PlayedController controller;
    NodeFacts machine;  // of each node
    std::string name;   // the nodes are NAME-0, NAME-1 …
    int nodes = 1;
  };
  // They join as soon as the controller answers.
  static Result<std::unique_ptr<PlayedNodes>> Start(Options options);
  ~PlayedNodes();

 private:
  explicit PlayedNodes(Options options) : options_(std::move(options)) {}
  Status Begin();

  const Options options_;
  PlayedTimes times_;
  EventLoop loop_;
  std::thread thread_;
};

}  // namespace gp
