#include "simulation/world/controllers/controller_hosts.h"

#include <algorithm>

namespace gp {

ControllerHost& ControllerHosts::leader() {
  const auto newest = std::ranges::max_element(
      hosts_, {}, [](const std::unique_ptr<ControllerHost>& host) { return host->epoch(); });
  return **newest;
}

void ControllerHosts::PowerOn() {
  for (const auto& host : hosts_) host->PowerOn();
}

std::optional<Outcome> ControllerHosts::Execute(const std::string& principal,
                                                const ClientRequest& request, Command command) {
  ++requests_;
  if (requests_ % 4 != 0) return leader().Execute(principal, request, std::move(command));
  ControllerHost& any = at(requests_ / 4 % size());
  return any.Execute(principal, request, std::move(command));
}

uint64_t ControllerHosts::crashes() const {
  uint64_t crashes = 0;
  for (const auto& host : hosts_) crashes += host->crashes();
  return crashes;
}

}  // namespace gp
