#include "application/agent/sharing_runner.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "adapters/outbound/memory/manual_clock.h"
#include "tests/unit/application/agent/played_runner.h"

namespace gp {
namespace {

constexpr int kMajor = 195;

class Sharing : public testing::Test {
 protected:
  Sharing() { Open(1); }

  void Open(uint64_t incarnation) {
    SharingOptions options;
    options.mps_control = "/opt/control";
    options.incarnation = incarnation;
    options.make_directory = [this](int minor, uint32_t uid, uint32_t) -> Result<std::string> {
      if (!disk_fault.empty()) return Fail(Internal(disk_fault));
      return "/s/mps/" + std::to_string(minor) + "-" + std::to_string(uid);
    };
    options.remove_directory = [this](int minor, uint32_t uid) {
      removed_ += std::to_string(minor) + "-" + std::to_string(uid) + " ";
    };
    options.memory = {.tolerance_mib = 100, .readings = 3};
    options.readings = [this] { return readings_; };
    options.attempt_of = [](int pid) { return "lease-" + std::to_string(pid); };
    sharing_ = std::make_unique<SharingRunner>(std::move(options), inner_, clock_);
  }

  static LaunchSpec Job(const std::string& key, int percent, int64_t memory_mib, bool mps = true,
                        uint32_t uid = 1000, int minor = 7) {
    LaunchSpec spec;
    spec.key = key;
    spec.uid = uid;
    spec.devices = {{kMajor, minor}, {kMajor, 255}};
    spec.parts = {{.gpu = 0,
                   .minor = minor,
                   .uuid = "GPU-7",
                   .memory_mib = memory_mib,
                   .percent = percent,
                   .mps = mps}};
    return spec;
  }
  void Start(const LaunchSpec& spec) { ASSERT_TRUE(sharing_->Start(spec)); }
  void Turn(int64_t ms = 10) {
    clock_.Advance(Duration::Milliseconds(ms));
    seen_.clear();
    for (const AttemptStatus& status : sharing_->Observe()) seen_[status.key] = status;
  }
  void Turns(int count) {
    for (int i = 0; i < count; ++i) Turn();
  }
  bool Runs(const std::string& key) const { return inner_.attempts.contains(key); }
  // Lets a job run under a daemon that is ready.
  std::string StartReady(const LaunchSpec& spec) {
    Start(spec);
    Turns(3);
    EXPECT_TRUE(Runs(spec.key)) << "the daemon was not ready";
    return inner_.launches.front().key;
  }

  ManualClock clock_;
  PlayedRunner inner_;
  std::string disk_fault;
  std::string removed_;
  std::vector<GpuReading> readings_;
  std::unique_ptr<SharingRunner> sharing_;
  std::map<std::string, AttemptStatus> seen_;
};

// Who is missing from one look is started again by it.
TEST_F(Sharing, WhoWaitsAndStartsIsSeenInEveryLook) {
  Start(Job("lease-1", 30, 1'000));
  for (int turn = 0; turn < 6; ++turn) {
    Turn();
    EXPECT_TRUE(seen_.contains("lease-1")) << turn;
  }
  EXPECT_TRUE(Runs("lease-1"));
}

TEST_F(Sharing, WhoSharesNothingPassesThrough) {
  LaunchSpec whole;
  whole.key = "lease-1";
  whole.devices = {{kMajor, 7}};
  Start(whole);
  EXPECT_TRUE(Runs("lease-1"));
  inner_.End("lease-1", EndCause::kExit, 3);
  Turn();
  EXPECT_EQ(seen_["lease-1"].exit_code, 3);
  EXPECT_TRUE(sharing_->Forget("lease-1"));
  EXPECT_TRUE(sharing_->IsEmpty());
}

TEST_F(Sharing, TheDaemonIsStartedWithTheUsersRightsAndToldTheLimitsBeforeTheJob) {
  Start(Job("lease-1", 30, 2'000));
  ASSERT_EQ(inner_.launches.size(), 1u);
  const LaunchSpec daemon = inner_.launches[0];
  EXPECT_TRUE(IsMpsDaemon(daemon.key));
  EXPECT_EQ(daemon.argv, (std::vector<std::string>{"/opt/control", "-f"}));
  EXPECT_EQ(daemon.uid, 1000u);
  EXPECT_EQ(daemon.devices, (std::vector<DeviceNumber>{{kMajor, 7}, {kMajor, 255}}));
  EXPECT_TRUE(std::ranges::count(daemon.environment, "CUDA_MPS_PIPE_DIRECTORY=/s/mps/7-1000"));
  EXPECT_TRUE(std::ranges::count(daemon.environment, "CUDA_VISIBLE_DEVICES=GPU-7"));
  Turn();
  EXPECT_FALSE(Runs("lease-1"));
  EXPECT_EQ(seen_["lease-1"].phase, AttemptPhase::kStarting);
  EXPECT_FALSE(seen_.contains(daemon.key));  // it is nobody's attempt
  EXPECT_EQ(inner_.TakeCommands(),
            "set_default_active_thread_percentage 30\nset_default_device_pinned_mem_limit 0 2000M\n"
            "start_server -uid 1000\nget_server_list\n");
  Turn();
  EXPECT_FALSE(Runs("lease-1"));  // its server may be an older one
  EXPECT_TRUE(inner_.TakeCommands().ends_with(
      "set_device_pinned_mem_limit 4711 0 2000M\nget_server_status 4711\nget_server_list\n"));
  Turn();
  EXPECT_TRUE(Runs("lease-1"));
}

TEST_F(Sharing, TheDaemonHasTheLimitsOfItsLargestClient) {
  StartReady(Job("lease-1", 30, 2'000));
  Start(Job("lease-2", 50, 1'000));
  EXPECT_FALSE(Runs("lease-2"));  // the daemon would hold it to 30
  Turn();
  EXPECT_EQ(inner_.TakeCommands(),
            "set_default_active_thread_percentage 50\nset_default_device_pinned_mem_limit 0 2000M\n"
            "set_active_thread_percentage 4711 50\nset_device_pinned_mem_limit 4711 0 "
            "2000M\nget_server_status 4711\nget_server_list\n");
  Turns(2);
  EXPECT_TRUE(Runs("lease-2"));
  EXPECT_EQ(inner_.launches.size(), 3u);  // one daemon, two jobs
  inner_.End("lease-2", EndCause::kExit, 0);
  Turn();
  EXPECT_TRUE(inner_.TakeCommands().starts_with("set_default_active_thread_percentage 30\n"));
}

TEST_F(Sharing, ItQuitsAfterItsLastClientAndLeavesNothing) {
  const std::string daemon = StartReady(Job("lease-1", 30, 2'000));
  inner_.End("lease-1", EndCause::kExit, 0);
  Turn();
  EXPECT_EQ(seen_["lease-1"].phase, AttemptPhase::kExited);
  EXPECT_EQ(inner_.TakeCommands(), "quit -t 5\n");
  inner_.End(daemon, EndCause::kExit, 0);
  Turn();
  EXPECT_FALSE(inner_.attempts.contains(daemon));
  EXPECT_EQ(removed_, "7-1000 ");
  EXPECT_TRUE(inner_.stops.empty());
}

TEST_F(Sharing, OneThatDoesNotQuitIsKilled) {
  const std::string daemon = StartReady(Job("lease-1", 30, 2'000));
  inner_.End("lease-1", EndCause::kExit, 0);
  Turn();
  Turn(kMpsQuitMax.ns / 1'000'000 - 100);
  EXPECT_TRUE(inner_.stops.empty());
  Turn(200);
  EXPECT_EQ(inner_.stops, std::vector<std::string>{daemon});
}

TEST_F(Sharing, NobodyElseStartsOnAGpuBeforeItsDaemonHasGone) {
  const std::string daemon = StartReady(Job("lease-1", 30, 2'000));
  inner_.End("lease-1", EndCause::kExit, 0);
  Turn();
  Start(Job("lease-2", 30, 2'000, true, 1001));
  Start(Job("lease-3", 30, 2'000, false, 1000));
  LaunchSpec whole = Job("lease-4", 100, 0);
  whole.parts.clear();
  Start(whole);
  Start(Job("lease-5", 30, 2'000, true, 1001, 8));  // another GPU
  Turns(5);
  for (const char* key : {"lease-2", "lease-3", "lease-4"}) EXPECT_FALSE(Runs(key)) << key;
  EXPECT_TRUE(Runs("lease-5"));
  inner_.End(daemon, EndCause::kExit, 0);
  Turns(4);
  EXPECT_TRUE(Runs("lease-4") || Runs("lease-3") || Runs("lease-2"));
}

TEST_F(Sharing, ADaemonThatDiesTakesItsClientsAsAFaultOfThePlatform) {
  const std::string daemon = StartReady(Job("lease-1", 30, 2'000));
  Start(Job("lease-2", 30, 2'000));
  Start(Job("lease-9", 30, 2'000, true, 1000, 8));
  Turns(3);
  inner_.End(daemon, EndCause::kExit, 137);
  Turn();
  EXPECT_EQ(inner_.stops, (std::vector<std::string>{"lease-1", "lease-2"}));
  inner_.End("lease-1", EndCause::kStopped, 0);
  inner_.End("lease-2", EndCause::kExit, 1);  // it noticed by itself
  Turn();
  for (const char* key : {"lease-1", "lease-2"}) {
    EXPECT_EQ(seen_[key].cause, EndCause::kPlatformFault) << key;
    EXPECT_EQ(seen_[key].message, "its MPS daemon failed: it died") << key;
  }
  EXPECT_EQ(seen_["lease-9"].phase, AttemptPhase::kRunning);
  // The next client gets another daemon.
  Start(Job("lease-3", 30, 2'000));
  Turns(3);
  EXPECT_TRUE(Runs("lease-3"));
}

TEST_F(Sharing, AFailureIsNotToldBeforeTheDaemonWasAsked) {
  StartReady(Job("lease-1", 30, 2'000));
  inner_.answer = "ACTIVE\n4711\n";
  inner_.End("lease-1", EndCause::kExit, 1);
  Turn();
  EXPECT_EQ(seen_["lease-1"].phase, AttemptPhase::kRunning);
  Turns(3);
  EXPECT_EQ(seen_["lease-1"].phase, AttemptPhase::kExited);  // its own doing
  EXPECT_EQ(seen_["lease-1"].cause, EndCause::kExit);
  EXPECT_EQ(seen_["lease-1"].exit_code, 1);
}

TEST_F(Sharing, WhoseServerDiedDidNotFailByItself) {
  StartReady(Job("lease-1", 30, 2'000));
  inner_.answer = "no such server\n5000\n";  // another one has been started
  inner_.End("lease-1", EndCause::kExit, 1);
  Turns(4);
  EXPECT_EQ(seen_["lease-1"].cause, EndCause::kPlatformFault);
  EXPECT_EQ(seen_["lease-1"].message, "its MPS daemon failed: its server died");
}

// Where the driver reports nothing, any of them may have done it.
TEST_F(Sharing, WhoFallsWithItsNeighboursIsToldApart) {
  StartReady(Job("lease-1", 30, 2'000));
  Start(Job("lease-2", 30, 2'000));
  Turns(3);
  inner_.answer = "FAULT\n4711\n";
  inner_.End("lease-1", EndCause::kExit, 1);
  Turn();
  inner_.End("lease-2", EndCause::kExit, 4);
  Turns(5);
  Turn(3'000);
  Turns(2);
  for (const char* key : {"lease-1", "lease-2"}) {
    EXPECT_EQ(seen_[key].phase, AttemptPhase::kExited) << key;
    EXPECT_TRUE(seen_[key].is_mps_failed) << key;
  }
}

TEST_F(Sharing, WhoFailsWithoutNeighboursFailsByItself) {
  StartReady(Job("lease-1", 30, 2'000));
  inner_.answer = "FAULT\n4711\n";
  inner_.End("lease-1", EndCause::kExit, 1);
  Turns(5);
  Turn(3'000);
  Turns(2);
  EXPECT_EQ(seen_["lease-1"].phase, AttemptPhase::kExited);
  EXPECT_FALSE(seen_["lease-1"].is_mps_failed);
}

TEST_F(Sharing, WhoFailsBesideASoundServerFailsByItself) {
  StartReady(Job("lease-1", 30, 2'000));
  Start(Job("lease-2", 30, 2'000));
  Turns(3);
  inner_.answer = "ACTIVE\n4711\n";
  inner_.End("lease-1", EndCause::kExit, 1);
  Turns(5);
  EXPECT_EQ(seen_["lease-1"].phase, AttemptPhase::kExited);
  EXPECT_FALSE(seen_["lease-1"].is_mps_failed);
}

TEST_F(Sharing, AfterAFatalErrorTheReportOfItComesFirst) {
  StartReady(Job("lease-1", 30, 2'000));
  Start(Job("lease-2", 30, 2'000));
  Turns(3);
  inner_.answer = "FAULT\n4711\n";
  inner_.End("lease-1", EndCause::kExit, 1);
  Turns(5);
  EXPECT_EQ(seen_["lease-1"].phase, AttemptPhase::kRunning);
  sharing_->Stop("lease-1", Duration{});  // the controller knows, and restarts it
  Turn();
  EXPECT_EQ(seen_["lease-1"].phase, AttemptPhase::kExited);
  // Who stays keeps the server from taking anybody: it is made to leave.
  Turn(kMpsLookInterval.ns / 1'000'000);
  Turns(2);
  Turn(kMpsFaultMax.ns / 1'000'000);
  Turns(2);
  EXPECT_TRUE(std::ranges::count(inner_.stops, "lease-2"));
}

TEST_F(Sharing, ADaemonThatDoesNotAnswerIsNoDaemon) {
  inner_.is_silent = true;
  Start(Job("lease-1", 30, 2'000));
  Turns(2);
  Turn(kMpsAnswerMax.ns / 1'000'000 + 100);
  Turn();
  EXPECT_FALSE(Runs("lease-1"));
  EXPECT_EQ(seen_["lease-1"].cause, EndCause::kPlatformFault);
  EXPECT_TRUE(sharing_->Forget("lease-1"));
  Turn();
  EXPECT_FALSE(seen_.contains("lease-1"));
}

TEST_F(Sharing, ADaemonThatCannotBeStartedIsToldAtOnce) {
  disk_fault = "no space";
  const Status started = sharing_->Start(Job("lease-1", 30, 2'000));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message, "its MPS daemon: no space");
  EXPECT_TRUE(sharing_->IsEmpty());
}

TEST_F(Sharing, WhoWaitsForADaemonCanBeStopped) {
  Start(Job("lease-1", 30, 2'000));
  sharing_->Stop("lease-1", Duration{});
  Turns(4);
  EXPECT_EQ(seen_["lease-1"].cause, EndCause::kStopped);
  EXPECT_FALSE(Runs("lease-1"));
}

TEST_F(Sharing, DaemonsAreFoundAgainByALaterAgent) {
  const std::string daemon = StartReady(Job("lease-1", 30, 2'000));
  Open(2);
  Start(Job("lease-2", 20, 1'000));
  Turns(3);
  EXPECT_TRUE(Runs("lease-2"));
  EXPECT_EQ(inner_.launches.size(), 3u);  // the daemon and two jobs: nothing was started again
  inner_.End("lease-1", EndCause::kExit, 0);
  inner_.End("lease-2", EndCause::kExit, 0);
  Turn();
  EXPECT_EQ(inner_.TakeCommands().substr(0, 4), "quit");
}

TEST_F(Sharing, WhatALaterAgentFindsDeadHasTakenItsClients) {
  const std::string daemon = StartReady(Job("lease-1", 30, 2'000));
  inner_.End(daemon, EndCause::kSupervisorLost, 0);
  inner_.End("lease-1", EndCause::kExit, 5);
  Open(2);
  Turn();
  EXPECT_EQ(seen_["lease-1"].cause, EndCause::kPlatformFault);
}

TEST_F(Sharing, WhoUsesMoreMemoryThanGrantedIsEndedForIt) {
  Start(Job("lease-1", 100, 2'000, false));
  Start(Job("lease-2", 100, 2'000, false));
  for (int i = 0; i < 3; ++i) {
    GpuHealth health;
    health.processes = {{1, 1'500}, {1, 601}, {2, 2'100}, {99, 30'000}};
    readings_ = {{health, 0, ""}};
    EXPECT_TRUE(inner_.stops.empty());
    Turn(1'000);
    readings_[0].age_ns = 500'000'000;
    Turn(500);  // the same reading once more: it counts once
  }
  EXPECT_EQ(inner_.stops, std::vector<std::string>{"lease-1"});
  inner_.End("lease-1", EndCause::kStopped, 0);
  Turn();
  EXPECT_EQ(seen_["lease-1"].cause, EndCause::kExit);
  EXPECT_EQ(seen_["lease-1"].signal, SIGKILL);
  EXPECT_TRUE(seen_["lease-1"].is_gpu_memory_used_up);
  EXPECT_EQ(seen_["lease-1"].message,
            "used 2101 MiB of the memory of GPU 0, of which it was granted 2000 MiB");
}

}  // namespace
}  // namespace gp
