#include "cmd/text/node_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int64_t kGibibyte = int64_t{1} << 30;

v1::Node NodeNamed(const std::string& name) {
  v1::Node node;
  node.set_name(name);
  node.set_state("UP");
  node.set_pool("default");
  node.set_driver_version("570.1");
  node.set_seconds_since_report(3);
  return node;
}

TEST(NodeText, APlainNodeHasNoLinesAboutDraining) {
  EXPECT_EQ(DescribeNode(NodeNamed("n1")),
            "n1  UP\n"
            "Pool        default\n"
            "Driver      570.1\n"
            "Last report 3s ago\n");
}

TEST(NodeText, ADrainSaysWhenTheNodeIsEmpty) {
  v1::Node node = NodeNamed("n1");
  node.set_draining(true);
  node.set_reason("new fans");
  v1::NodeDrain& drain = *node.mutable_drain();
  drain.set_since("2026-11-24T10:00:00Z");
  EXPECT_THAT(DescribeNode(node), HasSubstr("n1  DRAINING UP\n"
                                            "Reason      new fans\n"
                                            "Drained     since 2026-11-24T10:00:00Z\n"
                                            "Empty       now: nothing runs there\n"));
  drain.set_jobs(1);
  drain.set_empty_by("2026-11-24T12:00:00Z");
  EXPECT_THAT(DescribeNode(node),
              HasSubstr("Empty       2026-11-24T12:00:00Z at the latest: 1 job there\n"));
}

TEST(NodeText, JobsWithoutATimeLimitAreNamed) {
  v1::Node node = NodeNamed("n1");
  v1::NodeDrain& drain = *node.mutable_drain();
  drain.set_jobs(2);
  drain.add_endless("job-3");
  EXPECT_THAT(DescribeNode(node),
              HasSubstr("Empty       not known: job-3 has no time limit (drain --deadline"));
  drain.add_endless("job-4");
  EXPECT_THAT(DescribeNode(node), HasSubstr("not known: job-3, job-4 have no time limit"));
}

TEST(NodeText, ADeadlineSaysWhatHappensThen) {
  v1::Node node = NodeNamed("n1");
  node.mutable_drain()->set_deadline("2026-11-24T12:00:00Z");
  EXPECT_THAT(DescribeNode(node),
              HasSubstr("Deadline    2026-11-24T12:00:00Z: jobs still running there are stopped"));
}

TEST(NodeText, LabelsAreInOrderAndNumaNodesBelowEachOther) {
  v1::Node node = NodeNamed("n1");
  node.set_simulated(true);
  (*node.mutable_labels())["zone"] = "b";
  (*node.mutable_labels())["network"] = "r1";
  for (const int id : {0, 1}) {
    v1::NumaNode& numa = *node.add_numa_nodes();
    numa.set_id(id);
    numa.set_package(id);
    numa.set_cpus(id == 0 ? "0-3" : "4-7");
    numa.set_cpus_granted(id == 0 ? "1-2" : "");
    numa.set_memory_bytes(64 * kGibibyte);
    numa.set_memory_granted_bytes(id * kGibibyte);
  }
  EXPECT_THAT(
      DescribeNode(node),
      HasSubstr("Labels      network=r1, zone=b\n"
                "Driver      570.1 (simulated)\n"
                "Last report 3s ago\n"
                "NUMA        0 on socket 0: cpus 0-3, 2 of 4 granted; 0 B of 64.0 GiB of "
                "memory granted\n"
                "            1 on socket 1: cpus 4-7, 0 of 4 granted; 1.0 GiB of 64.0 GiB of "
                "memory granted\n"));
}

TEST(NodeText, TextOfOthersIsMadeSafeForATerminal) {
  v1::Node node = NodeNamed("n\x1b[31m1");
  node.set_reason("r\x07");
  const std::string text = DescribeNode(node);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x07")));
}

TEST(NodeText, MarksHaveTheIncidentBehindTheNote) {
  v1::Node node = NodeNamed("n1");
  v1::Gpu& gpu = *node.add_gpus();
  gpu.set_uuid("GPU-1");
  gpu.set_state(v1::AVAILABLE);
  EXPECT_EQ(*MarksTable(node).ToCsv({.headers = false}), "0,AVAILABLE,,0,,GPU-1,\n");
  gpu.mutable_verdict()->set_incident("incident-3");
  EXPECT_EQ(*MarksTable(node).ToCsv({.headers = false}), "0,AVAILABLE,,0,,GPU-1,incident-3\n");
  gpu.set_reason("watched");
  EXPECT_EQ(*MarksTable(node).ToCsv({.headers = false}),
            "0,AVAILABLE,,0,,GPU-1,watched; incident-3\n");
}

TEST(NodeText, LeasesShowTheirGpusAsAList) {
  v1::Node node = NodeNamed("n1");
  v1::NodeLease& cores = *node.add_leases();
  cores.set_job_id("job-1");
  cores.set_job_name("prepare");
  cores.set_user("ana");
  v1::NodeLease& gpus = *node.add_leases();
  gpus.set_job_id("job-2");
  gpus.set_rank(1);
  gpus.set_job_name("train");
  gpus.set_user("bob");
  for (const int gpu : {7, 2, 3, 4}) gpus.add_gpus(gpu);
  gpus.set_cpus("0-15");
  gpus.set_memory_bytes(kGibibyte);
  gpus.set_ends_by("2026-11-24T12:00:00Z");
  EXPECT_EQ(*LeaseTable(node).ToCsv({.headers = false}),
            "job-1,0,prepare,ana,,,0 B,\n"
            "job-2,1,train,bob,\"2-4,7\",0-15,1.0 GiB,2026-11-24T12:00:00Z\n");
}

}  // namespace
}  // namespace gp
