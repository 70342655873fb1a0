#include "simulation/run/run_player.h"

#include <gtest/gtest.h>

#include "domain/cluster/apply/apply.h"
#include "domain/cluster/decide/decide.h"
#include "simulation/engine/plain_node.h"
#include "simulation/run/recorded_run.h"

namespace gp {
namespace {

constexpr Instant kBegin{1'700'000'000'000'000'000};

// A cluster whose records are kept, as a journal would: jobs start and end to the second.
class Recording {
 public:
  Recording() {
    Tell(StartController{}, 0);
    Join(0);
  }

  void Join(int number) {
    JoinNode join;
    join.facts = std::make_shared<const NodeFacts>(PlainNode(number, 8));
    join.incarnation = 1;
    join.fresh = true;
    Tell(join, 0);
    ReportNode report{NodeId{static_cast<uint32_t>(number)}, 1, {}, {}};
    for (int gpu = 0; gpu < 8; ++gpu) report.gpus.push_back({gpu, true, false, ""});
    Tell(report, 0);
  }

  JobId Submit(int at_s, int gpus, int priority = 500, bool preemptible = false,
               Duration limit = {}, std::vector<Dependency> after = {}) {
    auto spec = std::make_shared<JobSpec>();
    spec->program.command = {"train"};
    spec->resources.gpus.count = gpus;
    spec->resources.cpus = 1;
    spec->resources.memory_bytes = int64_t{1} << 30;
    spec->policy.priority = priority;
    spec->policy.preemptible = preemptible;
    spec->policy.time_limit = limit;
    spec->policy.after = std::move(after);
    Tell(SubmitJob{spec, {"ana", 1000, 1000}}, at_s);
    Pass(at_s);
    return JobId{state_.jobs.last};
  }
  // Elements of 4 GPUs each, one after the other.
  JobId SubmitArray(int at_s, int count) {
    auto spec = std::make_shared<JobSpec>();
    spec->program.command = {"train"};
    spec->resources.gpus.count = 4;
    spec->policy.array = {count, 1};
    const JobId array{state_.jobs.last + 1};
    Tell(SubmitJob{spec, {"ana", 1000, 1000}}, at_s);
    Pass(at_s);
    return array;
  }
  void End(int at_s, JobId job) {
    Report(job, at_s, LeaseEnd::kExited);
    Pass(at_s);
  }
  void Tell(Command command, int at_s) {
    Record record{{At(at_s), "test", "", std::move(command)}, {}};
    record.events = Decide(state_, record.envelope).value();
    for (const Event& event : record.events) Apply(state_, At(at_s), event);
    recorder_.Add(record);
  }
  void PassAt(int at_s) { Pass(at_s); }
  RecordedRun Take() { return recorder_.Take(); }
  static Instant At(int seconds) { return kBegin + Duration::Seconds(seconds); }

 private:
  void Pass(int at_s) {
    for (const Plan::Step& step : Schedule(state_, At(at_s)).steps) {
      Tell(ToCommand(step), at_s);
      if (const auto* placed = std::get_if<PlaceGang>(&step)) Report(placed->job, at_s, {});
    }
  }
  void Report(JobId job, int at_s, std::optional<LeaseEnd> end) {
    const Lease& lease = *state_.FindLease(state_.FindJob(job)->leases.front());
    ReportNode report{lease.node, 1, {}, {}};
    for (const LeaseId id : state_.FindNode(lease.node)->leases) {
      LeaseObservation seen;
      seen.lease = id;
      seen.running = true;
      seen.ended = id == lease.id && end;
      seen.started_at = At(at_s);
      seen.outcome.end = end.value_or(LeaseEnd::kExited);
      report.leases.push_back(seen);
    }
    Tell(report, at_s);
  }

  State state_;
  RunRecorder recorder_;
};

int64_t WaitOf(const JobLife& life) { return (*life.started_at - life.submitted_at).ToSeconds(); }

// Three jobs in a row on one node, and one beside them.
RecordedRun Queue() {
  Recording recording;
  const JobId first = recording.Submit(0, 8);
  const JobId second = recording.Submit(10, 8);
  const JobId third = recording.Submit(20, 4);
  const JobId fourth = recording.Submit(30, 4);
  recording.End(100, first);
  recording.End(200, second);
  recording.End(260, third);
  recording.End(300, fourth);
  return recording.Take();
}

TEST(RunRecorder, TellsWhatWasAskedAndHowLongItTook) {
  const RecordedRun run = Queue();
  ASSERT_EQ(run.lives.size(), 4u);
  EXPECT_EQ(WaitOf(run.lives[1]), 90);
  EXPECT_EQ(WaitOf(run.lives[3]), 170);
  EXPECT_EQ(run.unfinished, 0);
  std::vector<int64_t> lengths;
  for (const RunStep& step : run.steps) {
    if (const auto* job = std::get_if<JobArrival>(&step.what))
      lengths.push_back(job->length.ToSeconds());
  }
  EXPECT_EQ(lengths, (std::vector<int64_t>{100, 100, 60, 100}));
  EXPECT_NEAR(run.usage.held(), (8 * 100 + 8 * 100 + 4 * 60 + 4 * 100) / 3600.0, 1e-9);
  EXPECT_NEAR(run.usage.installed(), 8 * 300 / 3600.0, 1e-9);
}

TEST(RunPlayer, PlaysTheElementsOfAnArrayWithTheirLengths) {
  Recording recording;
  recording.Submit(0, 1);
  const JobId array = recording.SubmitArray(10, 3);
  const JobId after = recording.Submit(20, 8, 500, false, {}, {{array, AfterKind::kEnded}});
  recording.End(110, ElementId(array, 0));
  recording.End(130, ElementId(array, 1));
  recording.End(200, ElementId(array, 2));
  recording.End(210, JobId{1});
  recording.Tell(Tick{}, 211);
  recording.PassAt(211);
  recording.End(300, after);
  const RecordedRun run = recording.Take();
  ASSERT_EQ(run.lives.size(), 5u);
  const PlayedRun played = RunPlayer(run.steps, {}).Play();
  ASSERT_EQ(played.lives.size(), run.lives.size());
  EXPECT_EQ(played.refused, 0);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(played.lives[i].started_at, run.lives[i].started_at) << i;
    EXPECT_EQ(played.lives[i].ended_at, run.lives[i].ended_at) << i;
  }
  EXPECT_TRUE(played.lives[4].ended_at.has_value());
}

TEST(RunPlayer, PlaysARunAsItWas) {
  const RecordedRun run = Queue();
  const PlayedRun played = RunPlayer(run.steps, {}).Play();
  ASSERT_EQ(played.lives.size(), run.lives.size());
  for (size_t i = 0; i < run.lives.size(); ++i) {
    EXPECT_EQ(played.lives[i].started_at, run.lives[i].started_at) << i;
    EXPECT_EQ(played.lives[i].ended_at, run.lives[i].ended_at) << i;
  }
  EXPECT_EQ(played.refused, 0);
  EXPECT_NEAR(played.usage.held(), run.usage.held(), 1e-9);
}

TEST(RunPlayer, OneNodeMoreHalvesTheQueue) {
  PlayOptions more;
  more.added = {std::make_shared<const NodeFacts>(PlainNode(7, 8))};
  const PlayedRun played = RunPlayer(Queue().steps, more).Play();
  EXPECT_EQ(WaitOf(played.lives[1]), 0);
  EXPECT_EQ(WaitOf(played.lives[2]), 80);
  const RunFigures figures = FiguresOf(played.lives, played.usage);
  EXPECT_EQ(figures.ended, 4);
  EXPECT_EQ(figures.wait.started, 4);
  EXPECT_NEAR(figures.wait.mean_s, (0 + 0 + 80 + 70) / 4.0, 1e-9);
}

TEST(RunPlayer, WithoutItsNodeNothingStarts) {
  PlayOptions fewer;
  fewer.removed = {PlainNode(0, 8).name};
  const PlayedRun played = RunPlayer(Queue().steps, fewer).Play();
  const RunFigures figures = FiguresOf(played.lives, played.usage);
  EXPECT_EQ(figures.never_started, 4);
  EXPECT_EQ(figures.ended, 0);
  EXPECT_EQ(figures.utilization, 0);
}

TEST(RunPlayer, AnotherPolicyInterruptsSooner) {
  Recording recording;
  const JobId low = recording.Submit(0, 8, 100, true);
  const JobId high = recording.Submit(60, 8, 900);
  recording.End(500, low);  // min_run of 10 min kept it
  recording.End(600, high);
  const RecordedRun run = recording.Take();
  EXPECT_EQ(WaitOf(run.lives[1]), 440);
  PlayOptions sooner;
  sooner.policy = [](Policy& policy) { policy.min_run = Duration::Seconds(100); };
  const PlayedRun played = RunPlayer(run.steps, sooner).Play();
  EXPECT_EQ(WaitOf(played.lives[1]), 40);
  EXPECT_EQ(played.lives[0].preemptions, 1);
  // 400 s were left of it, and a minute goes for its return.
  EXPECT_EQ(played.lives[0].ended_at, Recording::At(200 + 400 + 60));
}

// The first job is refused there (its queue is not there), so all numbers differ.
TEST(RunPlayer, WaitsForTheSameJobsUnderOtherNumbers) {
  Recording recording;
  const JobId refused = recording.Submit(0, 8, 500, false, {});
  recording.End(10, refused);
  const JobId prep = recording.Submit(20, 4);
  const JobId train = recording.Submit(30, 4, 500, false, {}, {{prep, AfterKind::kOk}});
  recording.End(100, prep);
  recording.Tell(Tick{}, 100);
  recording.PassAt(100);
  recording.End(150, train);
  RecordedRun run = recording.Take();
  for (RunStep& step : run.steps) {
    auto* job = std::get_if<JobArrival>(&step.what);
    if (job == nullptr || job->id != refused) continue;
    auto spec = std::make_shared<JobSpec>(*job->spec);
    spec->policy.queue = "nowhere";
    job->spec = spec;
  }
  const PlayedRun played = RunPlayer(run.steps, {}).Play();
  EXPECT_EQ(played.refused, 1);
  EXPECT_EQ(played.lives[2].started_at, run.lives[2].started_at);
  EXPECT_EQ(played.lives[2].ended_at, run.lives[2].ended_at);
}

TEST(RunPlayer, IsOverWithTheLastJob) {
  Recording recording;
  ReserveNodes reserve;
  reserve.reservation.name = "tomorrow";
  reserve.reservation.nodes = {NodeId{0}};
  reserve.reservation.starts_at = Recording::At(100'000);
  reserve.reservation.ends_at = Recording::At(200'000);
  recording.Tell(reserve, 0);
  const JobId job = recording.Submit(0, 8, 500, false, Duration::Minutes(5));
  recording.End(100, job);
  const PlayedRun played = RunPlayer(recording.Take().steps, {}).Play();
  EXPECT_NEAR(played.usage.installed(), 8 * 100 / 3600.0, 1e-9);
}

TEST(RunPlayer, TimeLimitsAndCancelsHoldInTheOtherRunToo) {
  Recording recording;
  const JobId first = recording.Submit(0, 8);
  recording.Submit(10, 8, 500, false, Duration::Seconds(50));
  const JobId third = recording.Submit(20, 8);
  recording.Tell(StopJob{third}, 90);
  recording.End(100, first);
  const RecordedRun run = recording.Take();
  EXPECT_EQ(run.unfinished, 1);
  PlayOptions more;
  more.added = {std::make_shared<const NodeFacts>(PlainNode(7, 8))};
  const PlayedRun played = RunPlayer(run.steps, more).Play();
  EXPECT_EQ(WaitOf(played.lives[1]), 0);
  EXPECT_TRUE(played.lives[2].ended_at <= Recording::At(90))
      << "it ran for no longer, or was cancelled";
}

}  // namespace
}  // namespace gp
