#pragma once

#include <memory>
#include <vector>

#include "simulation/world/agent_host.h"
#include "simulation/world/clients.h"
#include "simulation/world/controllers/controller_hosts.h"

namespace gp {

// Applies each mishap of a plan to the world when its time comes.
class Mishaps {
 public:
  struct World {
    Timeline& timeline;
    const WorldPlan& plan;
    Network& network;
    ControllerHosts& controllers;
    VirtualQuorumStore* store;  // nullptr: there is one controller
    std::vector<std::unique_ptr<AgentHost>>& hosts;
    Programs& programs;
    LedgerWatch& watch;
    Clients& clients;
  };
  explicit Mishaps(World world) : world_(world) {}

  // `jobs`: the positions of the jobs that take part.
  void Happen(const Mishap& mishap, const std::vector<size_t>& jobs);
  // Hosts that do not come back.
  const std::set<size_t>& gone() const { return gone_; }

 private:
  void HappenToController(const Mishap& mishap);
  void HappenToSharing(const Mishap& mishap);
  void HappenToHost(const Mishap& mishap);
  void HappenToNetwork(const Mishap& mishap);
  void HappenToPrograms(const Mishap& mishap);
  void HappenToGpu(const Mishap& mishap);
  void HappenByPeople(const Mishap& mishap, const std::vector<size_t>& jobs);

  void Reboot(AgentHost& host, bool wiped, Duration lasts);
  void ChangeHardware(const Mishap& mishap);
  void TakeName(Duration lasts);
  void LoseHost(size_t host);
  void Flood(const Mishap& mishap, int left);
  void ChangeService(const Mishap& mishap, ServiceAction action);
  void PlanLate(const Mishap& mishap);
  void CloseIncident(const Mishap& mishap);
  void Reserve(const Mishap& mishap);
  void MakeMoves();
  std::optional<LeaseId> AnyProgramOn(const Mishap& mishap) const;

  World world_;
  std::set<size_t> gone_;
};

}  // namespace gp
