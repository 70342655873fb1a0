#include "adapters/wire/call_deadline.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "gpu_platform/v1/control.grpc.pb.h"

namespace gp {
namespace {

namespace v1 = gpu_platform::v1;

TEST(CallDeadline, IsOfAClockThatNobodySteps) {
  const gpr_timespec before = gpr_now(GPR_CLOCK_MONOTONIC);
  const gpr_timespec deadline = DeadlineIn(std::chrono::milliseconds(2'500));
  const gpr_timespec after = gpr_now(GPR_CLOCK_MONOTONIC);
  ASSERT_EQ(deadline.clock_type, GPR_CLOCK_MONOTONIC);
  const gpr_timespec span = gpr_time_from_millis(2'500, GPR_TIMESPAN);
  EXPECT_LE(gpr_time_cmp(gpr_time_add(before, span), deadline), 0);
  EXPECT_LE(gpr_time_cmp(deadline, gpr_time_add(after, span)), 0);
}

TEST(CallDeadline, EndsACall) {
  const auto nobody = grpc::CreateChannel("unix:/nonexistent", grpc::InsecureChannelCredentials());
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(DeadlineIn(std::chrono::milliseconds(20)));
  v1::Cluster cluster;
  const auto stub = v1::Control::NewStub(nobody);
  const grpc::Status status = stub->GetCluster(&context, v1::GetClusterRequest(), &cluster);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

}  // namespace
}  // namespace gp
