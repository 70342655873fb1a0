#pragma once

#include <memory>
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
  // `feed_of_standby`: has the changes before this controller led; it outlives this object.
  // nullptr: there were none.
  Api(ControlGateway& gateway, NodeGateway& nodes, ControlApi::About about,
      ChangeFeed* feed_of_standby = nullptr)
      : channels(nodes),
        own_changes(feed_of_standby == nullptr ? std::make_unique<ChangeFeed>() : nullptr),
        changes(own_changes ? *own_changes : *feed_of_standby),
        guard(gateway, AllOperations()),
        control(gateway, channels, readings, progress, images, feed, changes, std::move(about)) {}

  // These must be notified of every commit.
  std::vector<CommitObserver*> Observers() { return {&feed, &guard, &changes}; }

  NodeChannels channels;
  NodeReadings readings;
  NodeProgress progress;
  NodeImages images;
  JobFeed feed;
  const std::unique_ptr<ChangeFeed> own_changes;
  ChangeFeed& changes;
  AccessGuard guard;
  ControlApi control;
};

}  // namespace gp
