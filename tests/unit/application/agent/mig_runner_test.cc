#include "application/agent/mig_runner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/application/agent/played_runner.h"

namespace gp {
namespace {

// The driver's part, played: an instance is there when the test says so.
class PlayedInstances : public MigInstances {
 public:
  std::optional<Result<MigDevice>> Make(const std::string& key, const MigPart&) override {
    const auto [asked, is_new] = made.try_emplace(key);
    if (is_new) calls += "make " + key + ";";
    return asked->second;
  }
  void Remove(const std::string& key, const MigPart& part) override {
    made.erase(key);
    calls += "remove " + key + " " + std::to_string(part.gpu) + ":" + std::to_string(part.start) +
             "+" + std::to_string(part.slices) + ";";
  }
  void KeepOnly(int gpu, const std::vector<MigPart>& parts) override {
    calls += "keep " + std::to_string(gpu) + ":";
    for (const MigPart& part : parts)
      calls += " " + std::to_string(part.start) + "+" + std::to_string(part.slices);
    calls += ";";
  }
  int EventDescriptor() const override { return event_fd_; }
  void ClearEvents() override {
    uint64_t drained = 0;
    (void)!read(event_fd_, &drained, sizeof drained);
  }

  std::string TakeCalls() { return std::exchange(calls, ""); }

  std::map<std::string, std::optional<Result<MigDevice>>> made;
  std::string calls;

 private:
  int event_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
};

class Mig : public testing::Test {
 protected:
  Mig() { Open({}); }
  void Open(const std::vector<int>& divided) {
    runner_ = std::make_unique<MigRunner>(divided, instances_, inner_);
  }

  static LaunchSpec Job(const std::string& key, int start, int slices, int gpu = 0) {
    LaunchSpec spec;
    spec.key = key;
    spec.devices = {{195, 7}};
    spec.environment = {"A=1", "CUDA_VISIBLE_DEVICES=GPU-7", "NVIDIA_VISIBLE_DEVICES=GPU-7"};
    spec.mig = {.gpu = gpu, .profile = 9, .start = start, .slices = slices};
    return spec;
  }
  void Made(const std::string& key, int instance = 3) {
    instances_.made[key] = MigDevice{"MIG-" + key, instance, {{510, 30}, {510, 31}}};
  }
  void StartMade(const LaunchSpec& spec, int instance = 3) {
    ASSERT_TRUE(runner_->Start(spec));
    Made(spec.key, instance);
    (void)runner_->Observe();
    ASSERT_TRUE(inner_.attempts.contains(spec.key));
  }
  AttemptStatus Seen(const std::string& key) {
    for (AttemptStatus& status : runner_->Observe()) {
      if (status.key == key) return status;
    }
    ADD_FAILURE() << key << " is not known";
    return {};
  }
  bool Runs(const std::string& key) const { return inner_.attempts.contains(key); }

  PlayedRunner inner_;
  PlayedInstances instances_;
  std::unique_ptr<MigRunner> runner_;
};

TEST_F(Mig, OthersPassThrough) {
  LaunchSpec spec = Job("lease-1", 0, 0);
  ASSERT_TRUE(runner_->Start(spec));
  EXPECT_TRUE(Runs("lease-1"));
  EXPECT_EQ(inner_.launches[0].environment, spec.environment);
  EXPECT_EQ(instances_.TakeCalls(), "");
}

TEST_F(Mig, AnAttemptStartsInItsInstanceWhenThatIsThere) {
  ASSERT_TRUE(runner_->Start(Job("lease-1", 4, 4)));
  EXPECT_EQ(Seen("lease-1").phase, AttemptPhase::kStarting);
  EXPECT_FALSE(Runs("lease-1"));
  EXPECT_FALSE(runner_->Start(Job("lease-1", 4, 4)));
  EXPECT_FALSE(runner_->Exec("lease-1", {}));
  runner_->Renew("lease-1", 77);
  Made("lease-1", 2);
  EXPECT_EQ(Seen("lease-1").phase, AttemptPhase::kRunning);
  ASSERT_EQ(inner_.launches.size(), 1u);
  const LaunchSpec& launch = inner_.launches[0];
  EXPECT_EQ(launch.environment, (std::vector<std::string>{"A=1", "CUDA_VISIBLE_DEVICES=MIG-lease-1",
                                                          "NVIDIA_VISIBLE_DEVICES=MIG-lease-1"}));
  EXPECT_EQ(launch.devices, (std::vector<DeviceNumber>{{195, 7}, {510, 30}, {510, 31}}));
  EXPECT_EQ(launch.lease_deadline_boot_ns, 77);
  EXPECT_EQ(launch.mig.instance, 2);
  EXPECT_EQ(instances_.TakeCalls(), "make lease-1;");
}

TEST_F(Mig, ItsEndLeavesTheInstanceToBeRemovedOnce) {
  StartMade(Job("lease-1", 4, 4));
  instances_.TakeCalls();
  inner_.End("lease-1", EndCause::kExit, 0);
  EXPECT_EQ(Seen("lease-1").phase, AttemptPhase::kExited);
  (void)runner_->Observe();
  EXPECT_EQ(instances_.TakeCalls(), "remove lease-1 0:4+4;");
  EXPECT_TRUE(runner_->Forget("lease-1"));
  EXPECT_TRUE(runner_->IsEmpty());
}

TEST_F(Mig, WhatTheDriverRefusesIsAFaultOfThePlatform) {
  ASSERT_TRUE(runner_->Start(Job("lease-1", 0, 4)));
  instances_.made["lease-1"] = Fail(Conflict("a program uses it"));
  const AttemptStatus seen = Seen("lease-1");
  EXPECT_EQ(seen.phase, AttemptPhase::kExited);
  EXPECT_EQ(seen.cause, EndCause::kPlatformFault);
  EXPECT_EQ(seen.message, "a program uses it");
  EXPECT_EQ(instances_.TakeCalls(), "make lease-1;remove lease-1 0:0+4;");
  EXPECT_FALSE(Runs("lease-1"));
  EXPECT_TRUE(runner_->Forget("lease-1"));
  EXPECT_TRUE(runner_->IsEmpty());
}

TEST_F(Mig, StoppedWhileItWaitsItNeverStarts) {
  ASSERT_TRUE(runner_->Start(Job("lease-1", 0, 4)));
  runner_->Stop("lease-1", Duration{});
  EXPECT_EQ(Seen("lease-1").cause, EndCause::kStopped);
  Made("lease-1");
  (void)runner_->Observe();
  EXPECT_FALSE(Runs("lease-1"));
  EXPECT_EQ(instances_.TakeCalls(), "make lease-1;remove lease-1 0:0+4;");
}

TEST_F(Mig, ThePlaceOfOneThatEndedMayHaveItsNextTenantAlready) {
  StartMade(Job("lease-1", 0, 4));
  inner_.End("lease-1", EndCause::kExit, 0);
  // The agent starts again: the end was reported, and the place granted again, before it was
  // forgotten here.
  inner_.attempts["lease-2"] = inner_.attempts["lease-1"];
  inner_.attempts["lease-2"].key = "lease-2";
  inner_.attempts["lease-2"].phase = AttemptPhase::kRunning;
  instances_.TakeCalls();
  Open({0, 5});
  EXPECT_EQ(instances_.TakeCalls(), "keep 0: 0+4;keep 5:;");
  (void)runner_->Observe();
  EXPECT_EQ(instances_.TakeCalls(), "");
}

TEST_F(Mig, KnowsWhoseAnInstanceIs) {
  StartMade(Job("lease-1", 0, 4), 1);
  StartMade(Job("lease-2", 4, 4), 2);
  StartMade(Job("lease-3", 4, 4, 1), 2);
  EXPECT_EQ(runner_->AttemptIn(0, 1), "lease-1");
  EXPECT_EQ(runner_->AttemptIn(0, 2), "lease-2");
  EXPECT_EQ(runner_->AttemptIn(1, 2), "lease-3");
  EXPECT_EQ(runner_->AttemptIn(1, 1), "");
  inner_.End("lease-1", EndCause::kExit, 0);
  (void)runner_->Observe();
  EXPECT_EQ(runner_->AttemptIn(0, 1), "");
}

}  // namespace
}  // namespace gp
