#pragma once

#include <memory>
#include <vector>

#include "simulation/world/controllers/controller_host.h"

namespace gp {

// All controllers of a world.  Clients and people reach the one that leads, as far as they know.
class ControllerHosts {
 public:
  explicit ControllerHosts(std::vector<std::unique_ptr<ControllerHost>> hosts)
      : hosts_(std::move(hosts)) {}

  size_t size() const { return hosts_.size(); }
  ControllerHost& at(size_t index) { return *hosts_[index]; }
  // The one whose lead is the newest; the first one if none leads.
  ControllerHost& leader();
  // Mostly the leader.
  ControllerHost& Choose(uint64_t dice) { return dice % 3 == 0 ? at(dice / 3 % size()) : leader(); }

  void PowerOn();
  // As those of ControllerHost.  A request may reach one that was deposed and does not know it.
  std::optional<Outcome> Execute(const std::string& principal, const ClientRequest& request,
                                 Command command);
  bool Read(const std::function<void(const State&)>& read) { return leader().Read(read); }
  HostClock& clock() { return leader().clock(); }
  uint64_t crashes() const;

 private:
  std::vector<std::unique_ptr<ControllerHost>> hosts_;
  uint64_t requests_ = 0;
};

}  // namespace gp
