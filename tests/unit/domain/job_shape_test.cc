// What makes two jobs fit in the same places, and what makes one class of them in the queue: where
// the first of a class cannot start, the others are not even tried.

#include "domain/model/jobs/job_shape.h"

#include <gtest/gtest.h>

#include <functional>

#include "domain/cluster/state/state.h"

namespace gp {
namespace {

Job Plain() {
  Job job;
  job.id = {7};
  job.spec = std::make_shared<const JobSpec>();
  job.user = {"ana", 1, 1};
  return job;
}

using Difference = std::function<void(Job&, JobSpec&)>;

Job Changed(const Difference& change) {
  Job job = Plain();
  JobSpec spec = *job.spec;
  change(job, spec);
  job.spec = std::make_shared<const JobSpec>(std::move(spec));
  return job;
}

TEST(JobShape, IsAllThatDecidesWhereItFits) {
  const Difference changes[] = {
      [](Job&, JobSpec& s) { s.resources.nodes = 2; },
      [](Job&, JobSpec& s) { s.resources.nodes_min = 1; },
      [](Job&, JobSpec& s) { s.resources.gpus.count = 2; },
      [](Job&, JobSpec& s) { s.resources.gpus.models = {"H100"}; },
      [](Job&, JobSpec& s) { s.resources.gpus.memory_mib_min = 40'000; },
      [](Job&, JobSpec& s) { s.resources.gpus.share_thousandths = 500; },
      [](Job&, JobSpec& s) { s.resources.cpus = 2; },
      [](Job&, JobSpec& s) { s.resources.memory_bytes = 1 << 20; },
      [](Job&, JobSpec& s) { s.resources.any_of.resize(1); },
      [](Job&, JobSpec& s) { s.placement.topology.require = TopologyLevel::kNvlink; },
      [](Job&, JobSpec& s) { s.placement.topology.prefer = TopologyLevel::kNone; },
      [](Job&, JobSpec& s) { s.placement.topology.allow_cross_numa = false; },
      [](Job&, JobSpec& s) { s.placement.topology.network_levels = 1; },
      [](Job&, JobSpec& s) { s.placement.node_labels["zone"] = "a"; },
      [](Job&, JobSpec& s) { s.program.image = "dir:/i"; },
      [](Job&, JobSpec& s) { s.program.network = NetworkAccess::kNone; },
      [](Job&, JobSpec& s) { s.placement.reservation = "course"; },
      [](Job& job, JobSpec&) { job.pool = "big"; },
  };
  int number = 0;
  for (const Difference& change : changes) {
    EXPECT_NE(ShapeOf(Changed(change)), ShapeOf(Plain())) << number;
    ++number;
  }
}

TEST(JobShape, IsNothingElse) {
  const Difference changes[] = {
      [](Job& job, JobSpec&) { job.id = {8}; },
      [](Job& job, JobSpec&) { job.queue = "team"; },
      [](Job&, JobSpec& s) { s.name = "other"; },
      [](Job&, JobSpec& s) { s.program.command = {"other"}; },
      [](Job&, JobSpec& s) { s.resources.shm_bytes = 1 << 20; },
      [](Job&, JobSpec& s) { s.policy.priority = 900; },
      [](Job&, JobSpec& s) { s.policy.time_limit = Duration::Minutes(1); },
      [](Job&, JobSpec& s) { s.recovery.retry.retries_max = 0; },
  };
  int number = 0;
  for (const Difference& change : changes) {
    EXPECT_EQ(ShapeOf(Changed(change)), ShapeOf(Plain())) << number;
    ++number;
  }
}

// A part of a GPU fits beside parts of the same user only; a whole GPU fits for anybody.
TEST(JobShape, IsOfAUserOnlyWhereGpusAreShared) {
  const auto shape = [](Isolation isolation, const char* user) {
    return ShapeOf(Changed([&](Job& job, JobSpec& s) {
      s.resources.gpus.isolation = isolation;
      job.user.name = user;
    }));
  };
  EXPECT_EQ(shape(Isolation::kExclusive, "ana"), shape(Isolation::kExclusive, "ben"));
  for (const Isolation isolation : {Isolation::kTimeslice, Isolation::kMps, Isolation::kMig})
    EXPECT_NE(shape(isolation, "ana"), shape(isolation, "ben"));
}

TEST(EquivalenceClass, IsWhatDecidesWhetherItStarts) {
  const Difference changes[] = {
      [](Job&, JobSpec& s) { s.resources.gpus.count = 2; },
      [](Job&, JobSpec& s) { s.policy.priority = 900; },
      [](Job&, JobSpec& s) { s.policy.preemptible = true; },
      [](Job&, JobSpec& s) { s.policy.time_limit = Duration::Minutes(1); },
      [](Job& job, JobSpec&) { job.queue = "team"; },
      [](Job& job, JobSpec&) { job.user.name = "ben"; },
      [](Job& job, JobSpec& s) {
        job.array = {3};
        s.policy.array = {4, 2};
      },
  };
  int number = 0;
  for (const Difference& change : changes) {
    EXPECT_NE(EquivalenceClassOf(Changed(change)), EquivalenceClassOf(Plain())) << number;
    ++number;
  }
}

TEST(EquivalenceClass, IsSharedByJobsThatDifferInNothingOfThat) {
  const Difference changes[] = {
      [](Job& job, JobSpec&) { job.id = {8}; },
      // Within one class by priority they are ordered by it.
      [](Job&, JobSpec& s) { s.policy.priority = 501; },
      [](Job&, JobSpec& s) { s.name = "other"; },
      // An array that does not limit how many of it run is like as many single jobs.
      [](Job& job, JobSpec& s) {
        job.array = {3};
        s.policy.array = {4, 0};
      },
  };
  int number = 0;
  for (const Difference& change : changes) {
    EXPECT_EQ(EquivalenceClassOf(Changed(change)), EquivalenceClassOf(Plain())) << number;
    ++number;
  }
}

// What it has used lowers its level, but only for one that may be preempted.
TEST(EquivalenceClass, FollowsWhatAPreemptibleJobHasUsed) {
  const auto used = [](bool preemptible) {
    return EquivalenceClassOf(Changed([&](Job& job, JobSpec& s) {
             s.policy.preemptible = preemptible;
             job.attained_gpu_ms = 3'600'000;
           }))
        .service_level;
  };
  EXPECT_EQ(used(true), 1);
  EXPECT_EQ(used(false), 0);
}

TEST(QueueKeys, OrderByPriorityThenById) {
  const auto key = [](uint64_t id, int priority) {
    return KeyOf(Changed([&](Job& job, JobSpec& s) {
      job.id = {id};
      s.policy.priority = priority;
    }));
  };
  EXPECT_LT(key(9, 1000), key(1, 999));
  EXPECT_LT(key(1, 500), key(2, 500));
  EXPECT_LT(key(2, 1), key(1, 0));
}

TEST(RequestKeys, OfTwoUsersNeverCollide) {
  EXPECT_NE(RequestKey({"ana", 1, 1}, "1/x"), RequestKey({"ben", 11, 1}, "/x"));
  EXPECT_NE(RequestKey({"ana", 1, 1}, "x"), RequestKey({"ana", 2, 1}, "x"));
  EXPECT_EQ(RequestKey({"ana", 1, 1}, "x"), RequestKey({"renamed", 1, 9}, "x")) << "by its uid";
}

}  // namespace
}  // namespace gp
