#pragma once

#include <utility>
#include <vector>

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/operations/operations.h"
#include "application/access/access_guard.h"
#include "ports/inbound/node_gateway.h"

namespace gp {

// The objects that gRPC, REST and the dashboard share: the users' operations, access control, and
// the reports of nodes that are not in the journal.
struct Api {
  Api(ControlGateway& gateway, NodeGateway& nodes, ControlApi::About about)
      : channels(nodes),
        guard(gateway, AllOperations()),
        control(gateway, channels, readings, progress, images, feed, changes, std::move(about)) {}

  // These must be notified of every commit.
  std::vector<CommitObserver*> Observers() { return {&feed, &guard, &changes}; }

  NodeChannels channels;
  NodeReadings readings;
  NodeProgress progress;
  NodeImages images;
  JobFeed feed;
  ChangeFeed changes;
  AccessGuard guard;
  ControlApi control;
};

}  // namespace gp
