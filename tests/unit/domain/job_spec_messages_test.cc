// Every message of FindProblems in full: each names the field, the number and the fix.

#include <gtest/gtest.h>

#include <functional>

#include "domain/model/jobs/job_spec.h"

namespace gp {
namespace {

using SpecEdit = std::function<void(JobSpec&)>;

struct Message {
  const char* problems;  // "field: message", several joined by " | "; empty: legal
  SpecEdit change;
};

std::string ProblemsOf(const SpecEdit& change) {
  JobSpec spec;
  spec.program.command = {"true"};
  change(spec);
  std::string text;
  for (const SpecProblem& problem : FindProblems(spec))
    text += (text.empty() ? "" : " | ") + problem.field + ": " + problem.message;
  return text;
}

void ExpectMessages(const std::vector<Message>& rows) {
  for (const Message& row : rows) EXPECT_EQ(ProblemsOf(row.change), row.problems);
}

TEST(JobSpecMessages, OfRangesNameTheRangeAndTheNumber) {
  ExpectMessages({
      {"nodes: must be from 1 to 4096, not 0", [](JobSpec& s) { s.resources.nodes = 0; }},
      {"resources.gpus.count: must be from 0 to 64, not 99",
       [](JobSpec& s) { s.resources.gpus.count = 99; }},
      {"resources.cpus: must be from 0 to 4096, not -3", [](JobSpec& s) { s.resources.cpus = -3; }},
      {"priority: must be from 0 to 1000, not 1001", [](JobSpec& s) { s.policy.priority = 1001; }},
      {"topology.network_levels: must be from 0 to 8, not 9",
       [](JobSpec& s) { s.placement.topology.network_levels = 9; }},
      {"", [](JobSpec& s) { s.placement.topology.network_levels = 8; }},
      {"topology.network_levels: must be from 0 to 8, not -1",
       [](JobSpec& s) { s.placement.topology.network_levels = -1; }},
      {"after: must be from 0 to 64, not 65",
       [](JobSpec& s) { s.policy.after.resize(kDependenciesMax + 1); }},
      {"", [](JobSpec& s) { s.policy.after.resize(kDependenciesMax); }},
      {"time_limit: must be from 1s to 3650d, not 500ms",
       [](JobSpec& s) { s.policy.time_limit = Duration::Milliseconds(500); }},
      {"checkpoint.grace: must be from 0ms to 1d, not 2d",
       [](JobSpec& s) { s.policy.grace = kGraceMax * 2; }},
      {"checkpoint.grace: must be from 0ms to 1d, not 86401000ms",
       [](JobSpec& s) { s.policy.grace = kGraceMax + Duration::Seconds(1); }},
      {"hang_after: must be from 1s to 3650d, not 10ms",
       [](JobSpec& s) { s.recovery.hang_after = Duration::Milliseconds(10); }},
      {"", [](JobSpec& s) { s.recovery.hang_after = Duration::Seconds(1); }},
  });
}

TEST(JobSpecMessages, OfElasticJobsNameBothNumbers) {
  ExpectMessages({
      {"", [](JobSpec& s) { s.resources.nodes = s.resources.nodes_min = 4; }},
      {"nodes_min: 5 is more than nodes, the most that it takes (4)",
       [](JobSpec& s) {
         s.resources.nodes = 4;
         s.resources.nodes_min = 5;
       }},
      {"nodes_min: must be from 1 to 4096, not -1", [](JobSpec& s) { s.resources.nodes_min = -1; }},
  });
}

TEST(JobSpecMessages, OfSharesSayHowAGpuIsDivided) {
  ExpectMessages({
      {"resources.gpus.share: isolation is exclusive, which gives whole GPUs only: remove this, or "
       "choose timeslice, mps or mig",
       [](JobSpec& s) { s.resources.gpus.share_thousandths = 500; }},
      {"resources.gpus.memory: isolation is exclusive, which gives whole GPUs only: remove this, "
       "or choose timeslice, mps or mig",
       [](JobSpec& s) { s.resources.gpus.memory_mib = 500; }},
      {"resources.gpus.isolation: mps divides a GPU, but the job asks for whole ones: give a share "
       "below 1 or a memory, or remove this",
       [](JobSpec& s) { s.resources.gpus.isolation = Isolation::kMps; }},
      {"resources.gpus.isolation: mig gives a part of one GPU of a node, and the job asks for 2: "
       "write count 1 (and more nodes), or choose timeslice",
       [](JobSpec& s) {
         s.resources.gpus.isolation = Isolation::kMig;
         s.resources.gpus.share_thousandths = 500;
         s.resources.gpus.count = 2;
       }},
      {"",
       [](JobSpec& s) {
         s.resources.gpus.isolation = Isolation::kTimeslice;
         s.resources.gpus.share_thousandths = 500;
         s.resources.gpus.count = 2;
       }},
      {"resources.gpus.share: the job asks for no GPU (count 0), so this says nothing: remove it",
       [](JobSpec& s) {
         s.resources.gpus.count = 0;
         s.resources.gpus.share_thousandths = 500;
       }},
  });
}

TEST(JobSpecMessages, OfHostMemory) {
  ExpectMessages({
      {"resources.shm: is more than resources.memory, which it counts against: ask for less, or "
       "for more memory",
       [](JobSpec& s) {
         s.resources.memory_bytes = 1 << 20;
         s.resources.shm_bytes = (1 << 20) + 1;
       }},
      {"", [](JobSpec& s) { s.resources.shm_bytes = 1 << 20; }},
  });
}

TEST(JobSpecMessages, OfRetries) {
  ExpectMessages({
      {"retry.backoff: begins at 10s and ends at 5s: write the shorter one first",
       [](JobSpec& s) { s.recovery.retry.backoff_max = Duration::Seconds(5); }},
      {"retry.max: must be from 0 to 1000, not 1001",
       [](JobSpec& s) { s.recovery.retry.retries_max = 1001; }},
  });
}

TEST(JobSpecMessages, OfCheckpoints) {
  const auto with = [](CheckpointRequest request) {
    return [request](JobSpec& s) { s.recovery.checkpoint = request; };
  };
  ExpectMessages({
      {"checkpoint.keep: nothing is removed outside of checkpoint.dir: name that directory",
       with({.keep = 2})},
      {"checkpoint.best: all are kept: say how many of the newest, as in `keep: 3`, or remove this",
       with({.directory = "/c", .best = BestScore::kMin})},
      {"", with({.directory = "/c", .keep = 1, .best = BestScore::kMin})},
      {"checkpoint.every: nothing asks for a checkpoint: name the signal that does, as in `signal: "
       "SIGUSR1`",
       with({.every = Duration::Minutes(10)})},
      {"", with({.signal = 10, .every = Duration::Minutes(10)})},
      {"checkpoint.every: must be from 1s to 3650d, not 999ms",
       with({.signal = 10, .every = Duration::Milliseconds(999)})},
  });
  for (const int signal : {9, 19}) {
    EXPECT_EQ(ProblemsOf(with({.signal = signal})),
              "checkpoint.signal: no program can act on SIGKILL or SIGSTOP: SIGUSR1 is the usual "
              "one");
  }
}

TEST(JobSpecMessages, OfRulesForTheLog) {
  ExpectMessages({
      {"on_log: a rule without a pattern: write what to look for, as in `pattern: \"out of "
       "memory\"`",
       [](JobSpec& s) { s.recovery.on_log = {{"", LogAction::kStopRetries}}; }},
      {"",
       [](JobSpec& s) {
         s.recovery.on_log.assign(kLogRulesMax, {std::string(kLogPatternMax, 'a'), {}});
       }},
  });
  EXPECT_EQ(ProblemsOf([](JobSpec& s) { s.recovery.on_log.assign(kLogRulesMax + 1, {"a", {}}); }),
            "on_log: has " + std::to_string(kLogRulesMax + 1) + " rules; at most " +
                std::to_string(kLogRulesMax) + " are allowed");
  EXPECT_EQ(ProblemsOf([](JobSpec& s) {
              s.recovery.on_log = {{std::string(kLogPatternMax + 1, 'a'), {}}};
            }),
            "on_log: has " + std::to_string(kLogPatternMax + 1) +
                " bytes in one pattern; at most " + std::to_string(kLogPatternMax) +
                " are allowed");
}

TEST(JobSpecMessages, OfNotifications) {
  ExpectMessages({
      {"", [](JobSpec& s) { s.notify = {{"team-mail"}, {"started", "time_limit"}}; }},
      {"", [](JobSpec& s) { s.notify = {{"team-mail"}, {}}; }},
      {"notify.on: \"done\" is none of started, ended, failed, interrupted, idle, time_limit",
       [](JobSpec& s) { s.notify = {{"team-mail"}, {"done"}}; }},
      {"notify.to: names nobody: name a receiver of the site (gpu-platform config running)",
       [](JobSpec& s) { s.notify = {{}, {"ended"}}; }},
      {"notify.to: has 17 receivers; at most 16 are allowed",
       [](JobSpec& s) { s.notify.to.assign(kNotifiedMax + 1, "a"); }},
      {"notify.to: must not be empty", [](JobSpec& s) { s.notify.to = {""}; }},
  });
}

TEST(JobSpecMessages, OfSecrets) {
  ExpectMessages({
      {"", [](JobSpec& s) { s.program.secrets = {"HF_TOKEN", "WANDB_API_KEY"}; }},
      {"secrets: HF_TOKEN is in env too: remove it there",
       [](JobSpec& s) {
         s.program.secrets = {"HF_TOKEN"};
         s.program.environment["HF_TOKEN"] = "x";
       }},
      {"secrets: GP_RANK is set by the platform for every job: leave it out",
       [](JobSpec& s) { s.program.secrets = {"GP_RANK"}; }},
      {"secrets: has 65 secrets; at most 64 are allowed",
       [](JobSpec& s) { s.program.secrets.assign(kSecretsPerJobMax + 1, "A"); }},
  });
}

TEST(JobSpecMessages, OfArrays) {
  ExpectMessages({
      {"", [](JobSpec& s) { s.policy.array = {kArrayMax, 1}; }},
      {"array.count: must be from 0 to 10000, not 10001",
       [](JobSpec& s) { s.policy.array.count = kArrayMax + 1; }},
      {"array.max_parallel: must be from 0 to 10000, not -1",
       [](JobSpec& s) { s.policy.array = {2, -1}; }},
      {"array: limits how many of its jobs run and does not say how many there are: write count",
       [](JobSpec& s) { s.policy.array.max_parallel = 2; }},
      {"array: an interactive job has one terminal, so it is no array: leave it out",
       [](JobSpec& s) {
         s.policy.array.count = 2;
         s.program.interactive = true;
       }},
      {"nodes: an interactive job has one terminal, so it has one node: write 1",
       [](JobSpec& s) {
         s.resources.nodes = 2;
         s.program.interactive = true;
       }},
  });
}

// An alternative is as legal as the job's own fields, and its number tells which one is meant.
TEST(JobSpecMessages, OfAlternativesNameTheirNumber) {
  const auto other = [](const std::function<void(Alternative&)>& edit) {
    return [edit](JobSpec& s) {
      s.resources.any_of.resize(2);
      edit(s.resources.any_of[1]);
    };
  };
  ExpectMessages({
      {"", other([](Alternative&) {})},
      {"any_of: number 2: nodes must be from 1 to 4096, not 0",
       other([](Alternative& a) { a.nodes = 0; })},
      {"any_of: number 2: resources.gpus.count must be from 0 to 64, not 65",
       other([](Alternative& a) { a.gpus.count = 65; })},
      {"any_of: number 2: nodes_min 3 is more than nodes, the most that it takes (2)",
       other([](Alternative& a) {
         a.nodes = 2;
         a.nodes_min = 3;
       })},
      {"any_of: number 2: resources.cpus must be from 0 to 4096, not -1",
       other([](Alternative& a) { a.cpus = -1; })},
      {"any_of: has 17 alternatives; at most 16 are allowed",
       [](JobSpec& s) { s.resources.any_of.resize(kAlternativesMax + 1); }},
      {"", [](JobSpec& s) { s.resources.any_of.resize(kAlternativesMax); }},
  });
}

TEST(JobSpecMessages, OfAlternativesSeeTheSharedMemoryAndTheTerminalOfTheJob) {
  ExpectMessages({
      {"any_of: number 1: resources.shm is more than resources.memory, which it counts against: "
       "ask for less, or for more memory",
       [](JobSpec& s) {
         s.resources.shm_bytes = 2 << 20;
         s.resources.any_of.resize(1);
         s.resources.any_of[0].memory_bytes = 1 << 20;
       }},
      {"any_of: number 1: nodes an interactive job has one terminal, so it has one node: write 1",
       [](JobSpec& s) {
         s.program.interactive = true;
         s.resources.any_of.resize(1);
         s.resources.any_of[0].nodes = 2;
       }},
  });
}

TEST(JobSpecMessages, SeveralComeInTheOrderOfTheFields) {
  EXPECT_EQ(ProblemsOf([](JobSpec& s) {
              s.project = "";
              s.resources.nodes = 0;
              s.policy.priority = -1;
              s.program.command = {};
            }),
            "project: must not be empty | nodes: must be from 1 to 4096, not 0 | priority: must be "
            "from 0 to 1000, not -1 | run: names no program: give a script or a list of arguments");
}

}  // namespace
}  // namespace gp
