// What the audit says of a record.

#include "domain/cluster/audit.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

// How the audit describes a job's submit.
std::string AuditTextOf(const JobSpec& spec) {
  Record record;
  record.envelope.origin.principal = "user:ana";
  record.envelope.command = SubmitJob{.spec = std::make_shared<const JobSpec>(spec)};
  return AuditOf(State(), 1, record).details;
}

JobSpec Spec(const GpuRequest& gpus, int nodes = 1) {
  JobSpec spec;
  spec.name = "train";
  spec.resources.nodes = nodes;
  spec.resources.gpus = gpus;
  spec.policy.priority = 500;
  return spec;
}

TEST(Audit, SaysOfASubmitWhatItAsksFor) {
  EXPECT_EQ(AuditTextOf(Spec({.count = 1})), "train: 1 x 1 GPU, priority 500");
  EXPECT_EQ(AuditTextOf(Spec({.count = 8, .models = {"H100", "H200"}}, 2)),
            "train: 2 x 8 GPUs H100 or H200, priority 500");
  EXPECT_EQ(AuditTextOf(Spec({.count = 0})), "train: 1 x 0 GPUs, priority 500");
}

TEST(Audit, SaysOfSharesAndInstancesWhatTheyAre) {
  EXPECT_EQ(AuditTextOf(Spec({.count = 1, .share_thousandths = 500, .isolation = Isolation::kMps})),
            "train: 1 x 1 GPU, mps share 0.5, priority 500");
  EXPECT_EQ(
      AuditTextOf(Spec({.count = 2, .memory_mib = 8'192, .isolation = Isolation::kTimeslice})),
      "train: 1 x 2 GPUs, timeslice 8192 MiB, priority 500");
  EXPECT_EQ(AuditTextOf(Spec({.count = 1,
                              .share_thousandths = 125,
                              .memory_mib = 10'240,
                              .isolation = Isolation::kMig})),
            "train: 1 x 1 GPU, mig share 0.125 10240 MiB, priority 500");
}

}  // namespace
}  // namespace gp
