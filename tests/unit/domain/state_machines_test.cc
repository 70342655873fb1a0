// Every edge of the two state machines, and no other: docs/reference/states.md in code.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "domain/model/jobs/job.h"

namespace gp {
namespace {

template <typename State>
using Edges = std::map<State, std::set<State>>;

template <typename State>
void ExpectExactly(const Edges<State>& edges, State last) {
  for (int from = 0; from <= static_cast<int>(last); ++from) {
    for (int to = 0; to <= static_cast<int>(last); ++to) {
      const auto a = static_cast<State>(from);
      const auto b = static_cast<State>(to);
      EXPECT_EQ(CanBecome(a, b), edges.at(a).contains(b)) << Name(a) << " > " << Name(b);
    }
  }
}

TEST(GpuStateMachine, HasTheseEdges) {
  using enum GpuCondition;
  ExpectExactly<GpuCondition>(
      {{kUnknown, {kTesting, kOffline, kLost}},
       {kTesting, {kAvailable, kUnlinked, kSuspect, kQuarantined, kOffline, kLost}},
       {kAvailable, {kUnlinked, kSuspect, kQuarantined, kOffline, kLost}},
       {kUnlinked, {kAvailable, kSuspect, kQuarantined, kOffline, kLost}},
       {kSuspect, {kTesting, kQuarantined, kOffline, kLost}},
       {kQuarantined, {kResetting, kTesting, kOffline, kLost}},
       {kResetting, {kTesting, kOffline, kLost}},
       {kOffline, {kTesting, kLost}},
       {kLost, {kUnknown}}},
      kUnlinked);
}

TEST(JobStateMachine, HasTheseEdges) {
  using enum JobState;
  const std::set<JobState> ends = {kCompleted, kFailed, kCancelled, kTimeout};
  const auto and_ends = [&ends](std::set<JobState> more) {
    more.insert(ends.begin(), ends.end());
    return more;
  };
  ExpectExactly<JobState>({{kHeld, {kQueued, kCancelled}},
                           {kQueued, {kHeld, kStarting, kCancelled, kFailed}},
                           {kStarting, and_ends({kRunning, kRecovering, kRetryWait, kQueued})},
                           {kRunning, and_ends({kCheckpointing, kRecovering, kRetryWait, kQueued})},
                           {kCheckpointing, and_ends({kPreempted, kRecovering, kRunning})},
                           {kPreempted, {kQueued, kCancelled}},
                           {kRecovering, and_ends({kQueued, kHeld, kRetryWait})},
                           {kRetryWait, {kQueued, kHeld, kCancelled}},
                           {kBlocked, {kQueued, kCancelled}},
                           {kCompleted, {}},
                           {kFailed, {}},
                           {kCancelled, {}},
                           {kTimeout, {}}},
                          kTimeout);
}

TEST(JobStateMachine, WhatHoldsAndWhatIsOver) {
  using enum JobState;
  const std::set<JobState> holding = {kStarting, kRunning, kCheckpointing, kRecovering};
  for (int i = 0; i <= static_cast<int>(kTimeout); ++i) {
    const auto state = static_cast<JobState>(i);
    EXPECT_EQ(HoldsLeases(state), holding.contains(state)) << Name(state);
    EXPECT_EQ(IsTerminal(state), state >= kCompleted) << Name(state);
  }
}

TEST(ShownStates, OfJobs) {
  using enum JobState;
  EXPECT_STREQ(Name(Shown(kHeld)), "PENDING");
  EXPECT_STREQ(Name(Shown(kRetryWait)), "PENDING");
  EXPECT_STREQ(Name(Shown(kBlocked)), "PENDING");
  EXPECT_STREQ(Name(Shown(kQueued)), "QUEUED");
  for (const JobState state : {kStarting, kRunning, kCheckpointing})
    EXPECT_STREQ(Name(Shown(state)), "RUNNING");
  for (const JobState state : {kPreempted, kRecovering})
    EXPECT_STREQ(Name(Shown(state)), "PREEMPTED");
  EXPECT_STREQ(Name(Shown(kCompleted)), "COMPLETED");
  for (const JobState state : {kFailed, kTimeout}) EXPECT_STREQ(Name(Shown(state)), "FAILED");
  EXPECT_STREQ(Name(Shown(kCancelled)), "CANCELLED");
}

TEST(ShownStates, OfGpus) {
  using enum GpuCondition;
  Gpu gpu;
  const auto shown = [&gpu](GpuCondition condition, bool started) {
    gpu.condition = condition;
    return std::string(Name(Shown(gpu, started)));
  };
  EXPECT_EQ(shown(kAvailable, false), "AVAILABLE");
  for (const GpuCondition condition : {kSuspect, kQuarantined, kTesting})
    EXPECT_EQ(shown(condition, false), "DEGRADED");
  EXPECT_EQ(shown(kUnlinked, false), "DEGRADED");
  EXPECT_EQ(shown(kResetting, false), "RESETTING");
  for (const GpuCondition condition : {kUnknown, kOffline, kLost})
    EXPECT_EQ(shown(condition, false), "OFFLINE");
  gpu.leases = {LeaseId{1}};
  EXPECT_EQ(shown(kAvailable, false), "ALLOCATED");
  EXPECT_EQ(shown(kAvailable, true), "IN_USE");
  EXPECT_EQ(shown(kUnlinked, false), "ALLOCATED");
  EXPECT_EQ(shown(kUnlinked, true), "IN_USE");
  EXPECT_EQ(shown(kSuspect, true), "DEGRADED");
}

TEST(Grantable, OnlyAvailableAndNotDraining) {
  Gpu gpu;
  for (int i = 0; i <= static_cast<int>(GpuCondition::kUnlinked); ++i) {
    gpu.condition = static_cast<GpuCondition>(i);
    gpu.draining = false;
    const bool is_unlinked = gpu.condition == GpuCondition::kUnlinked;
    EXPECT_EQ(IsGrantable(gpu), gpu.condition == GpuCondition::kAvailable || is_unlinked);
    EXPECT_EQ(IsGrantable(gpu, 1), IsGrantable(gpu));
    EXPECT_EQ(IsGrantable(gpu, 2), IsGrantable(gpu) && !is_unlinked);
    gpu.draining = true;
    EXPECT_FALSE(IsGrantable(gpu));
    EXPECT_FALSE(IsGrantable(gpu, 1));
  }
}

TEST(LeaseEnds, WhoIsToBlame) {
  using enum LeaseEnd;
  for (const LeaseEnd end : {kLeaseLost, kSupervisorLost, kNodeLost, kPlatformFault})
    EXPECT_TRUE(IsPlatformFault(end)) << Name(end);
  for (const LeaseEnd end : {kExited, kStopped, kOutOfMemory, kCouldNotStart})
    EXPECT_FALSE(IsPlatformFault(end)) << Name(end);
}

}  // namespace
}  // namespace gp
