#include "cmd/text/cluster_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr int64_t kGiB = int64_t{1} << 30;

v1::Gpu& AddGpu(v1::Node& node, const std::string& uuid, v1::GpuState state = v1::AVAILABLE) {
  v1::Gpu& gpu = *node.add_gpus();
  gpu.set_index(node.gpus_size() - 1);
  gpu.set_uuid(uuid);
  gpu.set_model("NVIDIA H100 80GB HBM3");
  gpu.set_pci_bus_id("0000:1" + std::to_string(gpu.index()) + ":00.0");
  gpu.set_memory_bytes(80 * kGiB);
  gpu.set_state(state);
  gpu.set_detail(v1::GpuState_Name(state));
  return gpu;
}

v1::Node& NewNode(v1::Cluster& cluster, const std::string& name) {
  v1::Node& node = *cluster.add_nodes();
  node.set_name(name);
  node.set_state("UP");
  node.set_pool("default");
  return node;
}

v1::Gpu Holding(const std::string& job, int rank, const std::string& user,
                const std::string& instance = "") {
  v1::Gpu gpu;
  v1::Holder& holder = *gpu.add_holders();
  holder.set_job_id(job);
  holder.set_job_name("train");
  holder.set_rank(rank);
  holder.set_user(user);
  holder.set_instance(instance);
  return gpu;
}

// The only row of a table as people see it, its columns apart by "|".
std::string ShownRow(const Table& table) {
  std::string row = table.ToText(false, 0);
  EXPECT_EQ(std::ranges::count(row, '\n'), 1) << row;
  for (size_t at = 0; (at = row.find("  ", at)) != std::string::npos;)
    row.replace(at, row.find_first_not_of(' ', at) - at, "|");
  return row;
}

// The cells of the only row of a table as CSV.
std::string OnlyRow(const Table& table) {
  const std::string csv = *table.ToCsv({.headers = false});
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1) << csv;
  return csv;
}

TEST(ClusterText, ModelsLoseTheMakersWordsAlone) {
  EXPECT_EQ(ShortModel("NVIDIA H100 80GB HBM3"), "H100 80GB HBM3");
  EXPECT_EQ(ShortModel("NVIDIA Tesla T4"), "T4");
  EXPECT_EQ(ShortModel("Tesla V100-SXM2-16GB"), "V100-SXM2-16GB");
  EXPECT_EQ(ShortModel("NVIDIA"), "NVIDIA");
  EXPECT_EQ(ShortModel("A NVIDIA Tesla"), "A NVIDIA Tesla");
  EXPECT_EQ(ShortModel(""), "");
}

TEST(ClusterText, AStateSaysWhyItIsNotSimplyAvailable) {
  const auto text = [](v1::GpuState state, const char* detail, bool draining) {
    v1::Gpu gpu;
    gpu.set_state(state);
    gpu.set_detail(detail);
    gpu.set_draining(draining);
    return StateText(gpu);
  };
  EXPECT_EQ(text(v1::AVAILABLE, "AVAILABLE", false), "AVAILABLE");
  EXPECT_EQ(text(v1::AVAILABLE, "AVAILABLE", true), "DRAINING AVAILABLE");
  EXPECT_EQ(text(v1::DEGRADED, "QUARANTINED", false), "DEGRADED (QUARANTINED)");
  EXPECT_EQ(text(v1::OFFLINE, "LOST", false), "OFFLINE (LOST)");
  EXPECT_EQ(text(v1::OFFLINE, "OFFLINE", false), "OFFLINE") << "an operator took it out";
  EXPECT_EQ(text(v1::OFFLINE, "OFFLINE", true), "OFFLINE") << "there is nothing left to drain";
}

TEST(ClusterText, HoldersAreNamedWithRankAndInstance) {
  EXPECT_EQ(HoldersText(v1::Gpu()), kDash);
  EXPECT_EQ(HoldersText(Holding("job-7", 3, "ana")), "train/3 (job-7)");
  v1::Gpu shared = Holding("job-7", 0, "ana", "1g.10gb@4");
  *shared.add_holders() = Holding("job-8", 1, "bob").holders(0);
  EXPECT_EQ(HoldersText(shared), "train/0 (job-7, 1g.10gb@4), train/1 (job-8)");
}

TEST(ClusterText, AVerdictIsNotedUnlessItIsOkOrTheReasonSaysIt) {
  v1::Gpu gpu;
  gpu.set_reason("incident-3");
  EXPECT_EQ(NoteText(gpu), "incident-3") << "no verdict";
  gpu.mutable_verdict()->set_level("ok");
  EXPECT_EQ(NoteText(gpu), "incident-3");
  v1::GpuVerdict& verdict = *gpu.mutable_verdict();
  verdict.set_level("WARN");
  verdict.set_code("nvlink-down");
  EXPECT_EQ(NoteText(gpu), "WARN nvlink-down");
  verdict.set_why("link 3 is down");
  verdict.set_follows("no work that needs links");
  EXPECT_EQ(NoteText(gpu), "WARN nvlink-down: link 3 is down; no work that needs links");
  verdict.set_code("out-of-service");
  EXPECT_EQ(NoteText(gpu), "incident-3");
}

TEST(ClusterText, TheHeadlineCountsGpusByState) {
  v1::Cluster cluster;
  EXPECT_EQ(ClusterHeadline(cluster), "CLUSTER  0 nodes  0 GPUs:   running 0   queued 0\n");
  NewNode(cluster, "n1");
  auto& by_state = *cluster.mutable_gpus_by_state();
  by_state["draining"] = 1;
  by_state["OFFLINE"] = 1;
  by_state["AVAILABLE"] = 2;
  cluster.set_jobs_running(2);
  cluster.set_jobs_queued(1);
  cluster.set_oldest_wait_seconds(90);
  EXPECT_EQ(ClusterHeadline(cluster),
            "CLUSTER  1 node  4 GPUs: 2 AVAILABLE · 1 OFFLINE · 1 draining   "
            "running 2   queued 1 (oldest 1m30s)\n");
  cluster.set_incidents_for_operators(1);
  EXPECT_THAT(ClusterHeadline(cluster), HasSubstr("\nNOTE     1 incident requires operator action: "
                                                  "gpu-platform incidents list\n"));
  cluster.set_unread_seconds(12);
  EXPECT_THAT(ClusterHeadline(cluster),
              HasSubstr("\nNOTE     the controller is overloaded: messages of agents have waited "
                        "unread for 12s;"));
}

TEST(ClusterText, TheHeadlineTellsWhoLeadsAndWhatItsStoreLacks) {
  v1::Cluster cluster;
  v1::ClusterControllers& controllers = *cluster.mutable_controllers();
  controllers.set_leader("c1");
  controllers.set_term(3);
  EXPECT_THAT(ClusterHeadline(cluster), HasSubstr("\nLEADER   c1, term 3; NO STANDBY could"));
  controllers.add_standbys("c2");
  controllers.add_standbys("c3");
  controllers.add_store()->set_endpoint("https://e1:2379");
  EXPECT_THAT(ClusterHeadline(cluster), EndsWith("\nLEADER   c1, term 3; standbys c2, c3\n"));
  v1::StoreMember& member = *controllers.add_store();
  member.set_endpoint("https://e2:2379");
  member.set_trouble("no answer in time");
  EXPECT_THAT(ClusterHeadline(cluster),
              EndsWith("\nSTORE    https://e2:2379: no answer in time\n"));
}

TEST(ClusterText, TheHeadlineTellsHowFarTheArchiveIs) {
  v1::Cluster cluster;
  v1::ClusterArchive& archive = *cluster.mutable_archive();
  EXPECT_THAT(ClusterHeadline(cluster),
              EndsWith("\nARCHIVE  complete until an unknown time; last verified never\n"));
  archive.set_complete_until("2026-11-30T10:00:00.500Z");
  archive.set_verified_at("2026-11-29T02:00:00Z");
  archive.set_fails(true);
  EXPECT_THAT(ClusterHeadline(cluster),
              EndsWith("\nARCHIVE  COPIES FAIL (gpu-platform admin dr status); complete until "
                       "2026-11-30T10:00:00.500Z; last verified 2026-11-29T02:00:00Z\n"));
}

TEST(ClusterText, UnknownReadingsAreDashesAndNeverZero) {
  v1::Cluster cluster;
  AddGpu(NewNode(cluster, "n1"), "GPU-1");
  EXPECT_EQ(ShownRow(GpuTable(cluster, false)),
            "n1/0|AVAILABLE|H100 80GB HBM3|–|– of 80.0 GiB|–|–|–|–|GPU-1\n");
  EXPECT_EQ(OnlyRow(GpuTable(cluster, false)),
            "n1/0,AVAILABLE,H100 80GB HBM3,,,,,,,GPU-1,,0000:10:00.0,,,\n");
}

TEST(ClusterText, ReadingsOfZeroAreShown) {
  v1::Cluster cluster;
  v1::GpuReadings& readings = *AddGpu(NewNode(cluster, "n1"), "GPU-1").mutable_readings();
  readings.set_utilization_percent(0);
  readings.set_memory_used_bytes(0);
  readings.set_temperature_celsius(0);
  readings.set_power_watts(0);
  EXPECT_THAT(ShownRow(GpuTable(cluster, false)), HasSubstr("|0%|0 B of 80.0 GiB|0°|0W|"));
  EXPECT_THAT(OnlyRow(GpuTable(cluster, false)), HasSubstr(",0,0,0,0,"));
}

TEST(ClusterText, StaleReadingsShowTheirAge) {
  v1::Cluster cluster;
  v1::GpuReadings& readings = *AddGpu(NewNode(cluster, "n1"), "GPU-1").mutable_readings();
  readings.set_utilization_percent(97);
  readings.set_stale(true);
  readings.set_age_seconds(125);
  EXPECT_THAT(OnlyRow(GpuTable(cluster, false)), HasSubstr(",stale 2m5s,"));
}

TEST(ClusterText, OfASharedGpuTheGrantedMemoryCounts) {
  v1::Cluster cluster;
  v1::Gpu& gpu = AddGpu(NewNode(cluster, "n1"), "GPU-1", v1::ALLOCATED);
  gpu.set_mode("timeslice");
  gpu.set_memory_granted_bytes(20 * kGiB);
  gpu.mutable_readings()->set_memory_used_bytes(kGiB);
  EXPECT_THAT(OnlyRow(GpuTable(cluster, false)), HasSubstr(",21474836480,"));
  EXPECT_THAT(ShownRow(GpuTable(cluster, false)), HasSubstr("|20.0 GiB of 80.0 GiB granted|"));
}

TEST(ClusterText, AUserIsNamedOnce) {
  v1::Cluster cluster;
  v1::Gpu& gpu = AddGpu(NewNode(cluster, "n1"), "GPU-1", v1::ALLOCATED);
  for (const char* user : {"bob", "ana", "bob"})
    *gpu.add_holders() = Holding("job-1", 0, user).holders(0);
  EXPECT_THAT(OnlyRow(GpuTable(cluster, false)), HasSubstr(",\"ana, bob\","));
}

TEST(ClusterText, FreeGpusAreThoseThatTakeWork) {
  v1::Cluster cluster;
  v1::Node& node = NewNode(cluster, "n1");
  AddGpu(node, "GPU-held", v1::ALLOCATED);
  AddGpu(node, "GPU-draining").set_draining(true);
  AddGpu(node, "GPU-broken", v1::DEGRADED);
  AddGpu(node, "GPU-free");
  EXPECT_THAT(OnlyRow(GpuTable(cluster, true)), HasSubstr("GPU-free"));
}

TEST(ClusterText, TheTreeHasEachGpuBelowItsNumaNode) {
  v1::Cluster cluster;
  v1::Node& node = NewNode(cluster, "n1");
  node.set_simulated(true);
  node.set_draining(true);
  node.set_reason("maintenance");
  for (const int id : {0, 1}) {
    v1::NumaNode& numa = *node.add_numa_nodes();
    numa.set_id(id);
    numa.set_cpus(id == 0 ? "0-3" : "4-7");
    numa.set_memory_bytes(64 * kGiB);
  }
  AddGpu(node, "GPU-0123456789abcdef").set_numa_node(1);
  AddGpu(node, "GPU-fedcba9876543210").set_numa_node(0);
  EXPECT_EQ(*ClusterTree(cluster).ToText({.columns = {"node/numa/gpu", "state", "memory", "note"}}),
            "NODE/NUMA/GPU       STATE        MEMORY                NOTE\n"
            "n1 (simulated)      DRAINING UP                        maintenance\n"
            "├─numa0 cpu 0-3                  0 B of 64.0 GiB host\n"
            "│ └─1 GPU-fedcba98  AVAILABLE    – of 80.0 GiB\n"
            "└─numa1 cpu 4-7                  0 B of 64.0 GiB host\n"
            "  └─0 GPU-01234567  AVAILABLE    – of 80.0 GiB\n");
}

TEST(ClusterText, ANodesNoteHasItsLabelsInOrderAndItsReason) {
  v1::Cluster cluster;
  v1::Node& node = NewNode(cluster, "n1");
  (*node.mutable_labels())["zone"] = "b";
  (*node.mutable_labels())["network"] = "r1";
  node.set_reason("fan");
  node.set_simulated(true);
  EXPECT_THAT(*NodeTable(cluster).ToCsv({.headers = false}),
              HasSubstr(",simulated; network=r1; zone=b; fan\n"));
}

TEST(ClusterText, ANodeIsShownByItsTotals) {
  v1::Cluster cluster;
  v1::Node& node = NewNode(cluster, "n1");
  node.set_driver_version("570.1");
  v1::NodeTotals& totals = *node.mutable_totals();
  totals.set_cpus(96);
  totals.set_memory_bytes(3 * kGiB);
  EXPECT_EQ(*NodeTable(cluster).ToCsv({.headers = false}),
            "n1,UP,default,0,0,,96,3221225472,570.1,\n");
  totals.set_gpus(4);
  totals.set_gpus_free(1);
  totals.set_gpu_model("NVIDIA H100 80GB HBM3");
  totals.set_gpus_out(2);
  EXPECT_EQ(*NodeTable(cluster).ToCsv({.headers = false}),
            "n1,UP,default,4,1,H100 80GB HBM3,96,3221225472,570.1,2 GPUs out of service\n");
}

class FindGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    v1::Node& first = NewNode(cluster_, "n1");
    AddGpu(first, "GPU-aa1");
    AddGpu(first, "GPU-aa2");
    v1::Node& second = NewNode(cluster_, "n10");
    AddGpu(second, "GPU-aa");  // a prefix of the others
    AddGpu(second, "GPU-b").clear_pci_bus_id();
  }
  // "n1/GPU-aa1"; empty: not exactly one.
  std::string Found(const std::string& text) const {
    const FoundGpu found = FindGpu(cluster_, text);
    return found.gpu == nullptr ? "" : found.node->name() + "/" + found.gpu->uuid();
  }
  v1::Cluster cluster_;
};

TEST_F(FindGpuTest, ByUuidUniquePrefixPlaceOrBusId) {
  EXPECT_EQ(Found("GPU-aa1"), "n1/GPU-aa1");
  EXPECT_EQ(Found("GPU-aa"), "n10/GPU-aa") << "a whole UUID, though it begins others too";
  EXPECT_EQ(Found("GPU-b"), "n10/GPU-b");
  EXPECT_EQ(Found("n1/1"), "n1/GPU-aa2");
  EXPECT_EQ(Found("n10/1"), "n10/GPU-b");
}

TEST_F(FindGpuTest, NotExactlyOneIsNone) {
  EXPECT_EQ(Found("GPU-"), "");
  EXPECT_EQ(Found("GPU-a"), "");
  EXPECT_EQ(Found("n1/2"), "");
  EXPECT_EQ(Found("n1"), "");
  EXPECT_EQ(Found("n2/0"), "");
  EXPECT_EQ(Found("0000:10:00.0"), "") << "both nodes have that bus";
  EXPECT_EQ(Found(""), "") << "also where one GPU has no bus id";
}

}  // namespace
}  // namespace gp
