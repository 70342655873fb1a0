// What the feed of changes costs the writer's thread for each record, and the memory of a full one.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <optional>
#include <string>
#include <vector>

#include "adapters/inbound/api/streams/change_feed.h"
#include "domain/cluster/nodes/report_of.h"
#include "tests/support/committed.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr int kNodes = 100;
constexpr int kRounds = 5;

using Records = std::vector<std::vector<Event>>;

// The lives of 500 jobs of eight GPUs, from their submits to their ends.
struct Lives {
  TestCluster cluster;
  Records records;

  Lives() {
    for (int i = 0; i < kNodes; ++i)
      cluster.AddNode(
          TestCluster::MakeFacts("node-" + std::to_string(i), {0, 0, 0, 0, 1, 1, 1, 1}));
    for (int round = 0; round < kRounds; ++round) LiveOnce();
    for (const std::string& bytes : cluster.records())
      records.push_back(DecodeRecord(bytes).value().events);
  }
  void Do(const Command& command) {
    if (!cluster.Execute(command)) std::abort();
  }
  void LiveOnce() {
    JobSpec spec;
    spec.program.command = {"train"};
    spec.resources.gpus.count = 8;
    for (int i = 0; i < kNodes; ++i)
      Do(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}});
    cluster.Pass();
    for (const auto end : {std::optional<LeaseEnd>(), std::optional(LeaseEnd::kExited)}) {
      std::vector<LeaseId> live;
      for (const auto& [id, lease] : cluster.state().leases.all) live.push_back(id);
      for (const LeaseId lease : live) Do(ReportOf(cluster.state(), cluster.now(), lease, end));
    }
  }
};

const Lives& TheLives() {
  static const Lives lives;
  return lives;
}

// By the number of records in a commit.
void BM_Commit(benchmark::State& state) {
  const Lives& lives = TheLives();
  const auto size = static_cast<size_t>(state.range(0));
  std::vector<CommittedRecords> commits;
  for (size_t begin = 0; begin + size <= lives.records.size(); begin += size)
    commits.push_back(Committed(begin, std::span(lives.records).subspan(begin, size)));
  ChangeFeed feed;
  feed.OnBegin(State{}, {});
  uint64_t last = 0;
  size_t next = 0;
  for (auto _ : state) {
    CommittedRecords& commit = commits[next++ % commits.size()];
    commit.after = last;
    last += size;
    feed.OnCommit(lives.cluster.state(), commit);
  }
  state.SetItemsProcessed(static_cast<int64_t>(last));
}
BENCHMARK(BM_Commit)->Arg(1)->Arg(30)->Arg(1'000);

// Of changes of as many jobs, with a queue's path and a user's name of usual lengths.
void BM_Memory(benchmark::State& state) {
  constexpr uint64_t kJobs = 100'000;
  State cluster;
  for (uint64_t id = 1; id <= kJobs; ++id) {
    Job job;
    job.id = {id};
    job.queue = "research/vision/pretraining";
    job.user = {"ana.example", 1, 1};
    cluster.jobs.all.Add(job.id, job);
  }
  for (auto _ : state) {
    const auto before = mallinfo2().uordblks;
    ChangeFeed feed;
    feed.OnBegin(State{}, {});
    for (uint64_t id = 1; id <= kJobs; ++id)
      feed.OnCommit(cluster, Committed(id - 1, Records{{JobHeld{{id}}}}));
    state.counters["bytes"] = static_cast<double>(mallinfo2().uordblks - before);
  }
}
BENCHMARK(BM_Memory)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gp
