#include "adapters/inbound/scenario_file/scenario_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "adapters/inbound/job_file/decode.h"
#include "adapters/inbound/policy_file/policy_file.h"
#include "adapters/inbound/xid_catalogue/xid_catalogue.h"
#include "simulation/engine/plain_node.h"

namespace gp {
namespace {

// One machine, one trace of two jobs, one journal of a node and a job.
ScenarioSources Sources() {
  ScenarioSources sources;
  sources.machine = [](const std::string& name) -> Result<std::shared_ptr<const NodeFacts>> {
    if (name != "dgx-h100") return Fail(NotFound("no machine " + name));
    return std::make_shared<const NodeFacts>(PlainNode(0, 8));
  };
  sources.trace = [](const std::string& file, TraceFormat format) -> Result<TraceWorkload> {
    if (format == TraceFormat::kAlibaba) return TraceWorkload{{{0, 60, 1, 250}}};
    if (!file.ends_with(".csv.gz")) return Fail(NotFound(file + ": not there"));
    return TraceWorkload{{{0, 60, 1}, {60, 60, 8}}};
  };
  sources.journal = [](const std::string&) -> Result<RecordedRun> {
    RecordedRun run;
    run.steps = {{kScenarioBegin, StartController{}},
                 {kScenarioBegin,
                  NodeArrival{NodeId{0}, std::make_shared<const NodeFacts>(PlainNode(1, 8))}}};
    return run;
  };
  sources.job = DecodeJob;
  sources.policy = [](const YamlNode& map, Report& report) {
    return ReadPolicy(map, XidRules(), report);
  };
  return sources;
}

DecodedScenario Decode(const std::string& text) {
  return DecodeScenario("s.yaml", text, Sources());
}

std::string TextOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Everything between ```yaml and ```.
std::vector<std::string> YamlOf(const std::string& page) {
  std::vector<std::string> blocks;
  for (size_t at = page.find("```yaml\n"); at != std::string::npos;
       at = page.find("```yaml\n", at)) {
    at += 8;
    blocks.push_back(page.substr(at, page.find("```", at) - at));
  }
  return blocks;
}

const std::string kNodes = "nodes: [{machine: dgx-h100, count: 2}]\n";

TEST(ScenarioFile, EveryExampleOfItsPageIsOne) {
  const std::vector<std::string> blocks =
      YamlOf(TextOf(std::string(GP_SOURCE_DIR) + "/docs/reference/scenario_file.md"));
  ASSERT_GE(blocks.size(), 3u);
  for (const std::string& block : blocks) {
    const DecodedScenario decoded = Decode(block);
    EXPECT_EQ(RenderDiagnostics(decoded.diagnostics), "") << block;
    EXPECT_TRUE(decoded.run);
  }
}

TEST(ScenarioFile, EveryExampleThatIsShippedIsOne) {
  int examples = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(GP_SOURCE_DIR) + "/examples/scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    ++examples;
    EXPECT_EQ(RenderDiagnostics(Decode(TextOf(entry.path())).diagnostics), "") << entry.path();
  }
  EXPECT_GE(examples, 2);
}

TEST(ScenarioFile, SaysAllThereIsToSay) {
  const DecodedScenario decoded = Decode(
      "seed: 3\nuntil: 10h\nresume_cost: 2m\npolicy: {min_run: 5m}\n"
      "nodes:\n  - {machine: dgx-h100, count: 2, name: big, pool: train, labels: {zone: east}}\n"
      "queues:\n  - {path: team, pool: train, weight: 3, guaranteed: 4, reclaimable: false, "
      "limits: {gpus: 8, cpus: 64, memory_mib: 1048576}, user_limits: {jobs: none}, min_gpus: 2, "
      "max_time: 8h, wait_target: 30m}\n"
      "jobs:\n  - {user: ana, at: 1h, every: 10m, count: 2, length: 5m, checkpoint_every: 1m, job: "
      "{name: t, queue: team, resources: {gpus: 2}}}\n"
      "events:\n  - {at: 2h, offline: big-2, force: true}\n");
  ASSERT_TRUE(decoded.run) << RenderDiagnostics(decoded.diagnostics);
  const ScenarioRun& run = *decoded.run;
  EXPECT_EQ(run.options.until, kScenarioBegin + Duration::Minutes(600));
  EXPECT_EQ(run.options.resume_cost, Duration::Minutes(2));
  Policy policy;
  run.options.policy(policy);
  EXPECT_EQ(policy.min_run, Duration::Minutes(5));
  const auto& node = std::get<NodeArrival>(run.steps[1].what);
  EXPECT_EQ(node.facts->name, "big-1");
  const auto& change = std::get<ChangeNode>(std::get<Command>(run.steps[2].what));
  EXPECT_EQ(change.pool, "train");
  EXPECT_EQ(change.labels.at("zone"), "east");
  const auto& queue = std::get<SetQueue>(std::get<Command>(run.steps[5].what));
  EXPECT_EQ(queue.weight, 3);
  EXPECT_EQ(queue.reclaimable, false);
  EXPECT_EQ(queue.limit.gpus, 8);
  EXPECT_EQ(queue.user_limit.jobs, -1);
  EXPECT_EQ(queue.limit.cpus, 64);
  EXPECT_EQ(queue.limit.memory_mib, 1'048'576);
  EXPECT_EQ(queue.min_gpus, 2);
  EXPECT_EQ(queue.max_time, Duration::Minutes(480));
  EXPECT_EQ(queue.default_time, std::nullopt);
  EXPECT_EQ(queue.wait_target, Duration::Minutes(30));
  const auto& job = std::get<JobArrival>(run.steps[6].what);
  EXPECT_EQ(run.steps[6].at, kScenarioBegin + Duration::Minutes(60));
  EXPECT_EQ(job.user.name, "ana");
  EXPECT_EQ(job.length, Duration::Minutes(5));
  EXPECT_EQ(job.checkpoint_every, Duration::Minutes(1));
  EXPECT_EQ(job.spec->resources.gpus.count, 2);
  const auto& offline = std::get<ChangeService>(std::get<Command>(run.steps.back().what));
  EXPECT_TRUE(offline.force);
  EXPECT_EQ(offline.node, NodeId{1});
}

TEST(ScenarioFile, EveryEventIsKnown) {
  for (const char* event :
       {"drain: node-1", "offline: node-1", "online: node-1", "lose: node-1", "return: node-1",
        "declare_lost: node-1", "move: {node: node-1, pool: p}", "cancel: t", "hold: t",
        "release: t", "set_priority: {job: t, priority: high}",
        "set_queue: {path: q, weight: 2}"}) {
    const DecodedScenario decoded = Decode(
        kNodes + "jobs: [{length: 1h, job: {name: t}}]\nevents: [{at: 1h, " + event + "}]\n");
    EXPECT_TRUE(decoded.run) << RenderDiagnostics(decoded.diagnostics);
  }
}

TEST(ScenarioFile, ATraceAndAJournalAreJobsToo) {
  const DecodedScenario decoded = Decode(kNodes +
                                         "jobs:\n  - {trace: {file: a.csv.gz, load: 80%, jobs: 1}, "
                                         "job: {preemptible: true}}\n  - journal: journal.db\n");
  ASSERT_TRUE(decoded.run) << RenderDiagnostics(decoded.diagnostics);
  const auto& job = std::get<JobArrival>(decoded.run->steps.back().what);
  EXPECT_TRUE(job.spec->policy.preemptible);
  EXPECT_EQ(job.id, JobId{1});
  EXPECT_EQ(decoded.run->steps.size(), 1 + 1 + 2 + 1u)
      << "the controller's start and the node of the journal, two nodes, one job";
}

TEST(ScenarioFile, TracesHaveFormats) {
  const DecodedScenario decoded =
      Decode(kNodes + "jobs: [{trace: {file: pods.csv, format: alibaba}}]\n");
  ASSERT_TRUE(decoded.run) << RenderDiagnostics(decoded.diagnostics);
  const GpuRequest& gpus =
      std::get<JobArrival>(decoded.run->steps.back().what).spec->resources.gpus;
  EXPECT_EQ(gpus.share_thousandths, 250);
  EXPECT_EQ(gpus.isolation, Isolation::kTimeslice);
}

struct BadRow {
  std::string text;
  std::string place;
  std::string said;
};

TEST(ScenarioFile, MistakesArePointedAt) {
  const std::string jobs = "jobs: [{length: 1h}]\n";
  const std::vector<BadRow> rows = {
      {"- a\n", "1:1", "a scenario is a map"},
      {jobs, "1:1", "there are no nodes"},
      {kNodes, "1:1", "jobs is missing"},
      {kNodes + jobs + "sed: 1\n", "3:1", "did you mean \"seed\"?"},
      {kNodes + jobs + "seed: -1\n", "3:7", "must be from 0"},
      {kNodes + jobs + "until: 3\n", "3:8", "has no unit"},
      {kNodes + jobs + "---\n" + jobs, "1:1", "one document"},
      {"nodes: [{machine: x}]\n" + jobs, "1:19", "no machine x"},
      {"nodes: [{count: 3}]\n" + jobs, "1:9", "machine is missing"},
      {"nodes: [{machine: dgx-h100, count: 100001}]\n" + jobs, "1:36", "must be from 1 to 100000"},
      {"nodes: [{machine: dgx-h100, count: 100000}, {machine: dgx-h100}]\n" + jobs, "1:8",
       "at most 100000 together"},
      {"nodes: [{machine: dgx-h100, name: a b}]\n" + jobs, "1:35", "name: "},
      {"nodes: {machine: dgx-h100}\n" + jobs, "1:8", "must be a list"},
      {kNodes + "queues: [{path: a, guaranteed: 17}]\n" + jobs, "2:10", "guaranteed"},
      {kNodes + "queues: [{weight: 2}]\n" + jobs, "2:10", "path is missing"},
      {kNodes + "queues: [{path: a, limits: {gpu: 2}}]\n" + jobs, "2:29", "did you mean \"gpus\"?"},
      {kNodes + "jobs: [{}]\n", "2:8", "length is missing"},
      {kNodes + "jobs: [{length: 0s}]\n", "2:17", "must be from 1s"},
      {kNodes + "jobs: [{length: {median: 1h}}]\n", "2:17", "write 30m"},
      {kNodes + "jobs: [{length: {mean: 1h, p90: 2h}}]\n", "2:17", "write 30m"},
      {kNodes + "jobs: [{length: {median: 1h, p90: 30m}}]\n", "2:17", "p90 is below the median"},
      {kNodes + "jobs: [{length: 1h, every: 1h}]\n", "2:21", "the number of jobs has no limit"},
      {kNodes + "jobs: [{length: 1h, user: a b}]\n", "2:21", "user: "},
      {kNodes + "jobs: [{length: 1h, job: {resources: {gpuz: 2}}}]\n", "2:39",
       "did you mean \"gpus\"?"},
      {kNodes + "jobs: [{length: 1h, job: {after: job-1}}]\n", "2:27",
       "do not wait for each other"},
      {kNodes + "jobs: [{length: 1h, job: {queue: nowhere}}]\n", "2:8", "no queue nowhere"},
      {kNodes + "jobs: [{trace: {file: none}}]\n", "2:9", "not there"},
      {kNodes + "jobs: [{trace: {file: a.csv.gz, load: 0%}}]\n", "2:39", "from 1% to 1000%"},
      {kNodes + "jobs: [{trace: {file: a.csv.gz, format: phily}}]\n", "2:41",
       "did you mean \"philly\"?"},
      {kNodes + "jobs: [{length: 1h, trace: {file: a.csv.gz}}]\n", "2:9",
       "the trace contains this itself"},
      {kNodes + "jobs: [{journal: a}, {journal: a}]\n", "2:23", "only one is allowed"},
      {kNodes + "jobs: [{journal: a, at: 1h}]\n", "2:9", "no other key"},
      {kNodes + jobs + "events: [{at: 1h}]\n", "3:10", "a time and an action"},
      {kNodes + jobs + "events: [{drain: node-1}]\n", "3:10", "at is missing"},
      {kNodes + jobs + "events: [{at: 1h, drain: node-1, online: node-1}]\n", "3:10", "one action"},
      {kNodes + jobs + "events: [{at: 1h, drain: nod-1}]\n", "3:10", "did you mean \"node-1\"?"},
      {kNodes + jobs + "events: [{at: 1h, cancel: other}]\n", "3:10", "there are jobs-1"},
      {kNodes + jobs + "policy: {min_rum: 5m}\n", "3:10", "did you mean \"min_run\"?"},
      {kNodes + "jobs: [{length: 1h, every: 1s, count: 1000000}, {length: 1h}]\n", "2:49",
       "more than 1000000 jobs"},
  };
  for (const BadRow& row : rows) {
    const DecodedScenario decoded = Decode(row.text);
    EXPECT_FALSE(decoded.run) << row.text;
    ASSERT_EQ(decoded.diagnostics.size(), 1u) << row.text << RenderDiagnostics(decoded.diagnostics);
    const Diagnostic& problem = decoded.diagnostics.front();
    EXPECT_EQ(std::to_string(problem.line) + ":" + std::to_string(problem.column), row.place)
        << row.text << problem.message;
    EXPECT_NE(problem.message.find(row.said), std::string::npos) << row.text << problem.message;
  }
}

}  // namespace
}  // namespace gp
