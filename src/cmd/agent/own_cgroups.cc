#include "cmd/agent/own_cgroups.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "adapters/outbound/cgroup/cgroup_isolation.h"
#include "adapters/outbound/cgroup/hierarchy.h"
#include "base/digest.h"
#include "base/text.h"

namespace gp {
namespace {

bool IsThere(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0;
}

std::string ProbeName() { return "gpu-platform-probe-" + std::to_string(getpid()); }

std::string ReportText(const std::string& name) {
  CgroupIsolation::Options options;
  options.name = name;
  const auto isolation = CgroupIsolation::Open(options);
  if (!isolation) return nlohmann::json{{"error", isolation.error().message}}.dump();
  const IsolationReport& r = (*isolation)->Report();
  return nlohmann::json{{"devices", r.devices},     {"memory", r.memory},
                        {"processes", r.processes}, {"cpus", r.cpus},
                        {"kill_all", r.kill_all},   {"mechanism", r.device_mechanism},
                        {"warnings", r.warnings}}
      .dump();
}

Result<IsolationReport> ReadReport(const std::string& text) {
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded()) return Fail(Internal("the probe of the control groups ended early"));
  if (document.contains("error")) return Fail(Internal(document["error"].get<std::string>()));
  IsolationReport report;
  report.devices = document["devices"];
  report.memory = document["memory"];
  report.processes = document["processes"];
  report.cpus = document["cpus"];
  report.kill_all = document["kill_all"];
  report.device_mechanism = document["mechanism"];
  report.warnings = document["warnings"];
  return report;
}

// What ReportText says in a child process.
std::string AskChild(const std::string& name) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = ReportText(name);
    _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(n));
  }
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return text;
}

// Removes a directory with all below it; EBUSY: a process is left inside.
int RemoveTree(const std::filesystem::path& path) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (entry.is_directory(error)) RemoveTree(entry.path());
  }
  return rmdir(path.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Result<IsolationReport> ProbeIsolation() {
  const std::string name = ProbeName();
  const AgentCgroups made({name});
  const std::string text = AskChild(name);
  made.Remove();
  return ReadReport(text);
}

AgentCgroups::AgentCgroups(const std::vector<std::string>& names) {
  const auto hierarchy = ReadHierarchy();
  if (!hierarchy) return;
  std::set<std::string> parents;
  for (const auto& [controller, own] : hierarchy->legacy) parents.insert(own);
  if (!hierarchy->unified.empty()) parents.insert(ParentOfAgentRoot(hierarchy->unified));
  for (const std::string& parent : parents) {
    for (const std::string& name : names) paths_.push_back(parent + "/" + name);
  }
  // The group of the agents themselves on version 2.
  const std::string leaf = hierarchy->unified + std::string(kAgentLeaf);
  if (!hierarchy->unified.empty() && !IsThere(leaf)) paths_.push_back(leaf);
}

std::vector<std::string> AgentCgroups::Remove() const {
  std::vector<std::string> left;
  for (const std::string& path : paths_) {
    if (RemoveTree(path) == EBUSY) left.push_back(path);
  }
  return left;
}

std::string AgentCgroupName(const std::string& state_directory) {
  return CgroupIsolation::Options{}.name + "-" + ToBase32(Digest64(state_directory), 13);
}

}  // namespace gp
