// Each rule speaks when the state is damaged by hand.

#include "domain/cluster/check/invariants.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

// job-1: whole, 2 GPUs on n1, running, limited.  job-2 and job-3: share GPU 2 of n1.
// job-4: a gang on n1 and n2.  job-5: queued.  job-6: finished.  n3 is lost.
class Damaged : public testing::Test {
 protected:
  Damaged() {
    for (const char* name : {"n1", "n2", "n3"}) {
      cluster_.AddNode(TestCluster::MakeFacts(name, {0, 0, 1, 1}));
    }
    Submit([](JobSpec& spec) {
      spec.resources.gpus.count = 2;
      spec.policy.time_limit = Duration::Minutes(1);
    });
    for (int i = 0; i < 2; ++i) {
      Submit([](JobSpec& spec) {
        spec.resources.gpus.isolation = Isolation::kTimeslice;
        spec.resources.gpus.share_thousandths = 400;
      });
    }
    cluster_.Pass();
    Tell(ExpireHeartbeat{{2}});
    Submit([](JobSpec& spec) { spec.resources.nodes = 2; });
    cluster_.Pass();
    Submit([](JobSpec& spec) { spec.resources.gpus.count = 4; });
    Submit({});
    Tell(StopJob{{6}, false});
    LeaseObservation running;
    running.lease = {1};
    running.running = true;
    Tell(ReportNode{{0}, 1, {running}, {}});
    state_ = cluster_.state();
    EXPECT_TRUE(CheckInvariants(state_).empty());
  }

  void Submit(const std::function<void(JobSpec&)>& edit) {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.cpus = 2;
    spec.resources.memory_bytes = int64_t{1} << 30;
    if (edit) edit(spec);
    Tell(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}},
         std::to_string(++requests_));
  }
  void Tell(const Command& command, const std::string& request_id = "") {
    ASSERT_TRUE(cluster_.Execute(command, request_id).has_value());
  }
  Gpu& GpuAt(size_t node, size_t gpu) { return state_.nodes.all[node].gpus[gpu]; }
  Lease& LeaseAt(uint64_t id) { return state_.leases.all.at({id}); }
  Job& JobAt(uint64_t id) { return state_.jobs.all.at({id}); }

  void ExpectRule(const std::string& rule, const std::string& detail) {
    std::string told;
    bool found = false;
    for (const Violation& violation : CheckInvariants(state_)) {
      told += violation.rule + ": " + violation.detail + "\n";
      found =
          found || (violation.rule == rule && violation.detail.find(detail) != std::string::npos);
    }
    EXPECT_TRUE(found) << rule << " (" << detail << ") was not told, but:\n" << told;
  }

  TestCluster cluster_;
  State state_;
  int requests_ = 0;
};

TEST_F(Damaged, I1MemoryBeyondWhatIsUsable) {
  LeaseAt(2).gpus[0].memory_mib = 81'000;
  GpuAt(0, 2).memory_granted_mib += 81'000 - 32'623;
  ExpectRule("I1", "memory granted beyond");
}

TEST_F(Damaged, I2ComputeBeyondTheWhole) {
  LeaseAt(2).gpus[0].share = 700;
  GpuAt(0, 2).share_granted = 1100;
  ExpectRule("I2", "more than the whole compute");
}

TEST_F(Damaged, I2AWholeGpuHeldTwice) {
  LeaseAt(2).mode = LeaseAt(3).mode = GpuMode::kWhole;
  GpuAt(0, 2).mode = GpuMode::kWhole;
  ExpectRule("I2", "whole GPU held twice");
}

TEST_F(Damaged, I4TwoModes) {
  LeaseAt(2).mode = GpuMode::kMps;
  ExpectRule("I4", "two modes");
}

TEST_F(Damaged, I4TwoUsers) {
  JobAt(2).user.name = "ben";
  ExpectRule("I4", "shared by two users");
}

TEST_F(Damaged, I4AModeWithoutLeases) {
  GpuAt(1, 3).mode = GpuMode::kWhole;
  ExpectRule("I4", "mode without leases");
}

TEST_F(Damaged, I5AGangInPart) {
  JobAt(4).leases.pop_back();
  ExpectRule("I6", "has no live owner");
  JobAt(4).leases.clear();
  ExpectRule("I5", "wrong number of leases");
}

TEST_F(Damaged, I5AGangThatRunsOnAlone) {
  state_.leases.all.erase({5});
  JobAt(4).leases.pop_back();
  JobAt(4).attempts.back().ranks[1].outcome.exit_code = 1;
  ExpectRule("I5", "part of the gang runs on alone");
}

TEST_F(Damaged, I5LeasesOfAJobThatWaits) {
  JobAt(5).leases.push_back({1});
  ExpectRule("I5", "holds leases");
}

TEST_F(Damaged, I5OtherGpusThanAsked) {
  LeaseAt(1).gpus.pop_back();
  ExpectRule("I5", "has not the GPUs asked");
}

TEST_F(Damaged, I6ALeaseThatDoesNotLive) {
  GpuAt(0, 0).leases = {LeaseId{99}};
  ExpectRule("I6", "does not live");
  ExpectRule("I6", "not listed by a GPU that it names");
}

TEST_F(Damaged, I6AGpuThatTheLeaseDoesNotName) {
  GpuAt(0, 3).leases = {LeaseId{1}};
  ExpectRule("I6", "does not name it");
}

TEST_F(Damaged, I6AnotherAttempt) {
  LeaseAt(1).attempt = 2;
  ExpectRule("I6", "is not of its current attempt");
}

TEST_F(Damaged, I6ANodeThatDoesNotListIt) {
  state_.nodes.all[0].leases.clear();
  ExpectRule("I6", "not listed by its node");
}

TEST_F(Damaged, I6ANodeThatListsAStranger) {
  state_.nodes.all[1].leases.push_back({1});
  ExpectRule("I6", "which is not there");
}

TEST_F(Damaged, I7CoresHeldTwice) {
  LeaseAt(2).numa = LeaseAt(1).numa;
  ExpectRule("I7", "cores held twice");
}

TEST_F(Damaged, I7HostMemoryBeyondWhatThereIs) {
  LeaseAt(1).numa[0].memory_mib = int64_t{1} << 30;
  ExpectRule("I7", "host memory granted beyond");
  ExpectRule("I8", "NUMA sums are off");
}

TEST_F(Damaged, I8Sums) {
  GpuAt(0, 2).share_granted -= 1;
  ExpectRule("I8", "sums are off");
  state_.leases.shares_by_class[{"default", 1}][JobId{1}] += 1;
  ExpectRule("I8", "shares by class are off");
  state_.nodes.capacity["default"] += 1;
  ExpectRule("I8", "capacities are off");
  state_.queues.accounts[{"default", "ana"}].held.share += 1;
  ExpectRule("I8", "account default/ana is off");
  state_.queues.accounts.erase({"default", ""});
  ExpectRule("I8", "an account is missing: default");
  state_.queues.accounts[{"nowhere", ""}];
  ExpectRule("I8", "an account of no queue and no array: nowhere");
}

TEST_F(Damaged, I8CountsOfArrays) {
  JobSpec spec = *state_.FindJob({1})->spec;
  spec.policy.array = {3, 1};
  Tell(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}});
  const State good = cluster_.state();
  const JobId array = good.jobs.arrays.begin()->first;
  const std::function<void(Array&)> damages[] = {
      [](Array& a) { ++a.known; },     [](Array& a) { ++a.started; },
      [](Array& a) { ++a.unstarted; }, [](Array& a) { ++a.ended; },
      [](Array& a) { ++a.completed; }, [](Array& a) { ++a.failed; },
      [](Array& a) { a.count += 2; }};
  for (const auto& damage : damages) {
    state_ = good;
    damage(state_.jobs.arrays.at(array));
    ExpectRule("I8", "counts of array");
  }
  state_ = good;
  state_.jobs.arrays.erase(array);
  ExpectRule("shape", ToText(ElementId(array, 0)));
}

TEST_F(Damaged, EveryIndex) {
  const std::pair<const char*, std::function<void(State&)>> damages[] = {
      {"queued jobs", [](State& s) { s.jobs.queued.clear(); }},
      {"queued jobs has entries that do not belong there",
       [](State& s) { s.jobs.queued.insert({77}); }},
      {"equivalence classes", [](State& s) { s.jobs.equivalence_classes.clear(); }},
      {"equivalence classes has entries that do not belong there",
       [](State& s) { s.jobs.equivalence_classes[EquivalenceClass{}].insert({0, {77}}); }},
      {"equivalence classes has an empty group",
       [](State& s) { s.jobs.equivalence_classes[EquivalenceClass{}]; }},
      {"retries has entries that do not belong there",
       [](State& s) { s.jobs.retries.insert({{1}, {5}}); }},
      {"time limits", [](State& s) { s.jobs.limits.clear(); }},
      {"time limits has entries that do not belong there",
       [](State& s) { s.jobs.limits.insert({{1}, {1}}); }},
      {"finished jobs", [](State& s) { s.jobs.finished.clear(); }},
      {"nominated jobs has entries that do not belong there",
       [](State& s) { s.jobs.nominated.insert(JobId{1}); }},
      {"evictable jobs has entries that do not belong there",
       [](State& s) { s.jobs.evictable[{"default", 0}].insert(JobId{1}); }},
      {"preemptions has entries that do not belong there",
       [](State& s) { s.jobs.preemptions.insert({{1}, {2}}); }},
      {"losses", [](State& s) { s.nodes.losses.clear(); }},
      {"losses has entries that do not belong there",
       [](State& s) { s.nodes.losses.insert({{1}, {0}}); }},
      {"names has entries that do not belong there", [](State& s) { s.nodes.by_name["n9"] = {0}; }},
      {"GPUs by UUID does not have exactly one entry for each GPU",
       [](State& s) { s.nodes.gpus_by_uuid.erase(s.nodes.gpus_by_uuid.begin()); }},
      {"GPU of-nobody is not where the index has it",
       [](State& s) { s.nodes.gpus_by_uuid.insert({"of-nobody", {{0}, 0}}); }},
      {"GPU elsewhere is not where the index has it",
       [](State& s) { s.nodes.gpus_by_uuid.insert({"elsewhere", {{0}, -1}}); }},
      {"GPU nowhere is not where the index has it",
       [](State& s) { s.nodes.gpus_by_uuid.insert({"nowhere", {{99}, 0}}); }},
      {"requests has entries that do not belong there",
       [](State& s) { s.jobs.by_request["1/x"] = {1}; }},
      {"answered requests has entries that do not belong there",
       [](State& s) { s.requests.by_time.insert({{1}, "user:ana/x"}); }},
      {"the time of request user:ana x is not kept",
       [](State& s) { s.requests.answered["user:ana x"] = {1, {1}}; }},
  };
  for (const auto& [detail, damage] : damages) {
    state_ = cluster_.state();
    damage(state_);
    ExpectRule("index", detail);
  }
}

TEST_F(Damaged, ShapeIsCheckedBeforeAnythingIsIndexed) {
  const std::function<void(State&)> damages[] = {
      [](State& s) { s.nodes.all[0].gpus.pop_back(); },
      [](State& s) { s.nodes.all[0].numa.clear(); },
      [](State& s) { s.nodes.all[0].facts = nullptr; },
      [](State& s) { s.nodes.all[1].id = {0}; },
      [](State& s) { s.jobs.all.at({1}).attempts.clear(); },
      [](State& s) { s.jobs.all.at({1}).id = {2}; },
      [](State& s) { s.jobs.all.at({1}).variant = 1; },
      [](State& s) { s.jobs.all.at({1}).destination = {{.node = {9}}}; },
      [](State& s) { s.jobs.all.at({1}).attempts.back().ranks[0].node = {9}; },
      [](State& s) { s.leases.all.at({1}).gpus[0].gpu = 4; },
      [](State& s) { s.leases.all.at({1}).numa[0].numa = -1; },
      [](State& s) { s.leases.all.at({1}).rank = 1; },
      [](State& s) { s.leases.all.at({1}).node = {9}; },
      [](State& s) { s.leases.all.at({1}).job = {99}; },
  };
  for (const auto& damage : damages) {
    state_ = cluster_.state();
    damage(state_);
    ExpectRule("shape", "");
  }
}

// What Decide would have refused, committed all the same.
TEST_F(Damaged, DeltaSeesAGrantWhereNothingMayBeGranted) {
  const GangPlaced placed{1, {1}, {LeaseAt(1)}, ""};
  EXPECT_TRUE(CheckDelta(state_, {placed}).empty());
  GpuAt(0, 0).condition = GpuCondition::kSuspect;
  EXPECT_FALSE(CheckDelta(state_, {placed}).empty());
  EXPECT_TRUE(CheckInvariants(state_).empty()) << "a grant that exists stays legal";
  GpuAt(0, 0).condition = GpuCondition::kAvailable;
  GpuAt(0, 0).draining = true;
  EXPECT_FALSE(CheckDelta(state_, {placed}).empty());
  GpuAt(0, 0).draining = false;
  state_.nodes.all[0].draining = true;
  EXPECT_FALSE(CheckDelta(state_, {placed}).empty());
}

TEST_F(Damaged, DeltaLooksAtWhatTheEventsNamed) {
  GpuAt(0, 2).share_granted -= 1;
  EXPECT_TRUE(CheckDelta(state_, {JobHeld{{5}}}).empty());
  EXPECT_FALSE(CheckDelta(state_, {JobStarted{{2}}}).empty());
  EXPECT_FALSE(CheckDelta(state_, {LeaseStarted{{1}, {}}}).empty());
  EXPECT_FALSE(CheckDelta(state_, {NodeLost{{0}}}).empty());
  EXPECT_TRUE(CheckDelta(state_, {NodeLost{{1}}}).empty());
}

TEST_F(Damaged, DeltaSurvivesALeaseThatIsGone) {
  state_.leases.all.erase({1});
  EXPECT_FALSE(CheckDelta(state_, {JobStarted{{1}}}).empty());
}

}  // namespace
}  // namespace gp
