// What jobs count on which accounts, and with which words a limit stops them.

#include "domain/cluster/quotas/holdings.h"

#include "base/units.h"
#include "domain/cluster/quotas/host_need.h"
#include "domain/cluster/quotas/quota.h"
#include "tests/support/mig_models.h"
#include "tests/unit/domain/cluster_fixture.h"

namespace gp {
namespace {

class HoldingsOfJobs : public ClusterFixture {
 protected:
  static JobSpec PartSpec(Isolation isolation, int share, int64_t memory_mib, int gpus = 1) {
    return SpecOf(gpus, [&](JobSpec& spec) {
      spec.resources.gpus.isolation = isolation;
      spec.resources.gpus.share_thousandths = share;
      spec.resources.gpus.memory_mib = memory_mib;
    });
  }
  Holding AskOfSpec(const JobSpec& spec) const {
    Job job;
    job.spec = std::make_shared<const JobSpec>(spec);
    return AskOf(cluster_.state(), job);
  }
  // Without cores and memory.
  static Holding GpusOf(const Holding& holding) {
    return {holding.share, holding.firm_share, holding.jobs};
  }
  NodeId AddSized(const std::string& name, int64_t memory_mib, bool divided = false) {
    NodeFacts facts = TestCluster::MakeFacts(name, {0, 0}, 18, memory_mib);
    if (divided) {
      for (GpuFacts& gpu : facts.gpus) gpu.mig = A100Mig();
    }
    return cluster_.AddNode(facts);
  }
};

TEST_F(HoldingsOfJobs, CountOnTheQueueAndAllAboveAndOnTheUserInEach) {
  Job job;
  job.user.name = "ana";
  job.queue = "a/b";
  job.spec = std::make_shared<const JobSpec>();
  EXPECT_EQ(AccountsOf(job),
            (std::vector<AccountId>{{"a", ""}, {"a", "ana"}, {"a/b", ""}, {"a/b", "ana"}}));
  JobSpec spec;
  spec.policy.array = {8, 0};
  job.array = {3};
  job.spec = std::make_shared<const JobSpec>(spec);
  EXPECT_EQ(AccountsOf(job).size(), 4U) << "its array limits nothing";
  spec.policy.array = {8, 2};
  job.spec = std::make_shared<const JobSpec>(spec);
  EXPECT_EQ(AccountsOf(job).back(), (AccountId{"", "", {3}}));
  EXPECT_EQ(LimitOf(job).jobs, 2);
}

TEST_F(HoldingsOfJobs, AGrantCountsByComputeOrMemoryWhicheverIsMore) {
  GpuFacts facts;
  facts.memory_mib = 1'000;
  struct Case {
    int share;
    int64_t memory_mib;
    int64_t counted;
  };
  const Case cases[] = {{1000, 1'000, 1000}, {500, 100, 500}, {100, 500, 500}, {0, 1, 1},
                        {0, 333, 333},       {0, 0, 0},       {500, 500, 500}};
  for (const Case& one : cases)
    EXPECT_EQ(CountedShare({0, one.share, one.memory_mib}, facts), one.counted) << one.memory_mib;
  facts.memory_mib = 3'000;
  EXPECT_EQ(CountedShare({0, 0, 1}, facts), 1) << "rounded up: nobody gets memory for nothing";
  EXPECT_EQ(CountedShare({0, 0, 3'001}, facts), 1000) << "never more than the whole";
}

TEST_F(HoldingsOfJobs, AJobAsksForAllItsRanksOnTheSmallestGpu) {
  AddSized("small", 10'000);
  AddSized("large", 80'000);
  EXPECT_EQ(GpusOf(AskOfSpec(SpecOf(2, [](JobSpec& s) { s.resources.nodes = 3; }))),
            (Holding{6'000, 6'000, 1}));
  EXPECT_EQ(GpusOf(AskOfSpec(SpecOf(0))), (Holding{0, 0, 1}));
  EXPECT_EQ(GpusOf(AskOfSpec(PartSpec(Isolation::kTimeslice, 1000, 5'000))),
            (Holding{500, 500, 1}));
  EXPECT_EQ(GpusOf(AskOfSpec(PartSpec(Isolation::kTimeslice, 250, 0, 4))),
            (Holding{1'000, 1'000, 1}));
  EXPECT_EQ(GpusOf(AskOfSpec(PartSpec(Isolation::kTimeslice, 1000, 20'000))),
            (Holding{1'000, 1'000, 1}))
      << "more than the smallest has";
}

TEST_F(HoldingsOfJobs, AnInstanceCountsMostOnAnyGpuOfThePool) {
  AddSized("undivided", 10'000);
  AddSized("n1", 40'442, true);
  EXPECT_EQ(AskOfSpec(PartSpec(Isolation::kMig, 142, 0)).share, 142);
  EXPECT_EQ(AskOfSpec(PartSpec(Isolation::kMig, 143, 0)).share, 285) << "two sevenths";
  EXPECT_EQ(AskOfSpec(PartSpec(Isolation::kMig, 1000, 15'000)).share, 494)
      << "three sevenths with half of the memory";
}

TEST_F(HoldingsOfJobs, AreFirmUnlessTheyCanBeTakenBack) {
  AddNode("n1");
  Do(SetQueue{.name = "firm", .reclaimable = false});
  const auto ask = [&](const std::string& queue, bool preemptible) {
    Job job;
    job.queue = queue;
    job.spec = std::make_shared<const JobSpec>(
        SpecOf(1, [&](JobSpec& s) { s.policy.preemptible = preemptible; }));
    return AskOf(cluster_.state(), job).firm_share;
  };
  EXPECT_EQ(ask("default", false), 1'000);
  EXPECT_EQ(ask("default", true), 0);
  EXPECT_EQ(ask("firm", true), 1'000) << "nothing is taken from this queue";
}

TEST_F(HoldingsOfJobs, AreWhatTheLeasesSayWhileTheyLast) {
  AddNode("n1");
  const JobId id = Run(SpecOf(2));
  const auto held = [&](const std::string& user) {
    return GpusOf(HeldNow(cluster_.state(), {kDefaultQueue, user}));
  };
  EXPECT_EQ(GpusOf(HoldingOf(cluster_.state(), JobOf(id))), (Holding{2'000, 2'000, 1}));
  EXPECT_EQ(held("ana"), (Holding{2'000, 2'000, 1}));
  EXPECT_EQ(held(""), (Holding{2'000, 2'000, 1}));
  EXPECT_EQ(held("ben"), Holding{});
  const Holdings planned{{{kDefaultQueue, "ana"}, {500, 0, 1}}};
  EXPECT_EQ(HeldOrPlanned(cluster_.state(), planned, {kDefaultQueue, "ana"}, &Holding::share),
            2'500);
  EXPECT_EQ(HeldOrPlanned(cluster_.state(), planned, {kDefaultQueue, ""}, &Holding::share), 2'000);
  EndAll(id);
  EXPECT_EQ(HoldingOf(cluster_.state(), JobOf(id)), Holding{});
  EXPECT_EQ(held("ana"), Holding{});
}

TEST_F(HoldingsOfJobs, UseOfThePeriodGrowsWithoutAnyEvent) {
  AddNode("n1");
  const JobId id = Run(SpecOf(2));
  const Instant later = cluster_.now() + Duration::Minutes(30);
  const AccountId account{kDefaultQueue, "ana"};
  EXPECT_EQ(AccountAt(cluster_.state(), account, later).period_use, int64_t{1'800'000} * 2'000);
  EXPECT_EQ(AccountAt(cluster_.state(), {kDefaultQueue, "ben"}, later).period_use, 0);
  EndAll(id);
  EXPECT_EQ(AccountAt(cluster_.state(), account, later).period_use, 0) << "it ended at once";
}

// What is requested; for each GPU its part of the largest node of the pool if nothing is.
TEST_F(HoldingsOfJobs, CoresAndMemoryCountAsTheyAreReserved) {
  AddNode("n1");
  const NodeFacts& facts = *cluster_.state().nodes.all.at(0).facts;
  const HostNeed part = NeedOf(SpecOf(2), facts);
  ASSERT_GT(part.cpus, 0);
  ASSERT_GT(part.memory_mib, 0);
  const JobSpec plain = SpecOf(2, [](JobSpec& spec) { spec.resources.nodes = 3; });
  EXPECT_EQ(AskOfSpec(plain).cpus, 3 * part.cpus);
  EXPECT_EQ(AskOfSpec(plain).memory_mib, 3 * part.memory_mib);
  const JobSpec own = SpecOf(2, [](JobSpec& spec) {
    spec.resources.cpus = 3;
    spec.resources.memory_bytes = 5 * kMiB;
  });
  EXPECT_EQ(AskOfSpec(own).cpus, 3);
  EXPECT_EQ(AskOfSpec(own).memory_mib, 5);
  const JobId id = Run(own);
  EXPECT_EQ(HoldingOf(cluster_.state(), JobOf(id)).cpus, 3);
  EXPECT_EQ(HeldNow(cluster_.state(), {kDefaultQueue, "ana"}).memory_mib, 5);
  EndAll(id);
  EXPECT_EQ(HeldNow(cluster_.state(), {kDefaultQueue, ""}), Holding{});
}

// A small node beside a large one: the job may come to either, so it counts as on the large one.
TEST_F(HoldingsOfJobs, AJobThatRequestsNoMemoryCountsWithTheLargestPart) {
  NodeFacts small = TestCluster::MakeFacts("small", {0, 0, 0, 0});
  NodeFacts large = TestCluster::MakeFacts("large", {0, 0, 0, 0});
  for (NumaFacts& numa : large.numa) numa.memory_mib *= 2;
  cluster_.AddNode(small);
  const int64_t on_small = AskOfSpec(SpecOf(1)).memory_mib;
  cluster_.AddNode(large);
  EXPECT_EQ(AskOfSpec(SpecOf(1)).memory_mib, 2 * on_small);
}

TEST_F(HoldingsOfJobs, ALimitOfCoresOrMemoryHoldsJobsBack) {
  AddNode("n1");
  Do(SetQueue{.name = "q", .limit = {.cpus = 4, .memory_mib = 1'000}});
  const auto spec = [](int cpus, int64_t mib) {
    return SpecOf(1, [&](JobSpec& one) {
      one.policy.queue = "q";
      one.resources.cpus = cpus;
      one.resources.memory_bytes = mib * kMiB;
    });
  };
  EXPECT_EQ(SubmitRefusal(spec(5, 10)),
            "conflict: the job can never start: queue q has a limit of 4 cores: 0 in use, 5 more "
            "requested");
  Run(spec(3, 10));
  const JobId cores = Submit(spec(2, 10)), fits = Submit(spec(1, 900)),
              memory = Submit(SpecOf(0, [](JobSpec& one) {
                one.policy.queue = "q";
                one.resources.memory_bytes = 91 * kMiB;
              }));
  cluster_.Pass();
  EXPECT_EQ(JobOf(cores).state, JobState::kQueued);
  EXPECT_EQ(JobOf(fits).state, JobState::kStarting);
  EXPECT_EQ(JobOf(memory).state, JobState::kQueued);
  EXPECT_EQ(FindQuotaStop(cluster_.state(), JobOf(cores), cluster_.now())->kind,
            QuotaStop::Kind::kCpus);
  EXPECT_EQ(FindQuotaStop(cluster_.state(), JobOf(memory), cluster_.now())->kind,
            QuotaStop::Kind::kMemory);
}

// The words of each limit: one GPU or several, parts of a GPU, one job or several.
TEST_F(HoldingsOfJobs, ALimitNamesItselfWhatIsHeldAndWhatIsAsked) {
  using Kind = QuotaStop::Kind;
  struct Case {
    QuotaStop stop;
    const char* text;
  };
  constexpr int64_t kGpuHourUnits = int64_t{3'600'000} * kWholeShare;
  const Case cases[] = {
      {{Kind::kGpus, {"q", ""}, 1'000, 0, 1'000},
       "queue q has a limit of 1 GPU: 0 in use, 1 more requested"},
      {{Kind::kGpus, {"q", "ana"}, 1'968, 860, 2'000},
       "user ana in queue q has a limit of 2 GPUs: 0.86 in use, 1.968 more requested"},
      {{Kind::kGpus, {"q", ""}, 1, 10, 0},
       "queue q has a limit of 0 GPUs: 0.01 in use, 0.001 more requested"},
      {{Kind::kJobs, {"q", ""}, 1, 1, 1}, "queue q has a limit of 1 running job: 1 runs"},
      {{Kind::kJobs, {"q", ""}, 1, 3, 2}, "queue q has a limit of 2 running jobs: 3 run"},
      {{Kind::kJobs, {"", "", {7}}, 1, 2, 2},
       "array job-7 has a limit of 2 running elements: 2 run"},
      {{Kind::kGpuHours, {"q", ""}, 0, kGpuHourUnits * 5 / 2, kGpuHourUnits},
       "queue q has a limit of 1 GPU-hour in each period: 2 used"},
      {{Kind::kCpus, {"q", ""}, 8, 60, 64},
       "queue q has a limit of 64 cores: 60 in use, 8 more requested"},
      {{Kind::kMemory, {"q", "ana"}, 2'048, 1'536, 3'072},
       "user ana in queue q has a memory limit of 3.0 GiB: 1.5 GiB in use, 2.0 GiB more requested"},
      {{Kind::kGuarantees, {"q", ""}, 1'000, 4'000, 4'000},
       "queue q is at its limit for non-preemptible jobs (4 of 4 GPUs); submit with --preemptible "
       "to borrow idle GPUs"},
      {{Kind::kGuarantees, {"q", ""}, 2'000, 3'000, 4'000},
       "queue q would exceed its limit for non-preemptible jobs (3 of 4 GPUs in use, 2 more "
       "requested); submit with --preemptible to borrow idle GPUs"},
  };
  for (const Case& one : cases) EXPECT_EQ(ToText(one.stop), one.text);
}

// From the top of the tree down, the queue before its user; limits before guarantees.
TEST_F(HoldingsOfJobs, TheFirstLimitFromTheTopIsTheOneThatIsNamed) {
  AddNode("n1");
  Do(SetQueue{.name = "a"});
  Do(SetQueue{.name = "a/b"});
  Job job;
  job.user.name = "ana";
  job.queue = "a/b";
  job.spec = std::make_shared<const JobSpec>(SpecOf(2));
  const auto stop = [&] {
    const auto found = FindQuotaNeverMet(cluster_.state(), job);
    return found ? found->account.queue + ":" + found->account.user : "none";
  };
  EXPECT_EQ(stop(), "none");
  Do(SetQueue{.name = "a/b", .user_limit = {.gpus = 1}});
  EXPECT_EQ(stop(), "a/b:ana");
  Do(SetQueue{.name = "a/b", .limit = {.gpus = 1}});
  EXPECT_EQ(stop(), "a/b:");
  Do(SetQueue{.name = "a", .user_limit = {.jobs = 0}});
  EXPECT_EQ(stop(), "a:ana");
  Do(SetQueue{.name = "a", .limit = {.gpu_hours = 0}});
  EXPECT_EQ(stop(), "a:") << "without any hours nothing ever starts";
}

// Hours and GPUs do not concern a job without GPUs; the number of jobs does.
TEST_F(HoldingsOfJobs, AJobWithoutGpusIsStoppedByTheNumberOfJobsAlone) {
  AddNode("n1");
  Do(SetQueue{.name = "q", .limit = {.gpus = 0, .gpu_hours = 0}});
  Job job;
  job.user.name = "ana";
  job.queue = "q";
  job.spec = std::make_shared<const JobSpec>(SpecOf(0));
  EXPECT_FALSE(FindQuotaStop(cluster_.state(), job, cluster_.now()));
  Do(SetQueue{.name = "q", .limit = {.jobs = 0}});
  EXPECT_TRUE(FindQuotaStop(cluster_.state(), job, cluster_.now()));
}

}  // namespace
}  // namespace gp
