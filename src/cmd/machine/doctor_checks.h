#pragma once

// The checks of `doctor`, from the command line down to the state directory. Every check says what
// it found and, if there is a problem, how to fix it.

#include <string>
#include <vector>

namespace gp {

enum class Finding { kOk, kWarn, kFail };

struct DoctorCheck {
  std::string name;
  Finding finding = Finding::kOk;
  std::string what;
  std::string fix;  // empty where all is well
};

struct DoctorPlaces {
  std::string server;  // as OpenController takes it
  std::string state;
  std::string nvml;
  std::string service_user;
};

// Forks: call it before any thread is started.
std::vector<DoctorCheck> CheckIsolation();
// What jobs may need besides.  `state`: the agent's state directory, if there is one.  Forks, like
// the one before.
std::vector<DoctorCheck> CheckFeatures(const std::string& state);
// Control groups of agents that have ended.
DoctorCheck CheckCgroups();
// Checks of this machine.
DoctorCheck CheckDriver(const std::string& nvml);
DoctorCheck CheckMps();
DoctorCheck CheckHost();
DoctorCheck CheckServiceUser(const std::string& service_user);
DoctorCheck CheckState(const std::string& directory);
// Checks of the cluster: the controller, its agents and GPUs, as far as they can be reached.
std::vector<DoctorCheck> CheckCluster(const std::string& server);

}  // namespace gp
