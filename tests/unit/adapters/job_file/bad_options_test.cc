// --set and --env that do not fit, and what JobFromFlags says about flags.

#include <gtest/gtest.h>

#include "adapters/inbound/job_file/job_file.h"
#include "adapters/inbound/job_file/job_flags.h"

namespace gp {
namespace {

struct BadOverride {
  std::string path;
  std::string value;
  int column;
  std::string_view code;
  std::string_view fragment;
};

TEST(BadOptions, Overrides) {
  const BadOverride kRows[] = {
      {"resources.gpuz", "4", 1, "GP1007", "did you mean \"gpus\"?"},
      {"gpus", "4", 1, "GP1007", "did you mean \"resources.gpus\"?"},
      {"", "4", 1, "GP1020", "path is incomplete"},
      {"resources.", "4", 1, "GP1020", "path is incomplete"},
      {".gpus", "4", 1, "GP1020", "path is incomplete"},
      {"resources..gpus", "4", 1, "GP1020", "path is incomplete"},
      {"env.", "4", 1, "GP1020", "path is incomplete"},
      {"resources.gpus", "x", 16, "GP1010", "has no count"},
      {"resources.gpus", "65", 16, "GP1011", "from 0 to 64"},
      {"nodes", "010", 7, "GP1010", "write 10"},
      {"nodes", "", 1, "GP1015", "has no value"},
      {"nodes", "1\n---\n2", 1, "GP1020", "only one value is allowed"},
      {"nodes", "[", 8, "GP1002", "not YAML"},
      {"nodes", "a: b: c", 11, "GP1002", "mapping values"},
      {"nodes", "*x", 7, "GP1004", "aliases"},
      {"nodes", "\x01", 7, "GP1001", "U+0001"},
      {"nodes", "\xff", 7, "GP1001", "not UTF-8"},
      {"n\xff", "1", 2, "GP1001", "not UTF-8"},
      {"resources.cpus.count", "1", 1, "GP1020", "set resources.cpus as a whole"},
      {"resources.gpus.count", "1", 1, "GP1020", "\"H100:2\""},
      {"run.0", "x", 1, "GP1020", "a list"},
      {"name", "a b", 6, "GP1014", "is not a name"},
      {"env.A-B", "x", 1, "GP1014", "not a variable name"},
      {"matrix", "x", 1, "GP1016", "not supported yet"},
      {"überraschung", "x", 1, "GP1007", "unknown key"},
  };
  for (const BadOverride& row : kRows) {
    SCOPED_TRACE(row.path + "=" + row.value);
    const DecodedJobs decoded =
        DecodeJobFile("good.gpu.yaml", "run: [x]\nresources: {gpus: H100:2, cpus: 4}\n",
                      {.overrides = {{row.path, row.value}}});
    ASSERT_EQ(decoded.diagnostics.size(), 1u) << RenderDiagnostics(decoded.diagnostics);
    const Diagnostic& problem = decoded.diagnostics[0];
    EXPECT_EQ(problem.file, "--set");
    EXPECT_EQ(problem.line, 0);
    EXPECT_EQ(problem.column, row.column) << problem.excerpt;
    EXPECT_EQ(problem.code, row.code) << problem.message;
    EXPECT_NE(problem.message.find(row.fragment), std::string::npos) << problem.message;
  }
}

TEST(BadOptions, OneFaultForManyJobs) {
  const DecodedJobs decoded = DecodeJobFile("a.yaml", "run: a\n---\nrun: b\n---\nrun: c\n",
                                            {.overrides = {{"nodes", "0"}}});
  EXPECT_EQ(decoded.diagnostics.size(), 1u);
}

TEST(BadOptions, Variables) {
  const std::pair<std::string, std::string> kRows[] = {{"", "x"},
                                                       {"A B", "x"},
                                                       {"1A", "x"},
                                                       {"GP_X", "x"},
                                                       {"A", std::string("a\0b", 3)},
                                                       {"A\xff", "x"},
                                                       {"A", "\xff"},
                                                       {"A", std::string(200'000, 'x')}};
  for (const auto& variable : kRows) {
    SCOPED_TRACE(variable.first);
    const DecodedJobs decoded = DecodeJobFile("a.yaml", "run: x", {.environment = {variable}});
    ASSERT_EQ(decoded.diagnostics.size(), 1u);
    EXPECT_EQ(decoded.diagnostics[0].file, "--env");
  }
}

struct BadFlag {
  std::string flag;
  std::string value;
  std::string_view message;  // how it begins
};

TEST(BadOptions, Flags) {
  const BadFlag kRows[] = {
      {"--gpus", "x", "--gpus: \"x\" has no count: write x:1"},
      {"--array", "0", "--array: must be from 1 to 10000, not 0"},
      {"--array", "10%", "--array: \"\" is not a whole number"},
      {"--gpus", "-1", "--gpus: must be from 0 to 64, not -1"},
      {"--gpus", "100",
       "--gpus: must be from 0 to 64, not 100: GPUs are counted per node; for more, request "
       "several nodes"},
      {"--gpus", "H100:65",
       "--gpus: must be from 0 to 64, not 65: GPUs are counted per node; for more, request several "
       "nodes"},
      {"--gpus", "010", "--gpus: \"010\" is octal to some readers"},
      {"--gpus", "0.5", "--gpus: \"0.5\" is not a whole number"},
      {"--gpus", "H100:", "--gpus: \"\" is not a whole number"},
      {"--gpus", "9223372036854775808", "--gpus: must be from 0 to 64"},
      {"--gpus", "\xff", "--gpus: this is not UTF-8 text"},
      {"--share", "0", "--share: \"0\" is not a share of a GPU"},
      {"--share", "0.0005", "--share: \"0.0005\" is not a share of a GPU"},
      {"--share", "150%", "--share: \"150%\" is not a share of a GPU"},
      {"--gpu-memory", "20", "--gpu-memory: \"20\" has no unit"},
      {"--gpu-memory-min", "x", "--gpu-memory-min: \"x\" is not a size"},
      {"--isolation", "mip", "--isolation: \"mip\" is not one of"},
      {"--isolation", "mig", "--isolation: mig divides a GPU"},
      {"--cpus", "0", "--cpus: must be from 1 to 4096, not 0"},
      {"--memory", "1TBB", "--memory: \"1TBB\" is not a size"},
      {"--shm", "x", "--shm: \"x\" is not a size"},
      {"--nodes", "1e3", "--nodes: \"1e3\" is not a whole number"},
      {"--nodes", "no", "--nodes: must be a whole number, not \"no\""},
      {"--topology", "nvswitch", "--topology: \"nvswitch\" is not one of"},
      {"--allow-cross-numa", "yes", "--allow-cross-numa: "},
      {"--name", "../x", "--name: \"../x\" is not a name"},
      {"--name", "a\nb", "--name: \"a\\x0ab\" is not a name"},
      {"--project", "a b", "--project: \"a b\" is not a name"},
      {"--queue", "", "--queue: must not be empty"},
      {"--gpus", "", "--gpus: \"\" is not a whole number"},
      {"--workdir", "", "--workdir: must not be empty"},
      {"--queue", "/", "--queue: \"/\" is not a queue"},
      {"--priority", "huge", "--priority: \"huge\" is not a priority"},
      {"--priority", "-5", "--priority: must be from 0 to 1000"},
      {"--time-limit", "12", "--time-limit: \"12\" has no unit"},
      {"--retries", "-1", "--retries: must be from 0 to 1000"},
      {"--grace", "2d", "--grace: must be from 0ms to 1d"},
      {"--checkpoint-dir", "x", "--checkpoint-dir: \"x\" is not an absolute path"},
      {"--checkpoint-dir", "/${X}", "--checkpoint-dir: only ${JOB_NAME} is known"},
      {"--on-lease-loss", "x", "--on-lease-loss: \"x\" is not one of"},
      {"--workdir", "..", "--workdir: \"..\" is not an absolute path"},
  };
  for (const BadFlag& row : kRows) {
    SCOPED_TRACE(row.value);
    JobFlags flags{.command = {"true"}};
    flags.texts[row.flag] = row.value;
    const auto job = JobFromFlags(flags);
    ASSERT_FALSE(job.has_value());
    EXPECT_EQ(job.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(job.error().message.starts_with(row.message)) << job.error().message;
  }
}

std::string ErrorOf(const JobFlags& flags) {
  const auto job = JobFromFlags(flags);
  return job ? "" : job.error().message;
}

TEST(BadOptions, FlagsThatContradictEachOther) {
  EXPECT_EQ(ErrorOf({}).substr(0, 29), "there is no command to run: w");
  EXPECT_EQ(ErrorOf({.command = {""}}).substr(0, 22), "the command behind --:");
  EXPECT_EQ(ErrorOf({.environment = {{"1", ""}}, .command = {"x"}}).substr(0, 6), "--env:");
  EXPECT_EQ(ErrorOf({.labels = {{"", ""}}, .command = {"x"}}).substr(0, 8), "--label:");
  EXPECT_EQ(
      ErrorOf({.texts = {{"--gpus", "0"}, {"--share", "0.5"}}, .command = {"x"}}).substr(0, 8),
      "--share:");
  EXPECT_EQ(
      ErrorOf({.texts = {{"--nodes", "2"}}, .interactive = true, .command = {"x"}}).substr(0, 8),
      "--nodes:");
  EXPECT_EQ(ErrorOf({.texts = {{"--share", "0.5"}, {"--isolation", "exclusive"}}, .command = {"x"}})
                .substr(0, 8),
            "--share:");
}

TEST(Flags, AnOlderNameOfAKeyIsUnderstood) {
  const auto limit = [](std::string_view text,
                        const std::vector<std::pair<std::string, std::string>>& overrides) {
    const DecodedJobs decoded = DecodeJobFile("job.yaml", text, {.overrides = overrides});
    EXPECT_EQ(RenderDiagnostics(decoded.diagnostics), "");
    return decoded.jobs.empty() ? Duration{} : decoded.jobs.front().policy.time_limit;
  };
  EXPECT_EQ(limit("run: x\nmax_duration: 2h\n", {}), Duration::Minutes(120));
  EXPECT_EQ(limit("run: x\ntime_limit: 2h\n", {}), Duration::Minutes(120));
  EXPECT_EQ(limit("run: x\nmax_duration: 2h\n", {{"time_limit", "1m"}}), Duration::Minutes(1));
  EXPECT_EQ(limit("run: x\ntime_limit: 2h\n", {{"max_duration", "1m"}}), Duration::Minutes(1));
}

TEST(Flags, AJob) {
  const auto job = JobFromFlags({.texts = {{"--gpus", "H100:2"},
                                           {"--share", "50%"},
                                           {"--cpus", "8"},
                                           {"--memory", "64GB"},
                                           {"--name", "123"},
                                           {"--priority", "high"},
                                           {"--time-limit", "1d12h"},
                                           {"--checkpoint-dir", "/c/${JOB_NAME}"}},
                                 .environment = {{"A", "b"}, {"A", "c"}},
                                 .command = {"python", "train.py"}});
  ASSERT_TRUE(job.has_value()) << job.error().message;
  EXPECT_EQ(job->resources.gpus.count, 2);
  EXPECT_EQ(job->resources.gpus.models, std::vector<std::string>{"H100"});
  EXPECT_EQ(job->resources.gpus.share_thousandths, 500);
  EXPECT_EQ(job->resources.gpus.isolation, Isolation::kTimeslice);
  EXPECT_EQ(job->resources.cpus, 8);
  EXPECT_EQ(job->resources.memory_bytes, 64'000'000'000);
  EXPECT_EQ(job->name, "123");
  EXPECT_EQ(job->policy.priority, 750);
  EXPECT_EQ(job->policy.time_limit, Duration::Minutes(36 * 60));
  EXPECT_EQ(job->recovery.checkpoint.directory, "/c/123");
  EXPECT_EQ(job->program.environment.at("A"), "c");
  EXPECT_EQ(job->program.command, (std::vector<std::string>{"python", "train.py"}));
}

TEST(Flags, CrossingNumaNodesIsAllowedUnlessSaidOtherwise) {
  EXPECT_TRUE(JobFromFlags({.command = {"x"}})->placement.topology.allow_cross_numa);
  EXPECT_TRUE(JobFromFlags({.texts = {{"--allow-cross-numa", "true"}}, .command = {"x"}})
                  ->placement.topology.allow_cross_numa);
  EXPECT_FALSE(JobFromFlags({.texts = {{"--allow-cross-numa", "false"}}, .command = {"x"}})
                   ->placement.topology.allow_cross_numa);
}

TEST(Flags, NameFromTheCommand) {
  EXPECT_EQ(JobFromFlags({.command = {"/usr/bin/nvidia-smi", "-L"}})->name, "nvidia-smi");
}

}  // namespace
}  // namespace gp
