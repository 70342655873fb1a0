#include "application/agent/launch/launcher_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "application/agent/launch/launch.h"
#include "base/text.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

DesiredLease Rank(Launcher launcher, int rank, int nodes, int gpus = 2) {
  DesiredLease desired;
  desired.lease.id = {7};
  desired.lease.job = {7};
  desired.lease.attempt = 1;
  desired.lease.rank = rank;
  for (int gpu = 0; gpu < gpus; ++gpu) desired.lease.gpus.push_back({gpu, kWholeShare, 1'000});
  for (int node = 0; node < nodes; ++node) desired.node_names.push_back("n" + std::to_string(node));
  desired.master_address = "n0";
  desired.job_token = "token";
  JobSpec spec;
  spec.program.command = {"python3", "train.py", "a b"};
  spec.program.launcher = launcher;
  desired.spec = std::make_shared<const JobSpec>(spec);
  return desired;
}

std::string Line(Launcher launcher, int rank, int nodes, int gpus = 2) {
  return Join(LauncherCommand(Rank(launcher, rank, nodes, gpus), "/rsh"), "|");
}

// The contract with each launcher: flags as its documentation has them.
TEST(LauncherCommand, IsTheJobsOwnWithoutOne) {
  EXPECT_EQ(Line(Launcher::kNone, 1, 2), "python3|train.py|a b");
}

TEST(LauncherCommand, OfTorchrunRunsOnEveryRank) {
  const std::string line = "torchrun|--max_restarts|0|--no_python|python3|train.py|a b";
  EXPECT_EQ(Line(Launcher::kTorchrun, 0, 2), line);
  EXPECT_EQ(Line(Launcher::kTorchrun, 1, 2), line);
  EXPECT_EQ(Line(Launcher::kDeepspeed, 1, 2), line);
}

TEST(LauncherCommand, OfAccelerateNamesTheRank) {
  EXPECT_THAT(Line(Launcher::kAccelerate, 1, 2),
              testing::EndsWith("|sh|--no_python|--multi_gpu|--num_machines|2|--machine_rank|1|"
                                "--num_processes|4|python3|train.py|a b"));
  EXPECT_THAT(Line(Launcher::kAccelerate, 0, 1, 1),
              testing::EndsWith("|sh|--no_python|--num_machines|1|--machine_rank|0|"
                                "--num_processes|1|python3|train.py|a b"));
  EXPECT_THAT(Line(Launcher::kAccelerate, 0, 2, 0), Not(HasSubstr("multi_gpu")));
}

TEST(LauncherCommand, OfMpiRunsOnRankZeroAndOthersFollow) {
  EXPECT_EQ(Line(Launcher::kMpi, 0, 2),
            "/rsh|--lead|mpirun|--host|n0:2,n1:2|-np|4|python3|train.py|a b");
  EXPECT_EQ(Line(Launcher::kMpi, 1, 2), "/rsh|--follow");
  EXPECT_EQ(Line(Launcher::kMpi, 0, 1), "mpirun|--host|localhost:2|-np|2|python3|train.py|a b");
  EXPECT_EQ(Line(Launcher::kMpi, 0, 2, 0),
            "/rsh|--lead|mpirun|--host|n0:1,n1:1|-np|2|python3|train.py|a b");
}

TEST(LauncherCommand, OfHorovodBindsNothingToCores) {
  EXPECT_EQ(Line(Launcher::kHorovod, 0, 2),
            "/rsh|--lead|mpirun|--host|n0:2,n1:2|-np|4|-bind-to|none|-map-by|slot|-mca|pml|ob1|"
            "-mca|btl|^openib|python3|train.py|a b");
  EXPECT_EQ(Line(Launcher::kHorovod, 1, 2), "/rsh|--follow");
}

TEST(LauncherCommand, OfRayStartsAClusterOfAllRanks) {
  EXPECT_THAT(Line(Launcher::kRay, 0, 2), testing::StartsWith("/rsh|--lead|/bin/sh|-c|"));
  EXPECT_THAT(Line(Launcher::kRay, 0, 2), testing::EndsWith("|sh|2|python3|train.py|a b"));
  EXPECT_THAT(Line(Launcher::kRay, 1, 2), testing::StartsWith("/rsh|--follow|/bin/sh|-c|for try"));
  EXPECT_THAT(Line(Launcher::kRay, 0, 1), testing::StartsWith("/bin/sh|-c|"));
}

class LaunchByLauncher : public testing::Test {
 protected:
  LaunchByLauncher() {
    options_.state_directory = "/s";
    options_.rsh_directory = "/s/rsh";
    options_.resolve_user = [](const User&) { return HostUser{"ana", 1'000, 1'000, {}, "/", ""}; };
  }
  LaunchSpec Launch(const DesiredLease& desired) {
    return MakeLaunch(desired, TestCluster::MakeFacts("n0", {0, 0}), options_, 0);
  }
  LaunchOptions options_;
};

TEST_F(LaunchByLauncher, RanksOfMpiFindTheAgentOfItsLauncherAndTheToken) {
  const LaunchSpec launch = Launch(Rank(Launcher::kMpi, 1, 2));
  EXPECT_THAT(launch.environment, Contains("OMPI_MCA_plm_rsh_agent=/s/rsh/gpu-platform-rsh"));
  EXPECT_THAT(launch.environment, Contains("GP_RSH=/s/rsh/gpu-platform-rsh"));
  EXPECT_THAT(launch.secrets, Contains("GP_JOB_TOKEN=token"));
  EXPECT_EQ(launch.argv.front(), "/s/rsh/gpu-platform-rsh");
  EXPECT_THAT(launch.environment, Not(Contains(HasSubstr("token"))));
}

TEST_F(LaunchByLauncher, OthersFindNone) {
  for (const DesiredLease& desired :
       {Rank(Launcher::kTorchrun, 0, 2), Rank(Launcher::kMpi, 0, 1)}) {
    const LaunchSpec launch = Launch(desired);
    EXPECT_THAT(launch.environment, Not(Contains(HasSubstr("rsh"))));
  }
}

// It is shown in a /tmp of the job's own, because an image need not have the agent's directories.
TEST_F(LaunchByLauncher, InAnImageItHasAPathOfItsOwn) {
  DesiredLease desired = Rank(Launcher::kMpi, 0, 2);
  JobSpec spec = *desired.spec;
  spec.program.image = "dir:/images/mpi";
  desired.spec = std::make_shared<const JobSpec>(spec);
  const LaunchSpec launch = Launch(desired);
  EXPECT_EQ(launch.argv.front(), "/tmp/.gpu-platform/gpu-platform-rsh");
  EXPECT_THAT(launch.host_directories,
              Contains(HostDirectory{"/s/rsh", HostDirectory::Absent::kFail, "/tmp/.gpu-platform",
                                     true, false}));
}

// A private /tmp would hide it.
TEST_F(LaunchByLauncher, BelowTmpItIsSeenWithTheHostsTmp) {
  options_.rsh_directory = "/tmp/s/rsh";
  EXPECT_FALSE(Launch(Rank(Launcher::kMpi, 0, 2)).private_tmp);
  EXPECT_TRUE(Launch(Rank(Launcher::kTorchrun, 0, 2)).private_tmp);
}

}  // namespace
}  // namespace gp
