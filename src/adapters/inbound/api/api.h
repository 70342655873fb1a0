#pragma once

// All that carriers share: what users may ask, who may, and what nodes have told that is not in the
// journal.

#include <utility>
#include <vector>

#include "adapters/inbound/api/access_guard.h"
#include "adapters/inbound/api/control_api.h"
#include "ports/inbound/node_gateway.h"

namespace gp {

struct Api {
  Api(ControlGateway& gateway, NodeGateway& nodes, ControlApi::About about)
      : channels(nodes),
        guard(gateway),
        control(gateway, channels, readings, progress, feed, changes, std::move(about)) {}

  // To be told of every commit.
  std::vector<CommitObserver*> Observers() { return {&feed, &guard, &changes}; }

  NodeChannels channels;
  NodeReadings readings;
  NodeProgress progress;
  JobFeed feed;
  ChangeFeed changes;
  AccessGuard guard;
  ControlApi control;
};

}  // namespace gp
