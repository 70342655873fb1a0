// What each key of a good job file turns into.

#include <gtest/gtest.h>

#include <tuple>

#include "adapters/inbound/job_file/job_file.h"

namespace gp {
namespace {

JobSpec Decoded(std::string_view text, const JobFileOptions& options = {},
                std::string_view file_name = "good.gpu.yaml") {
  DecodedJobs decoded = DecodeJobFile(file_name, text, options);
  EXPECT_EQ(RenderDiagnostics(decoded.diagnostics), "");
  EXPECT_EQ(decoded.jobs.size(), 1u);
  return decoded.jobs.empty() ? JobSpec{} : decoded.jobs[0];
}

GpuRequest GpusOf(std::string_view gpus) {
  return Decoded("run: x\nresources:\n  gpus: " + std::string(gpus) + "\n").resources.gpus;
}

TEST(GoodInput, OnlyRunIsRequired) {
  JobSpec expected;
  expected.name = "good";
  expected.program.command = {"/bin/sh", "-c", "echo hi"};
  EXPECT_EQ(Decoded("run: echo hi\n"), expected);
  EXPECT_EQ(Decoded("{\"run\": \"echo hi\"}"), expected);
  EXPECT_EQ(Decoded("\xef\xbb\xbfrun: echo hi\r\n"), expected);
}

TEST(GoodInput, AnArrayIsACountAShorthandOrAMap) {
  const auto array = [](const std::string& text) {
    return Decoded("run: x\narray: " + text + "\n").policy.array;
  };
  EXPECT_EQ(array("100"), (ArrayRequest{100, 0}));
  EXPECT_EQ(array("100%10"), (ArrayRequest{100, 10}));
  EXPECT_EQ(array("\"100%10\""), (ArrayRequest{100, 10}));
  EXPECT_EQ(array("{count: 100, max_parallel: 10}"), (ArrayRequest{100, 10}));
  EXPECT_EQ(array("{count: 1}"), (ArrayRequest{1, 0}));
  EXPECT_EQ(array("{count: 10000, max_parallel: 0}"), (ArrayRequest{10'000, 0}));
  EXPECT_EQ(Decoded("run: x\n").policy.array, ArrayRequest{});
  EXPECT_EQ(Decoded("run: x\narray: 3\n", {.overrides = {{"array", "7%2"}}}).policy.array,
            (ArrayRequest{7, 2}));
}

TEST(GoodInput, EveryKey) {
  const JobSpec job = Decoded(R"(
apiVersion: gpu-platform/v1
$schema: /usr/share/gpu-platform/schema/job.v1.json
name: llama-ft
project: nlp
queue: training
nodes: 2
network: host
resources: {gpus: H100:8, cpus: 96, memory: 900GB, shm: 16GiB}
topology: {require: nvlink, prefer: same_node, allow_cross_numa: false}
priority: high
time_limit: 12h
retry: {max: 5, backoff: 10s..15m, on: [failure, node_failure, gpu_error, preempted]}
checkpoint: {dir: "/ckpt/${JOB_NAME}/x", grace: 120s, keep: 3, best: max}
on_lease_loss: continue
preemptible: true
env: {MODEL: llama, PORT: 8080, OCTAL: 010, FLAG: no, EMPTY: ""}
labels: {team.example.org/cost: "12", stage: dev}
workdir: /data
image: dir:/images/train
mounts: ["/data:ro", /scratch/ana:/scratch]
run: [python, train.py, --lr, 1e-3, ""]
)");
  JobSpec expected;
  expected.name = "llama-ft";
  expected.project = "nlp";
  expected.policy.queue = "training";
  expected.policy.preemptible = true;
  expected.resources.nodes = 2;
  expected.resources.gpus.count = 8;
  expected.resources.gpus.models = {"H100"};
  expected.resources.cpus = 96;
  expected.resources.memory_bytes = 900'000'000'000;
  expected.resources.shm_bytes = int64_t{16} << 30;
  expected.placement.topology = {TopologyLevel::kNvlink, TopologyLevel::kSameNode, false};
  expected.policy.priority = 750;
  expected.policy.time_limit = Duration::Minutes(12 * 60);
  expected.recovery.retry = {5, Duration::Seconds(10), Duration::Minutes(15), true};
  expected.recovery.checkpoint.directory = "/ckpt/llama-ft/x";
  expected.recovery.checkpoint.keep = 3;
  expected.recovery.checkpoint.best = BestScore::kMax;
  expected.policy.grace = Duration::Seconds(120);
  expected.recovery.on_lease_loss = LeaseLoss::kContinue;
  expected.program.environment = {
      {"MODEL", "llama"}, {"PORT", "8080"}, {"OCTAL", "010"}, {"FLAG", "no"}, {"EMPTY", ""}};
  expected.labels = {{"team.example.org/cost", "12"}, {"stage", "dev"}};
  expected.program.working_directory = "/data";
  expected.program.image = "dir:/images/train";
  expected.program.mounts = {{"/data", "/data", true}, {"/scratch/ana", "/scratch", false}};
  expected.program.command = {"python", "train.py", "--lr", "1e-3", ""};
  EXPECT_EQ(job, expected);
}

TEST(GoodInput, AJobWithoutNetworkAndMountsOfOneText) {
  const JobSpec job = Decoded("run: x\nimage: dir:/i\nnetwork: none\nmounts: /data:ro,/scratch\n");
  EXPECT_EQ(job.program.network, NetworkAccess::kNone);
  EXPECT_EQ(job.program.mounts,
            (std::vector<Mount>{{"/data", "/data", true}, {"/scratch", "/scratch", false}}));
}

TEST(GoodInput, AJobThatOnlyStagesNeedsNoCommand) {
  for (const char* image :
       {"docker-archive:/a.tar:ana/a:v1", "oci-archive:/a.tar", "/a.sqsh", "squashfs:/a"}) {
    const std::string text = std::string("stage_only: true\nimage: ") + image + "\n";
    EXPECT_EQ(Decoded(text).program.image, image);
  }
  const JobSpec job = Decoded("image: registry.lab/a:v1\nstage_only: true\nresources: {gpus: 0}\n");
  EXPECT_TRUE(job.program.stage_only);
  EXPECT_TRUE(job.program.command.empty());
}

TEST(GoodInput, FormsOfGpus) {
  EXPECT_EQ(GpusOf("8").count, 8);
  EXPECT_EQ(GpusOf("0").count, 0);
  EXPECT_EQ(GpusOf("64").count, 64);
  EXPECT_EQ(GpusOf("H100:2"), (GpuRequest{.count = 2, .models = {"H100"}}));
  EXPECT_EQ(GpusOf("\"RTX 6000:2\"").models, std::vector<std::string>{"RTX 6000"});
  EXPECT_EQ(GpusOf("{model: H100}"), (GpuRequest{.count = 1, .models = {"H100"}}));
  EXPECT_EQ(GpusOf("{count: 4, model: [H100, H200], memory_min: 80GB}"),
            (GpuRequest{.count = 4, .models = {"H100", "H200"}, .memory_mib_min = 76294}));
}

TEST(GoodInput, SharesAreExact) {
  const std::pair<const char*, int> kShares[] = {
      {"0.5", 500},   {"0.125", 125}, {"0.001", 1},   {"0.999", 999}, {"0.30", 300}, {"25%", 250},
      {"12.5%", 125}, {"0.1%", 1},    {"99.9%", 999}, {"0.29", 290},  {"0.57", 570}};
  for (const auto& [text, thousandths] : kShares) {
    const GpuRequest gpus = GpusOf("{share: " + std::string(text) + "}");
    EXPECT_EQ(gpus.share_thousandths, thousandths) << text;
    EXPECT_EQ(gpus.isolation, Isolation::kTimeslice) << text;
  }
  EXPECT_EQ(GpusOf("{share: 1}"), GpuRequest{});
  EXPECT_EQ(GpusOf("{share: 100%}"), GpuRequest{});
}

TEST(GoodInput, IsolationIsImpliedOnlyWhereItIsNotGiven) {
  EXPECT_EQ(GpusOf("{memory: 2000MiB}").isolation, Isolation::kTimeslice);
  EXPECT_EQ(GpusOf("{memory: 2000MiB}").memory_mib, 2000);
  EXPECT_EQ(GpusOf("{memory: 1.5MiB, share: 0.5}").memory_mib, 2);  // rounded up, never down
  EXPECT_EQ(GpusOf("{share: 0.25, isolation: mig}").isolation, Isolation::kMig);
  EXPECT_EQ(GpusOf("{isolation: mps, share: 0.25}").isolation, Isolation::kMps);
  for (const char* text :
       {"{mig: 3g.40gb}", "{isolation: mig, mig: 3g.40gb}", "{isolation: auto, mig: 3g.40gb}"}) {
    const GpuRequest gpus = GpusOf(text);
    EXPECT_EQ(std::tuple(gpus.isolation, gpus.share_thousandths, gpus.memory_mib),
              std::tuple(Isolation::kMig, 428, 34'333))
        << text;
  }
  EXPECT_EQ(GpusOf("{isolation: exclusive}").isolation, Isolation::kExclusive);
}

TEST(GoodInput, IsolationLeftOpenIsByMigOrMpsOrElseInTurns) {
  const JobSpec part =
      Decoded("run: x\nresources: {gpus: {share: 0.25, isolation: auto}, cpus: 2}");
  EXPECT_EQ(part.resources.gpus.isolation, Isolation::kMig);
  ASSERT_EQ(part.resources.any_of.size(), 2u);
  EXPECT_EQ(part.resources.any_of[0].gpus.isolation, Isolation::kMps);
  EXPECT_EQ(part.resources.any_of[1].gpus.isolation, Isolation::kTimeslice);
  EXPECT_EQ(part.resources.any_of[1].gpus.share_thousandths, 250);
  EXPECT_EQ(part.resources.any_of[1].cpus, 2);
  const JobSpec whole = Decoded("run: x\nresources: {gpus: {isolation: auto}}");
  EXPECT_EQ(whole.resources.gpus.isolation, Isolation::kExclusive);
  EXPECT_TRUE(whole.resources.any_of.empty());
  const JobSpec two =
      Decoded("run: x\nresources: {gpus: {count: 2, share: 0.25, isolation: auto}}");
  EXPECT_EQ(two.resources.gpus.isolation, Isolation::kTimeslice);  // the others give a part of one
  EXPECT_TRUE(two.resources.any_of.empty());
}

TEST(GoodInput, EachAlternativeMayLeaveItsIsolationOpen) {
  const JobSpec job =
      Decoded("run: x\nany_of:\n  - {gpus: {share: 0.5, isolation: auto}}\n  - {gpus: 2}\n");
  EXPECT_EQ(job.resources.gpus.isolation, Isolation::kMig);
  ASSERT_EQ(job.resources.any_of.size(), 3u);
  EXPECT_EQ(job.resources.any_of[0].gpus.isolation, Isolation::kMps);
  EXPECT_EQ(job.resources.any_of[1].gpus.isolation, Isolation::kTimeslice);
  EXPECT_EQ(job.resources.any_of[2].gpus, (GpuRequest{.count = 2, .models = {}}));
}

TEST(GoodInput, RetryOfTheProgramsOwnFailures) {
  const auto on_failure = [](std::string_view retry) {
    return Decoded("run: x\nretry: " + std::string(retry)).recovery.retry.on_failure;
  };
  EXPECT_FALSE(Decoded("run: x").recovery.retry.on_failure);
  EXPECT_TRUE(on_failure("{max: 3}"));
  EXPECT_FALSE(on_failure("{max: 0}"));
  EXPECT_FALSE(on_failure("{backoff: 30s}"));
  EXPECT_TRUE(on_failure("{on: [failure]}"));
  EXPECT_FALSE(on_failure("{max: 3, on: [node_failure, gpu_error, preempted]}"));
  EXPECT_EQ(Decoded("run: x\nretry: {backoff: 30s}").recovery.retry.backoff_max,
            Duration::Seconds(30));
}

TEST(GoodInput, PrioritiesAndOtherWords) {
  EXPECT_EQ(Decoded("run: x\npriority: low").policy.priority, 250);
  EXPECT_EQ(Decoded("run: x\npriority: 0").policy.priority, 0);
  EXPECT_EQ(Decoded("run: x\npriority: 1000").policy.priority, 1000);
  EXPECT_EQ(Decoded("run: x\nresources: {shm: auto}").resources.shm_bytes, 0);
  EXPECT_EQ(Decoded("run: x\nname: \"no\"").name, "no");
  EXPECT_EQ(Decoded("run: x\nname: \"007\"").name, "007");
}

TEST(GoodInput, ScriptsKeepTheirLines) {
  EXPECT_EQ(Decoded("run: |\n  a \\\n    b\n  c\n").program.command[2], "a \\\n  b\nc\n");
}

TEST(GoodInput, SeveralJobs) {
  const DecodedJobs decoded =
      DecodeJobFile("many.gpu.yaml", "---\nrun: a\n---\nname: x\nrun: b\n---\n---\nrun: c\n...\n");
  ASSERT_EQ(decoded.jobs.size(), 3u) << RenderDiagnostics(decoded.diagnostics);
  EXPECT_EQ(decoded.jobs[0].name, "many");
  EXPECT_EQ(decoded.jobs[1].name, "x");
  EXPECT_EQ(decoded.jobs[2].name, "many-3");
}

TEST(GoodInput, NamesFromFiles) {
  const auto name = [](std::string_view file) { return Decoded("run: x", {}, file).name; };
  EXPECT_EQ(name("/home/ana/train.gpu.yaml"), "train");
  EXPECT_EQ(name("my job (1).yaml"), "my-job-1");
  EXPECT_EQ(name("-"), "job");
  EXPECT_EQ(name(""), "job");
  EXPECT_EQ(name(".yaml"), "yaml");
  EXPECT_EQ(name(std::string(500, 'a')), std::string(64, 'a'));
}

TEST(GoodInput, OverridesAreReadLikeTheFile) {
  const JobSpec job = Decoded("run: x\nresources: {gpus: 2, cpus: 4}\nenv: {A: , B: b}\n",
                              {.overrides = {{"resources.gpus", "H100:4"},
                                             {"topology.require", "nvlink"},
                                             {"labels.a.b/c", "d"},
                                             {"retry", "{max: 2}"},
                                             {"name", "x"}},
                               .environment = {{"A", "1\n: {"}, {"C", ""}}});
  EXPECT_EQ(job.resources.gpus.count, 4);
  EXPECT_EQ(job.resources.gpus.models, std::vector<std::string>{"H100"});
  EXPECT_EQ(job.resources.cpus, 4);
  EXPECT_EQ(job.placement.topology.require, TopologyLevel::kNvlink);
  EXPECT_EQ(job.labels.at("a.b/c"), "d");
  EXPECT_EQ(job.recovery.retry.retries_max, 2);
  EXPECT_EQ(job.name, "x");
  EXPECT_EQ(job.program.environment,
            (std::map<std::string, std::string>{{"A", "1\n: {"}, {"B", "b"}, {"C", ""}}));
}

TEST(GoodInput, AlternativesBeginFromTheJobAsItIs) {
  const JobSpec job = Decoded(R"(
run: [train]
nodes: 4
resources: {gpus: {count: 8, memory_min: 40GB}, cpus: 64}
any_of:
  - gpus: {model: H100}
  - {gpus: {model: A100, count: 4}, nodes: 8, nodes_min: 2}
  - {gpus: "L40S:2", cpus: 8, memory: 64GiB}
)");
  EXPECT_EQ(job.resources.nodes, 4);
  EXPECT_EQ(job.resources.gpus.models, std::vector<std::string>{"H100"});
  EXPECT_EQ(job.resources.gpus.count, 8);
  ASSERT_EQ(job.resources.any_of.size(), 2U);
  Alternative second{8, 2, job.resources.gpus, 64, 0};
  second.gpus.count = 4;
  second.gpus.models = {"A100"};
  EXPECT_EQ(job.resources.any_of[0], second);
  Alternative third{4, 0, job.resources.gpus, 8, int64_t{64} << 30};
  third.gpus.count = 2;
  third.gpus.models = {"L40S"};
  EXPECT_EQ(job.resources.any_of[1], third);
}

}  // namespace
}  // namespace gp
