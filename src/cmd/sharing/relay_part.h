#pragma once

// The doors of a standby, as a part of a controller's start.

#include <memory>
#include <string>

#include "adapters/inbound/relay/relay.h"
#include "application/replication/lead/leader_entry.h"
#include "cmd/daemon/component.h"
#include "cmd/serve/controller_config.h"

namespace gp {

// Until this controller leads, it passes connections of clients on to the leader.  A controller
// whose doors cannot be opened fails here, before it takes a lead that it could not use.
class RelayPart : public Component {
 public:
  // A port of the configuration that is 0 becomes the one that the door got: the leader's door will
  // have it too.
  explicit RelayPart(ControllerConfig& config) : config_(config) {}
  Status Start() override;
  void Stop() override { Close(); }

  // Where others reach this controller.
  AdvertisedAddresses Addresses() const;
  // For the log: ", and passes clients on to the leader from …".
  std::string Doors() const;
  void LeaderIs(const LeaderEntry& leader);
  // Its doors are free for those of the leader.
  void Close() { relay_.reset(); }

 private:
  ControllerConfig& config_;
  std::unique_ptr<Relay> relay_;
};

// Right before the doors of a leader open: until then its relay holds clients.
class RelayEndPart : public Component {
 public:
  explicit RelayEndPart(RelayPart& relay) : relay_(relay) {}
  Status Start() override {
    relay_.Close();
    return Ok();
  }

 private:
  RelayPart& relay_;
};

}  // namespace gp
