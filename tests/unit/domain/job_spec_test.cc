// Every rule of FindProblems: the last legal value and the first illegal one.

#include "domain/model/jobs/job_spec.h"

#include <gtest/gtest.h>

#include <functional>

namespace gp {
namespace {

JobSpec Legal() {
  JobSpec spec;
  spec.program.command = {"true"};
  return spec;
}

using SpecChange = std::function<void(JobSpec&)>;

std::string ProblemOf(const SpecChange& change) {
  JobSpec spec = Legal();
  change(spec);
  const std::vector<SpecProblem> problems = FindProblems(spec);
  const Status status = ValidateJobSpec(spec);
  EXPECT_EQ(problems.empty(), status.has_value());
  if (problems.empty()) return "";
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(status.error().message, problems[0].field + ": " + problems[0].message);
  return problems[0].field;
}

TEST(JobSpec, ACommandIsEnough) {
  EXPECT_EQ(ProblemOf([](JobSpec&) {}), "");
}

struct Row {
  std::string_view field;  // of the first problem; empty: legal
  SpecChange change;
};

void ExpectAll(const std::vector<Row>& rows) {
  int row_number = 0;
  for (const Row& row : rows) {
    EXPECT_EQ(ProblemOf(row.change), row.field) << "row " << row_number;
    ++row_number;
  }
}

TEST(JobSpec, Numbers) {
  ExpectAll({
      {"nodes", [](JobSpec& s) { s.resources.nodes = 0; }},
      {"nodes", [](JobSpec& s) { s.resources.nodes = -1; }},
      {"", [](JobSpec& s) { s.resources.nodes = kNodesPerJobMax; }},
      {"nodes", [](JobSpec& s) { s.resources.nodes = kNodesPerJobMax + 1; }},
      {"resources.gpus.count", [](JobSpec& s) { s.resources.gpus.count = -1; }},
      {"", [](JobSpec& s) { s.resources.gpus.count = 0; }},
      {"", [](JobSpec& s) { s.resources.gpus.count = kGpusPerNodeMax; }},
      {"resources.gpus.count", [](JobSpec& s) { s.resources.gpus.count = kGpusPerNodeMax + 1; }},
      {"resources.cpus", [](JobSpec& s) { s.resources.cpus = -1; }},
      {"resources.cpus", [](JobSpec& s) { s.resources.cpus = kCpusPerNodeMax + 1; }},
      {"resources.memory", [](JobSpec& s) { s.resources.memory_bytes = -1; }},
      {"resources.memory", [](JobSpec& s) { s.resources.memory_bytes = kMemoryBytesMax + 1; }},
      {"resources.shm", [](JobSpec& s) { s.resources.shm_bytes = -1; }},
      {"", [](JobSpec& s) { s.resources.shm_bytes = s.resources.memory_bytes = 1 << 20; }},
      {"resources.shm",
       [](JobSpec& s) {
         s.resources.memory_bytes = 1 << 20;
         s.resources.shm_bytes = (1 << 20) + 1;
       }},
      {"priority", [](JobSpec& s) { s.policy.priority = -1; }},
      {"", [](JobSpec& s) { s.policy.priority = 1000; }},
      {"priority", [](JobSpec& s) { s.policy.priority = 1001; }},
  });
}

TEST(JobSpec, Times) {
  ExpectAll({
      {"time_limit", [](JobSpec& s) { s.policy.time_limit = Duration::Milliseconds(999); }},
      {"time_limit", [](JobSpec& s) { s.policy.time_limit = Duration::Seconds(-1); }},
      {"", [](JobSpec& s) { s.policy.time_limit = Duration::Seconds(1); }},
      {"", [](JobSpec& s) { s.policy.time_limit = kTimeLimitMax; }},
      {"time_limit", [](JobSpec& s) { s.policy.time_limit = kTimeLimitMax + Duration{1}; }},
      {"", [](JobSpec& s) { s.policy.grace = Duration{}; }},
      {"checkpoint.grace", [](JobSpec& s) { s.policy.grace = Duration{-1}; }},
      {"checkpoint.grace", [](JobSpec& s) { s.policy.grace = kGraceMax + Duration{1}; }},
      {"retry.max", [](JobSpec& s) { s.recovery.retry.retries_max = -1; }},
      {"retry.max", [](JobSpec& s) { s.recovery.retry.retries_max = kRetriesMax + 1; }},
      {"retry.backoff", [](JobSpec& s) { s.recovery.retry.backoff_min = Duration{-1}; }},
      {"retry.backoff", [](JobSpec& s) { s.recovery.retry.backoff_max = kGraceMax + Duration{1}; }},
      {"", [](JobSpec& s) { s.recovery.retry.backoff_min = s.recovery.retry.backoff_max; }},
      {"retry.backoff",
       [](JobSpec& s) {
         s.recovery.retry.backoff_min = s.recovery.retry.backoff_max + Duration{1};
       }},
  });
}

TEST(JobSpec, SharesAndIsolation) {
  ExpectAll({
      {"resources.gpus.share", [](JobSpec& s) { s.resources.gpus.share_thousandths = 0; }},
      {"resources.gpus.share", [](JobSpec& s) { s.resources.gpus.share_thousandths = 1001; }},
      {"resources.gpus.share", [](JobSpec& s) { s.resources.gpus.share_thousandths = 500; }},
      {"resources.gpus.memory", [](JobSpec& s) { s.resources.gpus.memory_mib = 1; }},
      {"resources.gpus.memory", [](JobSpec& s) { s.resources.gpus.memory_mib = -1; }},
      {"resources.gpus.memory_min", [](JobSpec& s) { s.resources.gpus.memory_mib_min = -1; }},
      {"", [](JobSpec& s) { s.resources.gpus.memory_mib_min = 1; }},
      {"resources.gpus.isolation",
       [](JobSpec& s) { s.resources.gpus.isolation = Isolation::kMig; }},
      {"resources.gpus.isolation",
       [](JobSpec& s) { s.resources.gpus.isolation = Isolation::kTimeslice; }},
      {"",
       [](JobSpec& s) {
         s.resources.gpus.isolation = Isolation::kTimeslice;
         s.resources.gpus.share_thousandths = 1;
       }},
      {"",
       [](JobSpec& s) {
         s.resources.gpus.isolation = Isolation::kMps;
         s.resources.gpus.memory_mib = 1;
       }},
      {"resources.gpus.isolation",
       [](JobSpec& s) {
         s.resources.gpus.isolation = Isolation::kMps;
         s.resources.gpus.memory_mib = 1;
         s.resources.gpus.count = 2;
       }},
  });
}

TEST(JobSpec, WithoutGpusNothingIsSaidOfThem) {
  const auto none = [](const SpecChange& change) {
    return [change](JobSpec& s) {
      s.resources.gpus.count = 0;
      change(s);
    };
  };
  ExpectAll({
      {"resources.gpus.model", none([](JobSpec& s) { s.resources.gpus.models = {"H100"}; })},
      {"resources.gpus.share", none([](JobSpec& s) { s.resources.gpus.share_thousandths = 500; })},
      {"resources.gpus.memory", none([](JobSpec& s) { s.resources.gpus.memory_mib = 1; })},
      {"resources.gpus.memory_min", none([](JobSpec& s) { s.resources.gpus.memory_mib_min = 1; })},
      {"resources.gpus.isolation",
       none([](JobSpec& s) { s.resources.gpus.isolation = Isolation::kMps; })},
  });
}

TEST(JobSpec, Names) {
  ExpectAll({
      {"", [](JobSpec& s) { s.name = ""; }},
      {"", [](JobSpec& s) { s.name = "Llama-3.1_ft"; }},
      {"", [](JobSpec& s) { s.name = std::string(kNameLengthMax, 'a'); }},
      {"name", [](JobSpec& s) { s.name = std::string(kNameLengthMax + 1, 'a'); }},
      {"name", [](JobSpec& s) { s.name = "-a"; }},
      {"name", [](JobSpec& s) { s.name = ".."; }},
      {"name", [](JobSpec& s) { s.name = "a/b"; }},
      {"name", [](JobSpec& s) { s.name = "a\n"; }},
      {"name", [](JobSpec& s) { s.name = std::string("a\0", 2); }},
      {"project", [](JobSpec& s) { s.project = ""; }},
      {"queue", [](JobSpec& s) { s.policy.queue = "a b"; }},
      {"", [](JobSpec& s) { s.resources.gpus.models = {"NVIDIA A100-SXM4-80GB", "RTX 6000"}; }},
      {"resources.gpus.model", [](JobSpec& s) { s.resources.gpus.models = {""}; }},
      {"resources.gpus.model", [](JobSpec& s) { s.resources.gpus.models = {"a\tb"}; }},
      {"resources.gpus.model",
       [](JobSpec& s) { s.resources.gpus.models.assign(kModelsMax + 1, "H100"); }},
  });
}

void StageOnly(JobSpec& spec) {
  spec.program.command.clear();
  spec.program.image = "reg.lab/a:v1";
  spec.program.stage_only = true;
}

TEST(JobSpec, OneThatOnlyStagesHasSomethingToStageAndNoProgram) {
  const std::vector<std::pair<const char*, void (*)(JobProgram&)>> rows = {
      {"", [](JobProgram&) {}},
      {"", [](JobProgram& p) { p.image = "oci:/a:v1"; }},
      {"",
       [](JobProgram& p) {
         p.image = "";
         p.stage = {{"s3://abc/b", "/data"}};
       }},
      {"stage_only", [](JobProgram& p) { p.image = ""; }},
      {"stage_only", [](JobProgram& p) { p.image = "dir:/i"; }},
      {"stage_only", [](JobProgram& p) { p.interactive = true; }},
      {"run", [](JobProgram& p) { p.command = {"true"}; }},
      {"launcher", [](JobProgram& p) { p.launcher = Launcher::kTorchrun; }},
      {"artifacts", [](JobProgram& p) { p.artifacts = {{"/out", "s3://abc/b"}}; }},
      {"run", [](JobProgram& p) { p.stage_only = false; }},
  };
  for (const auto& [field, change] : rows) {
    JobSpec spec;
    StageOnly(spec);
    change(spec.program);
    const std::vector<SpecProblem> problems = FindProblems(spec);
    EXPECT_EQ(problems.empty() ? "" : problems[0].field, field);
    EXPECT_LE(problems.size(), 1u) << field;
  }
}

void SetMounts(JobSpec& spec, std::vector<Mount> mounts) {
  spec.program.image = "dir:/i";
  spec.program.mounts = std::move(mounts);
}

TEST(JobSpec, Paths) {
  ExpectAll({
      {"", [](JobSpec& s) { s.program.working_directory = "/a b/..c/."; }},
      {"workdir", [](JobSpec& s) { s.program.working_directory = "a"; }},
      {"", [](JobSpec& s) { s.program.image = "dir:/images/a b"; }},
      {"image", [](JobSpec& s) { s.program.image = "/images/a"; }},
      {"image", [](JobSpec& s) { s.program.image = "dir:a"; }},
      {"image", [](JobSpec& s) { s.program.image = "dir:/a/.."; }},
      {"",
       [](JobSpec& s) {
         s.program.image = "reg.lab/a:v1";
         s.program.image_credentials = "REGISTRY";
       }},
      {"image_credentials",
       [](JobSpec& s) {
         s.program.image = "reg.lab/a:v1";
         s.program.image_credentials = "a=b";
       }},
      {"image_credentials",
       [](JobSpec& s) {
         s.program.image = "oci:/a:v1";  // nobody is asked for it
         s.program.image_credentials = "REGISTRY";
       }},
      {"", [](JobSpec& s) { SetMounts(s, {{"/a", "/b", true}, {"/a/c", "/b/c"}}); }},
      {"mounts",
       [](JobSpec& s) {
         s.program.mounts = {{"/a", "/a"}};  // without an image
       }},
      {"mounts", [](JobSpec& s) { SetMounts(s, {{"a", "/a"}}); }},
      {"stage", [](JobSpec& s) { s.program.stage = {{"ftp://a/b", "/data"}}; }},
      {"stage", [](JobSpec& s) { s.program.stage = {{"s3://user:pw@a/b", "/data"}}; }},
      {"stage", [](JobSpec& s) { s.program.stage = {{"s3://abc/b", "data"}}; }},
      {"stage", [](JobSpec& s) { s.program.stage = {{"s3://abc/b", "/usr/lib"}}; }},
      {"stage", [](JobSpec& s) { s.program.stage = {{"s3://abc/b", "/tmp/"}}; }},
      {"stage",
       [](JobSpec& s) { s.program.stage = {{"s3://abc/b", "/d/x"}, {"s3://abc/c", "/d"}}; }},
      {"stage", [](JobSpec& s) { s.program.stage = {{"s3://abc/b", "/d", {""}}}; }},
      {"stage", [](JobSpec& s) { s.program.stage = {{"s3://abc/b", "/d", {}, "a-b"}}; }},
      {"stage", [](JobSpec& s) { s.program.stage = {{"s3://abc/b", "/d", {}, "", "ABC"}}; }},
      {"stage",
       [](JobSpec& s) {
         s.recovery.checkpoint.directory = "/c";
         s.program.stage = {{"s3://abc/b", "/c/d"}};
       }},
      {"artifacts", [](JobSpec& s) { s.program.artifacts = {{"out", "s3://abc/b"}}; }},
      {"artifacts", [](JobSpec& s) { s.program.artifacts = {{"/tmp/out", "s3://abc/b"}}; }},
      {"artifacts", [](JobSpec& s) { s.program.artifacts = {{"/out", "hf://abc/b"}}; }},
      {"artifacts",
       [](JobSpec& s) { s.program.artifacts = {{"/o", "s3://abc/b"}, {"/p", "s3://abc/b/"}}; }},
      {"checkpoint.copy_to",
       [](JobSpec& s) {
         s.recovery.checkpoint.directory = "/c";
         s.recovery.checkpoint.copy_to = "https://a/b";
       }},
      {"checkpoint.copy_to", [](JobSpec& s) { s.recovery.checkpoint.copy_to = "s3://abc/b"; }},
      {"checkpoint.credentials", [](JobSpec& s) { s.recovery.checkpoint.credentials = "S3"; }},
      {"mounts", [](JobSpec& s) { SetMounts(s, {{"/a", "/a/../b"}}); }},
      {"mounts", [](JobSpec& s) { SetMounts(s, {{"/a:b", "/a"}}); }},
      {"mounts", [](JobSpec& s) { SetMounts(s, {{"/a", "/x"}, {"/b", "/x/"}}); }},
      {"mounts", [](JobSpec& s) { SetMounts(s, std::vector<Mount>(65, {"/a", "/a"})); }},
      {"mounts", [](JobSpec& s) { SetMounts(s, {{"/", "/host"}}); }},
      {"mounts", [](JobSpec& s) { SetMounts(s, {{"/a", "/dev/shm"}}); }},
      {"mounts", [](JobSpec& s) { SetMounts(s, {{"/proc/1", "/a"}}); }},
      {"mounts", [](JobSpec& s) { SetMounts(s, {{"/a", "/tmp/."}}); }},
      {"mounts", [](JobSpec& s) { SetMounts(s, {{"/a", "/./etc"}}); }},
      {"", [](JobSpec& s) { SetMounts(s, {{"/a/./b", "/tmp/./c"}, {"/s", "/etc/ssl"}}); }},
      {"",
       [](JobSpec& s) {
         SetMounts(s, {{"/scratch/", "/scratch"}});
         s.recovery.checkpoint.directory = "/scratch/c";
       }},
      {"mounts",
       [](JobSpec& s) {
         SetMounts(s, {{"/scratch", "/data"}});
         s.recovery.checkpoint.directory = "/data/./c";
       }},
      {"mounts",
       [](JobSpec& s) {
         SetMounts(s, {{"/scratch", "/scratch", true}});
         s.recovery.checkpoint.directory = "/scratch/.";
       }},
      {"", [](JobSpec& s) { s.program.network = NetworkAccess::kNone; }},
      {"network",
       [](JobSpec& s) {
         s.program.network = NetworkAccess::kNone;
         s.resources.nodes = 2;
       }},
      {"network",
       [](JobSpec& s) {
         s.program.network = NetworkAccess::kNone;
         s.resources.any_of = {{.nodes = 2}};
       }},
      {"", [](JobSpec& s) { s.program.graphics = true; }},
      {"graphics",
       [](JobSpec& s) {
         s.program.graphics = true;
         s.resources.gpus.count = 0;
       }},
      {"graphics",
       [](JobSpec& s) {
         s.program.graphics = true;
         s.resources.gpus.isolation = Isolation::kMps;
         s.resources.gpus.share_thousandths = 500;
       }},
      {"graphics",
       [](JobSpec& s) {
         s.program.graphics = true;
         s.resources.any_of = {{.gpus = {.isolation = Isolation::kMig}}};
       }},
      {"file", [](JobSpec& s) { s.file = "bert.yaml"; }},
      {"file", [](JobSpec& s) { s.file = "/a\nb"; }},
      {"workdir", [](JobSpec& s) { s.program.working_directory = "/a/.."; }},
      {"workdir", [](JobSpec& s) { s.program.working_directory = "/../a"; }},
      {"workdir", [](JobSpec& s) { s.program.working_directory = std::string("/a\0b", 4); }},
      {"workdir", [](JobSpec& s) { s.program.working_directory = "/" + std::string(4095, 'a'); }},
      {"checkpoint.dir", [](JobSpec& s) { s.recovery.checkpoint.directory = "ckpt"; }},
      {"checkpoint.keep", [](JobSpec& s) { s.recovery.checkpoint.keep = 1; }},
      {"checkpoint.keep",
       [](JobSpec& s) { s.recovery.checkpoint = {.directory = "/c", .keep = -1}; }},
      {"checkpoint.keep",
       [](JobSpec& s) {
         s.recovery.checkpoint = {.directory = "/c", .keep = kCheckpointsKeptMax + 1};
       }},
      {"checkpoint.best",
       [](JobSpec& s) { s.recovery.checkpoint = {.directory = "/c", .best = BestScore::kMax}; }},
  });
}

TEST(JobSpec, VariablesAndLabels) {
  ExpectAll({
      {"", [](JobSpec& s) { s.program.environment["_a1"] = "any\n\t\x1b text"; }},
      {"env.", [](JobSpec& s) { s.program.environment[""] = "x"; }},
      {"env.A=B", [](JobSpec& s) { s.program.environment["A=B"] = "x"; }},
      {"env.GP_RANK", [](JobSpec& s) { s.program.environment["GP_RANK"] = "x"; }},
      {"env.CUDA_VISIBLE_DEVICES",
       [](JobSpec& s) { s.program.environment["CUDA_VISIBLE_DEVICES"] = "0"; }},
      {"env.A", [](JobSpec& s) { s.program.environment["A"] = std::string(1, '\0'); }},
      {"",
       [](JobSpec& s) { s.program.environment["A"] = std::string(kArgumentBytesMax - 2, 'x'); }},
      {"env.A",
       [](JobSpec& s) { s.program.environment["A"] = std::string(kArgumentBytesMax - 1, 'x'); }},
      {"env",
       [](JobSpec& s) {
         for (const char c : {'A', 'B', 'C'}) {
           s.program.environment[std::string(1, c)] = std::string(90'000, 'x');
         }
       }},
      {"env",
       [](JobSpec& s) {
         for (size_t i = 0; i <= kMapEntriesMax; ++i)
           s.program.environment["A" + std::to_string(i)] = "";
       }},
      {"", [](JobSpec& s) { s.labels["a.b/c-d"] = "é"; }},
      {"labels.a b", [](JobSpec& s) { s.labels["a b"] = ""; }},
      {"labels.a", [](JobSpec& s) { s.labels["a"] = "\n"; }},
      {"labels.a", [](JobSpec& s) { s.labels["a"] = std::string(kLabelValueLengthMax + 1, 'x'); }},
      {"labels",
       [](JobSpec& s) {
         for (size_t i = 0; i <= kMapEntriesMax; ++i) s.labels["a" + std::to_string(i)] = "";
       }},
  });
}

TEST(JobSpec, Commands) {
  ExpectAll({
      {"run", [](JobSpec& s) { s.program.command = {}; }},
      {"run", [](JobSpec& s) { s.program.command = {""}; }},
      {"", [](JobSpec& s) { s.program.command = {"a", ""}; }},
      {"run", [](JobSpec& s) { s.program.command = {"a", std::string(1, '\0')}; }},
      {"", [](JobSpec& s) { s.program.command = {"a", std::string(kArgumentBytesMax, 'x')}; }},
      {"run",
       [](JobSpec& s) { s.program.command = {"a", std::string(kArgumentBytesMax + 1, 'x')}; }},
      {"run", [](JobSpec& s) { s.program.command.assign(9, std::string(kArgumentBytesMax, 'x')); }},
      {"", [](JobSpec& s) { s.program.interactive = true; }},
      {"nodes",
       [](JobSpec& s) {
         s.program.interactive = true;
         s.resources.nodes = 2;
       }},
  });
}

TEST(JobSpec, EveryProblemIsFound) {
  JobSpec spec;
  spec.name = "a b";
  spec.resources.nodes = 0;
  spec.resources.gpus.share_thousandths = 500;
  const std::vector<SpecProblem> problems = FindProblems(spec);
  ASSERT_EQ(problems.size(), 4u);
  EXPECT_EQ(problems[0].kind, SpecProblem::Kind::kText);
  EXPECT_EQ(problems[1].kind, SpecProblem::Kind::kRange);
  EXPECT_EQ(problems[2].kind, SpecProblem::Kind::kContradiction);
  EXPECT_EQ(problems[3].field, "run");
}

TEST(LongestStay, CountsTheTimeToEndIt) {
  JobSpec spec;
  EXPECT_EQ(LongestStay(spec), kForever);
  EXPECT_EQ(EndOfStay(Instant{5}, spec), kNever);
  spec.policy.time_limit = Duration::Minutes(1);
  spec.policy.grace = Duration::Seconds(30);
  EXPECT_EQ(LongestStay(spec), Duration::Seconds(90) + kEndMargin);
  EXPECT_EQ(EndOfStay(Instant{5}, spec), Instant{5} + Duration::Seconds(90) + kEndMargin);
}

}  // namespace
}  // namespace gp
