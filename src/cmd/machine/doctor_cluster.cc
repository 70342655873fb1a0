#include <fmt/format.h>

#include <chrono>

#include "adapters/wire/call_deadline.h"
#include "base/text.h"
#include "cmd/connection/controller_line.h"
#include "cmd/machine/doctor_checks.h"
#include "cmd/text/cluster_text.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

Result<v1::Cluster> Fetch(const std::string& server) {
  const auto client = GP_TRY(OpenController(server));
  grpc::ClientContext context;
  v1::Control::Stub* stub = GP_TRY(client->Streams(context));
  context.set_deadline(DeadlineIn(kCallTime));
  v1::Cluster cluster;
  const grpc::Status status = stub->GetCluster(&context, v1::GetClusterRequest(), &cluster);
  if (!status.ok()) return Fail(ControlClient::ErrorOf(status));
  return cluster;
}

DoctorCheck CheckVersion(const v1::Cluster& cluster, double ms) {
  const std::string what =
      fmt::format("answers after {:.1f} ms, version {}", ms, cluster.version());
  if (cluster.version() == GP_VERSION) return {"controller", Finding::kOk, what, ""};
  return {"controller", Finding::kWarn, what + "; this program is " + GP_VERSION,
          "use the same version for both"};
}

DoctorCheck CheckAgents(const v1::Cluster& cluster) {
  std::vector<std::string> lost;
  for (const v1::Node& node : cluster.nodes()) {
    if (node.state() != "UP") lost.push_back(node.name());
  }
  if (cluster.nodes_size() == 0) {
    return {"agents", Finding::kFail, "no node has joined",
            "gpu-platform agent, or serve --simulate dgx-h100"};
  }
  if (!lost.empty()) {
    return {
        "agents", Finding::kFail,
        fmt::format("{} of {} nodes lost: {}", lost.size(), cluster.nodes_size(), Join(lost, ", ")),
        "start the agent there again; if the node is off for good: gpu-platform nodes declare-lost "
        "--force"};
  }
  return {"agents", Finding::kOk, fmt::format("{}, all up", Count(cluster.nodes_size(), "node")),
          ""};
}

DoctorCheck CheckGpus(const v1::Cluster& cluster) {
  std::vector<std::string> unwell;
  int gpus = 0;
  for (const v1::Node& node : cluster.nodes()) {
    for (const v1::Gpu& gpu : node.gpus()) {
      ++gpus;
      const v1::GpuVerdict& verdict = gpu.verdict();
      if (verdict.level() != "ok")
        unwell.push_back(
            fmt::format("{}/{} {} {}", node.name(), gpu.index(), verdict.level(), verdict.code()));
    }
  }
  if (unwell.empty()) return {"gpus", Finding::kOk, fmt::format("{} GPU(s) are well", gpus), ""};
  return {"gpus", Finding::kWarn,
          fmt::format("{} of {} are not well: {}", unwell.size(), gpus, Join(unwell, ", ")),
          "gpu-platform health --gpu-id NODE/INDEX says why and what is done about it"};
}

DoctorCheck CheckBreakers(const v1::Cluster& cluster) {
  if (cluster.breakers_size() == 0) return {"breaker", Finding::kOk, "no repair is held back", ""};
  std::vector<std::string> pools;
  std::vector<std::string> commands;
  for (const v1::Breaker& breaker : cluster.breakers()) {
    pools.push_back(
        fmt::format("pool {}: nothing is reset or drained automatically until {} is closed: {}",
                    breaker.pool(), breaker.incident(), breaker.cause()));
    commands.push_back("gpu-platform incidents close " + breaker.incident());
  }
  const std::string look = "find what the incidents share (gpu-platform incidents list), then ";
  return {"breaker", Finding::kWarn, Join(pools, "; "), look + Join(commands, ", ")};
}

DoctorCheck CheckStandbys(const v1::ClusterControllers& controllers) {
  const std::string leads =
      fmt::format("{} leads in term {}", controllers.leader(), controllers.term());
  if (!controllers.standbys().empty())
    return {"standbys", Finding::kOk,
            fmt::format("{}; {} could take over", leads, fmt::join(controllers.standbys(), ", ")),
            ""};
  return {"standbys", Finding::kWarn, leads + "; nobody could take over",
          "gpu-platform admin controllers list; docs/runbooks/NoStandby.md"};
}

DoctorCheck CheckStore(const v1::ClusterControllers& controllers) {
  std::vector<std::string> unwell;
  for (const v1::StoreMember& member : controllers.store())
    if (!member.trouble().empty()) unwell.push_back(member.endpoint() + ": " + member.trouble());
  const std::string count = Count(controllers.store_size(), "machine");
  if (unwell.empty()) return {"etcd", Finding::kOk, count + ", all well", ""};
  return {"etcd", Finding::kWarn,
          fmt::format("{} of {} not well: {}", unwell.size(), count, Join(unwell, "; ")),
          "docs/runbooks/StoreMemberNotWell.md"};
}

DoctorCheck CheckArchive(const v1::ClusterArchive& archive) {
  if (!archive.fails()) return {"archive", Finding::kOk, "the journal is copied", ""};
  return {"archive", Finding::kWarn, "the last copy of the journal failed",
          "gpu-platform admin dr status; docs/runbooks/ArchiveBehind.md"};
}

}  // namespace

std::vector<DoctorCheck> CheckCluster(const std::string& server) {
  const int64_t begin_ns = SystemClock().BootNs();
  const auto cluster = Fetch(server);
  const double ms = static_cast<double>(SystemClock().BootNs() - begin_ns) / 1e6;
  if (!cluster) {
    const std::string what = cluster.error().message.substr(0, cluster.error().message.find(" ("));
    return {{"controller", Finding::kFail, what,
             "gpu-platform serve; or name another: --server DIRECTORY"}};
  }
  std::vector<DoctorCheck> checks{CheckVersion(*cluster, ms), CheckAgents(*cluster),
                                  CheckGpus(*cluster), CheckBreakers(*cluster)};
  if (cluster->has_controllers()) {
    checks.push_back(CheckStandbys(cluster->controllers()));
    checks.push_back(CheckStore(cluster->controllers()));
  }
  if (cluster->has_archive()) checks.push_back(CheckArchive(cluster->archive()));
  return checks;
}

}  // namespace gp
