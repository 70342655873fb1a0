#include "application/agent/launch/launch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "base/text.h"
#include "domain/model/jobs/ports.h"
#include "tests/support/test_cluster.h"
#include "tests/unit/application/agent/launch_samples.h"

namespace gp {
namespace {

TEST(Launch, GivesTheLeasesDevicesAndNoOthers) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  const LaunchSpec launch = MakeLaunch(Desired(Spec()), facts, Options(), 42);
  EXPECT_EQ(launch.devices, (std::vector<DeviceNumber>{{195, 4}, {195, 255}, {510, 0}}));
  EXPECT_EQ(launch.cpus.ToString(), "0-1");
  EXPECT_EQ(launch.memory_nodes.ToString(), "0");
  EXPECT_EQ(launch.memory_bytes_max, 100 << 20);
  EXPECT_EQ(launch.key, "lease-0003");
  EXPECT_EQ(launch.log_directory, "/s/logs/job-0007/2");
  EXPECT_EQ(launch.lease_deadline_boot_ns, 42);
}

TEST(Launch, AJobWithoutGpusGetsNoDeviceAtAll) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  DesiredLease desired = Desired(Spec());
  desired.lease.gpus.clear();
  const LaunchSpec launch = MakeLaunch(desired, facts, Options(), 0);
  EXPECT_TRUE(launch.devices.empty());
  EXPECT_EQ(Variable(launch, "CUDA_VISIBLE_DEVICES"), "-1");
  EXPECT_EQ(Variable(launch, "NVIDIA_VISIBLE_DEVICES"), "void");
}

TEST(Launch, SaysByEnvironmentWhatTheJobHolds) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  JobSpec spec = Spec();
  spec.program.environment = {{"MINE", "1"},
                              {"CUDA_VISIBLE_DEVICES", "0"},
                              {"GP_JOB_ID", "fake"},
                              {"CUDA_MPS_PIPE_DIRECTORY", "/x"}};
  spec.recovery.checkpoint.directory = "/ckpt";
  const LaunchSpec launch = MakeLaunch(Desired(spec), facts, Options(), 0);
  EXPECT_EQ(Variable(launch, "CUDA_VISIBLE_DEVICES"), "GPU-1");
  EXPECT_EQ(Variable(launch, "NVIDIA_VISIBLE_DEVICES"), "GPU-1");
  EXPECT_EQ(Variable(launch, "GP_JOB_ID"), "job-7");
  EXPECT_EQ(Variable(launch, "CUDA_MPS_PIPE_DIRECTORY"), "(none)");
  EXPECT_EQ(Variable(launch, "MINE"), "1");
  EXPECT_EQ(Variable(launch, "GP_NNODES"), "2");
  EXPECT_EQ(Variable(launch, "GP_NODE_RANK"), "1");
  EXPECT_EQ(Variable(launch, "GP_NODE_LIST"), "n0,n1");
  EXPECT_EQ(Variable(launch, "GP_MASTER_ADDR"), "n0");
  EXPECT_EQ(Variable(launch, "MASTER_PORT"), Variable(launch, "GP_MASTER_PORT"));
  EXPECT_EQ(Variable(launch, "GP_RESUME_FROM"), "/ckpt");  // a second attempt
  EXPECT_EQ(Variable(launch, "HOME"), "/home/ana");
}

TEST(Launch, TorchrunFindsWhatItNeeds) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  DesiredLease desired = Desired(Spec());
  desired.lease.gpus = {{0, kWholeShare, 990}, {1, kWholeShare, 990}};
  const LaunchSpec gang = MakeLaunch(desired, facts, Options(), 0);
  EXPECT_EQ(Variable(gang, "PET_NNODES"), "2");
  EXPECT_EQ(Variable(gang, "PET_NODE_RANK"), "1");
  EXPECT_EQ(Variable(gang, "PET_NPROC_PER_NODE"), "2");
  EXPECT_EQ(Variable(gang, "PET_MASTER_ADDR"), "n0");
  EXPECT_EQ(Variable(gang, "MASTER_ADDR"), "n0");
  EXPECT_EQ(Variable(gang, "PET_MASTER_PORT"), Variable(gang, "MASTER_PORT"));
  EXPECT_EQ(Variable(gang, "GP_MASTER_PORT"), Variable(gang, "MASTER_PORT"));
  desired.node_names = {"n1"};
  desired.master_address = "n1";
  desired.lease.gpus.clear();
  const LaunchSpec alone = MakeLaunch(desired, facts, Options(), 0);
  EXPECT_EQ(Variable(alone, "PET_NPROC_PER_NODE"), "1") << "a process, though no GPU";
  EXPECT_EQ(Variable(alone, "PET_MASTER_ADDR"), "127.0.0.1");
  EXPECT_EQ(Variable(alone, "MASTER_ADDR"), "127.0.0.1");
}

TEST(Launch, AJobsOwnRendezvousWins) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  JobSpec spec = Spec();
  spec.program.environment = {{"MASTER_PORT", "29500"}, {"PET_NPROC_PER_NODE", "4"}};
  const LaunchSpec launch = MakeLaunch(Desired(spec), facts, Options(), 0);
  EXPECT_EQ(Variable(launch, "MASTER_PORT"), "29500");
  EXPECT_EQ(Variable(launch, "PET_MASTER_PORT"), "29500") << "torchrun's follows";
  EXPECT_EQ(Variable(launch, "PET_NPROC_PER_NODE"), "4");
  EXPECT_EQ(Variable(launch, "MASTER_ADDR"), "n0") << "what it leaves out is the platform's";
}

TEST(Launch, PortsOfJobsAndAttemptsDiffer) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  const auto port = [&](uint64_t job, int attempt, int rank) {
    DesiredLease desired = Desired(Spec());
    desired.lease.job = {job};
    desired.lease.attempt = attempt;
    desired.lease.rank = rank;
    return std::stoi(Variable(MakeLaunch(desired, facts, Options(), 0), "MASTER_PORT"));
  };
  std::set<int> ports;
  for (uint64_t job = 1; job <= 3'000; ++job) ports.insert(port(job, 1, 0));
  EXPECT_EQ(ports.size(), 3'000u);
  EXPECT_EQ(port(7, 1, 0), port(7, 1, 1));
  ports.clear();
  for (int attempt = 1; attempt <= 20; ++attempt) ports.insert(port(7, attempt, 0));
  EXPECT_EQ(ports.size(), 20u);
  EXPECT_GE(*ports.begin(), 20'000);
  EXPECT_LT(*ports.rbegin(), 32'000) << "the kernel gives those from 32768 on away";
}

TEST(Launch, AgentsTryTheBlocksOfTheNextJobsLast) {
  std::set<int> firsts;
  for (uint64_t job = 1; job <= kPortBlocks; ++job) firsts.insert(PreferredFirstPort({job}, 1));
  EXPECT_EQ(firsts.size(), static_cast<size_t>(kPortBlocks));
  for (const int first : firsts) EXPECT_TRUE(IsFirstPort(first)) << first;
  EXPECT_NE(PreferredFirstPort({7}, 1), PreferredFirstPort({7}, 2));
  EXPECT_FALSE(IsFirstPort(kPortFirst + 1));
  EXPECT_FALSE(IsFirstPort(kPortFirst - kPortsInBlock));
  EXPECT_FALSE(IsFirstPort(kPortFirst + kPortBlocks * kPortsInBlock));
}

// docs/reference/environment.md has a row for each variable, and for no other.
TEST(Launch, TheReferenceNamesAllVariables) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  JobSpec spec = Spec();
  spec.policy.array = {5, 2};
  spec.recovery.checkpoint.directory = "/ckpt";
  spec.program.image = "oci:/data/img";
  spec.program.launcher = Launcher::kMpi;
  DesiredLease desired = Desired(spec);
  desired.node_names = {"n0", "n1"};
  desired.first_port = kPortFirst;
  desired.job_token = "t";
  desired.array = {3};
  desired.resume_from = "/ckpt/7";
  desired.lease.mode = GpuMode::kMps;
  LaunchSpec launch = MakeLaunch(desired, facts, Options(), 0);
  CompleteLaunch({.digest = "sha256:1"}, launch);
  std::set<std::string> given;
  for (const std::string& entry : launch.environment)
    given.insert(entry.substr(0, entry.find('=')));
  for (const std::string& entry : launch.secrets) given.insert(entry.substr(0, entry.find('=')));
  std::ifstream page(GP_SOURCE_DIR "/docs/reference/environment.md");
  std::set<std::string> named;
  for (std::string line; std::getline(page, line);) {
    const std::string cell = line.starts_with("| `") ? line.substr(0, line.find('|', 2)) : "";
    const std::vector<std::string> parts = Split(cell, '`');
    for (size_t i = 1; i < parts.size(); i += 2) named.insert(parts[i]);
  }
  EXPECT_EQ(given, named);
}

TEST(Launch, AnElementKnowsItsArray) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  JobSpec spec = Spec();
  spec.policy.array = {5, 2};
  DesiredLease desired = Desired(spec);
  desired.array = {3};
  const LaunchSpec launch = MakeLaunch(desired, facts, Options(), 0);
  EXPECT_EQ(Variable(launch, "GP_ARRAY_ID"), "job-3");
  EXPECT_EQ(Variable(launch, "GP_ARRAY_INDEX"), "3");  // of job-7
  EXPECT_EQ(Variable(launch, "GP_ARRAY_COUNT"), "5");
  EXPECT_EQ(Variable(MakeLaunch(Desired(Spec()), facts, Options(), 0), "GP_ARRAY_INDEX"), "(none)");
}

TEST(Launch, ACheckpointIsResumedOnlyFromTheSecondAttemptOn) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  JobSpec spec = Spec();
  spec.recovery.checkpoint.directory = "/ckpt";
  DesiredLease desired = Desired(spec);
  desired.lease.attempt = 1;
  EXPECT_EQ(Variable(MakeLaunch(desired, facts, Options(), 0), "GP_RESUME_FROM"), "(none)");
}

TEST(Launch, SimulatedCoresAreMappedOntoTheHosts) {
  NodeFacts facts = MakeNodeFacts("n1", true, TwoSockets(), TwoGpus()).facts;
  LaunchOptions options = Options();
  options.host_cpus.AddRange(0, 1);
  DesiredLease desired = Desired(Spec());
  desired.lease.numa[0].cpus = CpuSet{};
  desired.lease.numa[0].cpus.Add(3);
  const LaunchSpec launch = MakeLaunch(desired, facts, options, 0);
  EXPECT_EQ(launch.cpus.ToString(), "1");
  EXPECT_TRUE(launch.memory_nodes.Empty());
}

TEST(Launch, AJobThatWorksBelowTmpKeepsTheHosts) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  JobSpec spec = Spec();
  EXPECT_TRUE(MakeLaunch(Desired(spec), facts, Options(), 0).private_tmp);
  spec.program.working_directory = "/tmp/w";
  EXPECT_FALSE(MakeLaunch(Desired(spec), facts, Options(), 0).private_tmp);
  spec.program.working_directory = "/tmpfiles";
  EXPECT_TRUE(MakeLaunch(Desired(spec), facts, Options(), 0).private_tmp);
}

TEST(Launch, AnImageShowsTheDirectoriesOfTheJobAlone) {
  using Absent = HostDirectory::Absent;
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  JobSpec spec = Spec();
  EXPECT_EQ(MakeLaunch(Desired(spec), facts, Options(), 0).image_directory, "");
  spec.program.image = "dir:/images/a";
  spec.program.working_directory = "/tmp/w";
  spec.recovery.checkpoint.directory = "/ckpt";
  LaunchSpec launch = MakeLaunch(Desired(spec), facts, Options(), 0);
  const std::string home = Variable(launch, "HOME");
  EXPECT_EQ(launch.image_directory, "/images/a");
  EXPECT_EQ(launch.device_directory, Options().device_directory);
  EXPECT_TRUE(launch.private_tmp);
  EXPECT_EQ(launch.host_directories,
            (std::vector<HostDirectory>{
                {"/ckpt", Absent::kMake}, {"/tmp/w", Absent::kSkip}, {home, Absent::kSkip}}));
  // What is the system's on the host is the image's in the image.
  for (const std::string system :
       {"/", "/usr", "/usr/share/x", "/./etc", "//proc/self/root", "/tmp", "/tmp/."}) {
    spec.program.working_directory = system;
    launch = MakeLaunch(Desired(spec), facts, Options(), 0);
    EXPECT_EQ(launch.host_directories.size(), 2u) << system;
  }
  spec.program.working_directory = "/usrlocal/./";
  launch = MakeLaunch(Desired(spec), facts, Options(), 0);
  EXPECT_EQ(launch.host_directories.at(1), (HostDirectory{"/usrlocal", Absent::kSkip}));
  // A checkpoint must not be lost with the image's layer.
  spec.recovery.checkpoint.directory = "/usr/local/ckpt";
  launch = MakeLaunch(Desired(spec), facts, Options(), 0);
  EXPECT_EQ(launch.host_directories.at(0), (HostDirectory{"/usr/local/ckpt", Absent::kMake}));
}

TEST(Launch, MountsComeBeforeDirectoriesThatTheyCover) {
  using Absent = HostDirectory::Absent;
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  LaunchOptions options = Options();
  options.mount_prefixes = {"/scratch", "/data"};
  JobSpec spec = Spec();
  spec.program.image = "dir:/images/a";
  spec.program.mounts = {{"/scratch//a/", "/work", false}, {"/data", "/data", true}};
  spec.program.working_directory = "/work/of/this";
  const LaunchSpec launch = MakeLaunch(Desired(spec), facts, options, 0);
  EXPECT_EQ(launch.host_directories,
            (std::vector<HostDirectory>{{"/scratch/a", Absent::kFail, "/work", false, true},
                                        {"/data", Absent::kFail, "/data", true, true},
                                        {Variable(launch, "HOME"), Absent::kSkip}}));
  EXPECT_EQ(launch.mount_prefixes, options.mount_prefixes);
}

TEST(Launch, TheDriversFilesAreForJobsWithGpusInImages) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  LaunchOptions options = Options();
  JobSpec spec = Spec();
  spec.program.image = "dir:/images/a";
  EXPECT_TRUE(MakeLaunch(Desired(spec), facts, options, 0).driver_lists.empty());
  options.driver_directory = "/s/driver";
  using Lists = std::vector<std::string>;
  EXPECT_EQ(MakeLaunch(Desired(spec), facts, options, 0).driver_lists, Lists{"/s/driver/compute"});
  spec.program.graphics = true;
  EXPECT_EQ(MakeLaunch(Desired(spec), facts, options, 0).driver_lists,
            (Lists{"/s/driver/compute", "/s/driver/graphics"}));
  DesiredLease without_gpus = Desired(spec);
  without_gpus.lease.gpus.clear();
  EXPECT_TRUE(MakeLaunch(without_gpus, facts, options, 0).driver_lists.empty());
  spec.program.image = "";
  EXPECT_TRUE(MakeLaunch(Desired(spec), facts, options, 0).driver_lists.empty());
}

TEST(Launch, AJobThatDrawsGetsTheRenderNodesOfItsGpusAlone) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  LaunchOptions options = Options();
  options.graphics_devices = {{195, 254}};
  options.graphics_groups = {44};
  options.render_node = [](const GpuFacts& gpu) {
    return gpu.uuid == "GPU-1" ? std::optional(DeviceNumber{226, 129}) : std::nullopt;
  };
  JobSpec spec = Spec();
  const std::vector<DeviceNumber> plain = MakeLaunch(Desired(spec), facts, options, 0).devices;
  const std::vector<uint32_t> groups = MakeLaunch(Desired(spec), facts, options, 0).groups;
  EXPECT_EQ(std::ranges::count(groups, 44u), 0);
  spec.program.graphics = true;
  EXPECT_EQ(MakeLaunch(Desired(spec), facts, options, 0).groups.back(), 44u);
  std::vector<DeviceNumber> drawing = plain;
  drawing.insert(drawing.end(), {{195, 254}, {226, 129}});
  EXPECT_EQ(MakeLaunch(Desired(spec), facts, options, 0).devices, drawing);
  DesiredLease other = Desired(spec);
  other.lease.gpus = {{0, kWholeShare, 990}};  // which has none
  EXPECT_EQ(MakeLaunch(other, facts, options, 0).devices.back(), (DeviceNumber{195, 254}));
}

TEST(Launch, OnlyAJobWithoutNetworkHasItsOwn) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  JobSpec spec = Spec();
  EXPECT_FALSE(MakeLaunch(Desired(spec), facts, Options(), 0).private_network);
  spec.program.network = NetworkAccess::kNone;
  EXPECT_TRUE(MakeLaunch(Desired(spec), facts, Options(), 0).private_network);
}

TEST(Launch, DataThatIsShownInThePrivateTmpMayBeNamedByTheCommand) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  JobSpec spec = Spec();
  spec.program.command = {"train", "/tmp/wiki/a.bin"};
  EXPECT_FALSE(MakeLaunch(Desired(spec), facts, Options(), 0).private_tmp);
  spec.program.stage = {{.from = "s3://corpora/wiki", .to = "/tmp/wiki/", .credentials = "S3"}};
  EXPECT_TRUE(MakeLaunch(Desired(spec), facts, Options(), 0).private_tmp);
  spec.program.working_directory = "/tmp/wiki";
  EXPECT_TRUE(MakeLaunch(Desired(spec), facts, Options(), 0).private_tmp);
  spec.program.command.push_back("/tmp/wikipedia");
  EXPECT_FALSE(MakeLaunch(Desired(spec), facts, Options(), 0).private_tmp);
}

TEST(Launch, SourcesAreWhatTheJobStagesAndTheCopyThatItResumesFrom) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  JobSpec spec = Spec();
  spec.program.stage = {{.from = "s3://corpora/wiki", .to = "/data/wiki/", .credentials = "S3"}};
  spec.recovery.checkpoint = {.directory = "/c", .copy_to = "s3://ckpt/a/", .credentials = "CKPT"};
  DesiredLease desired = Desired(spec);
  desired.secrets = {{"S3", "secret of data"}, {"CKPT", "secret of copies"}};
  desired.resume_from = "/c/7";
  desired.resume_copy = "attempt-1.rank-0.3";
  const LaunchSpec launch = MakeLaunch(desired, facts, Options(), 0);
  const std::string job = KeyOf(desired.lease.job);
  EXPECT_EQ(launch.sources,
            (std::vector<DataSource>{
                {.url = "s3://corpora/wiki", .credentials = "secret of data", .at = "/data/wiki"},
                {.url = "s3://ckpt/a/" + job + "/attempt-1.rank-0.3",
                 .credentials = "secret of copies",
                 .at = "/c/7",
                 .restores = true}}));
  EXPECT_TRUE(launch.copies && launch.copies_checkpoints);
  EXPECT_EQ(Variable(launch, "S3"), "(none)") << "the job does not get it";
}

TEST(Launch, CopiesGoBelowTheJobAndArtifactsOfRanksApart) {
  JobSpec spec = Spec();
  EXPECT_FALSE(CopyOrdersOf(Desired(spec)));
  spec.recovery.checkpoint = {.directory = "/c", .keep = 2, .copy_to = "s3://ckpt/a"};
  spec.program.artifacts = {{.from = "/out", .to = "s3://out/${JOB_ID}", .credentials = "S3"}};
  DesiredLease desired = Desired(spec);
  desired.node_names = {"n1"};
  desired.secrets = {{"S3", "secret"}};
  desired.copies = {"attempt-1.rank-0.1"};
  desired.checkpoints_seen = 4;
  const std::string job = KeyOf(desired.lease.job);
  const auto orders = CopyOrdersOf(desired);
  ASSERT_TRUE(orders);
  EXPECT_EQ(orders->checkpoint_url, "s3://ckpt/a/" + job + "/attempt-" +
                                        std::to_string(desired.lease.attempt) + ".rank-" +
                                        std::to_string(desired.lease.rank) + ".");
  EXPECT_EQ(orders->decided, 4);
  EXPECT_EQ(orders->staying, desired.copies);
  const std::string id = ToText(desired.lease.job);
  EXPECT_EQ(orders->artifacts, (std::vector<ArtifactCopy>{{"/out", "s3://out/" + id, "secret"}}));
  desired.node_names = {"n1", "n2"};
  EXPECT_EQ(CopyOrdersOf(desired)->artifacts.at(0).url,
            "s3://out/" + id + "/rank-" + std::to_string(desired.lease.rank));
}

TEST(Launch, ASiteMayShareTheHostsProcesses) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  LaunchOptions options = Options();
  EXPECT_TRUE(MakeLaunch(Desired(Spec()), facts, options, 0).private_processes);
  options.private_processes = false;
  EXPECT_FALSE(MakeLaunch(Desired(Spec()), facts, options, 0).private_processes);
}

// A part of the second GPU, in this mode.
DesiredLease DesiredPart(GpuMode mode, int share, int64_t memory_mib) {
  JobSpec spec = Spec();
  spec.program.environment = {{"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "100"}};
  DesiredLease desired = Desired(spec);
  desired.lease.mode = mode;
  desired.lease.gpus = {{1, share, memory_mib}};
  return desired;
}

TEST(Launch, AClientOfMpsIsToldItsServerAndItsLimits) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  const LaunchSpec launch = MakeLaunch(DesiredPart(GpuMode::kMps, 333, 2'000), facts, Options(), 0);
  ASSERT_EQ(launch.parts.size(), 1u);
  EXPECT_EQ(launch.parts[0],
            (GpuPart{1, facts.gpus[1].minor, facts.gpus[1].uuid, 2'000, 34, true}));
  const std::string directory = "/s/mps/" + std::to_string(facts.gpus[1].minor) + "-1000";
  EXPECT_EQ(Variable(launch, "CUDA_MPS_PIPE_DIRECTORY"), directory);
  EXPECT_EQ(Variable(launch, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"), "34");
  EXPECT_EQ(Variable(launch, "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"), "0=2000M");
  EXPECT_GT(launch.shm_bytes, 0);
  EXPECT_TRUE(launch.private_processes);
  // Memory alone: compute as it comes.
  EXPECT_EQ(Variable(MakeLaunch(DesiredPart(GpuMode::kMps, 0, 2'000), facts, Options(), 0),
                     "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"),
            "100");
  LaunchOptions below_tmp = Options();
  below_tmp.state_directory = "/tmp/s";
  EXPECT_FALSE(MakeLaunch(DesiredPart(GpuMode::kMps, 333, 2'000), facts, below_tmp, 0).private_tmp);
}

TEST(Launch, OthersKnowNothingOfMps) {
  const NodeFacts facts = MakeNodeFacts("n1", false, TwoSockets(), TwoGpus()).facts;
  for (const GpuMode mode : {GpuMode::kTimeslice, GpuMode::kWhole}) {
    const LaunchSpec launch = MakeLaunch(DesiredPart(mode, 333, 2'000), facts, Options(), 0);
    EXPECT_EQ(launch.parts.size(), mode == GpuMode::kTimeslice ? 1u : 0u);
    EXPECT_EQ(Variable(launch, "CUDA_MPS_PIPE_DIRECTORY"), "(none)");
    EXPECT_EQ(Variable(launch, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"), "(none)");
    EXPECT_GT(launch.shm_bytes, 0);
  }
}

TEST(ImageOfALaunch, IsNamedByItsDigestOnceTheJobHasIt) {
  const NodeFacts facts = TestCluster::MakeFacts("n1", {0, 0});
  JobSpec spec;
  spec.program.command = {"true"};
  spec.program.image = "oci:/data/img:v1";
  DesiredLease desired = Desired(spec);
  desired.lease.rank = 0;
  EXPECT_EQ(*MakeLaunch(desired, facts, Options(), 0).layered_image,
            (LayeredImage{.path = "/data/img", .tag = "v1", .resolves = true}));
  desired.lease.rank = 1;
  EXPECT_FALSE(MakeLaunch(desired, facts, Options(), 0).layered_image->resolves);
  desired.image_digest = "sha256:" + std::string(64, 'a');
  EXPECT_EQ(MakeLaunch(desired, facts, Options(), 0).layered_image->digest, desired.image_digest);
  spec.program.image = "oci:/data/img@sha256:" + std::string(64, 'b');
  desired.spec = std::make_shared<const JobSpec>(spec);
  EXPECT_EQ(MakeLaunch(desired, facts, Options(), 0).layered_image->digest,
            "sha256:" + std::string(64, 'b'));
}

TEST(ImageOfALaunch, MayBeAFile) {
  using Source = ImageReference::Source;
  const NodeFacts facts = TestCluster::MakeFacts("n1", {0, 0});
  const std::pair<const char*, LayeredImage> images[] = {
      {"docker-archive:/a.tar:ana/train:v1",
       {.source = Source::kDockerArchive, .path = "/a.tar", .tag = "ana/train:v1"}},
      {"oci-archive:/a.tar", {.source = Source::kOciArchive, .path = "/a.tar"}},
      {"/data/a.sqsh", {.source = Source::kSquashfs, .path = "/data/a.sqsh"}},
      {"squashfs:/data/a", {.source = Source::kSquashfs, .path = "/data/a"}}};
  for (const auto& [text, expected] : images) {
    JobSpec spec;
    spec.program.command = {"true"};
    spec.program.image = text;
    DesiredLease desired = Desired(spec);
    desired.lease.rank = 1;
    const LaunchSpec launch = MakeLaunch(desired, facts, Options(), 0);
    EXPECT_EQ(*launch.layered_image, expected) << text;
    EXPECT_EQ(ReferenceOf(*launch.layered_image), text);
  }
}

TEST(ImageOfALaunch, ItsCredentialsAreNotTheJobs) {
  const NodeFacts facts = TestCluster::MakeFacts("n1", {0, 0});
  JobSpec spec;
  spec.program.command = {"true"};
  spec.program.image = "reg.lab/a";
  spec.program.image_credentials = "REGISTRY";
  DesiredLease desired = Desired(spec);
  desired.secrets = {{"REGISTRY", "ana:secret"}};
  LaunchSpec launch = MakeLaunch(desired, facts, Options(), 0);
  EXPECT_EQ(launch.image_credentials, "ana:secret");
  EXPECT_TRUE(launch.secrets.empty());
  EXPECT_EQ(launch.layered_image->repository, "reg.lab/a");
  EXPECT_EQ(launch.layered_image->path, "");
  CompleteLaunch({.digest = "sha256:1"}, launch);
  EXPECT_EQ(launch.image_credentials, "");
  spec.program.secrets = {"REGISTRY"};  // unless it names them
  desired.spec = std::make_shared<const JobSpec>(spec);
  EXPECT_EQ(MakeLaunch(desired, facts, Options(), 0).secrets,
            (std::vector<std::string>{"REGISTRY=ana:secret"}));
}

}  // namespace
}  // namespace gp
