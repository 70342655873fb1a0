// Every node of a large cluster reports a fatal error of a GPU within half a minute, to the
// production control loop on its journal.  The nodes are played in this process (fleet.h); 150 in
// the test, 1,500 by GP_STORM_NODES=1500.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "adapters/inbound/xid_catalogue/xid_catalogue.h"
#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "application/control/control_loop.h"
#include "infrastructure/system_clock.h"
#include "tests/chaos/storm/fleet.h"

namespace gp {
namespace {

int Number(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

struct Times {
  std::vector<int64_t> ns;
  void Add(Instant from, Instant to) { ns.push_back((to - from).ns); }
  void Print(const char* what) {
    std::ranges::sort(ns);
    const auto at = [&](int percent) {
      return static_cast<double>(ns[(ns.size() - 1) * static_cast<size_t>(percent) / 100]) / 1e6;
    };
    std::printf("  %-28s p50 %8.1f ms  p90 %8.1f ms  p99 %8.1f ms  max %8.1f ms  (%zu)\n", what,
                at(50), at(90), at(99), at(100), ns.size());
  }
};

class Storm : public testing::Test {
 protected:
  void SetUp() override {
    const char* base = std::getenv("BENCH_DIRECTORY");
    directory_ = std::string(base == nullptr ? "/var/tmp" : base) + "/gp-storm-XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    journal_ = *SqliteJournal::Open(directory_ + "/journal.db");
  }
  void TearDown() override {
    // The fleet observes the loop, and outlives its last commit.
    if (loop_) loop_->Stop();
    fleet_.reset();
    loop_.reset();
    journal_.reset();
    std::filesystem::remove_all(directory_);
  }
  void Begin(int breaker_percent) {
    ControlOptions options;
    options.policy.faults.xids = XidRules();
    options.policy.faults.breaker_percent = breaker_percent;
    loop_ = *ControlLoop::Open(*journal_, clock_, options);
    fleet_ = std::make_unique<Fleet>(*loop_, clock_);
    loop_->AddObserver(fleet_.get());
    loop_->Start();
    fleet_->Join(nodes_);
    fleet_->Run(nodes_ * 2);
    fleet_->Strike(nodes_, Duration{Duration::Seconds(30).ns * nodes_ / 1500},
                   Duration::Minutes(2));
  }
  // All are out, and all their jobs run again.
  void CheckAndTell() {
    Times out;
    Times queued;
    Times running;
    ASSERT_EQ(fleet_->stricken().size(), static_cast<size_t>(nodes_));
    for (const auto& [gpu, one] : fleet_->stricken()) {
      ASSERT_NE(one.taken_out.ns, 0) << "node " << gpu.first;
      out.Add(one.reported, one.taken_out);
      if (one.job.value == 0) continue;
      ASSERT_NE(one.running.ns, 0) << "node " << gpu.first;
      queued.Add(one.reported, one.queued);
      running.Add(one.reported, one.running);
    }
    out.Print("error to quarantine");
    queued.Print("error to job queued again");
    running.Print("error to job running again");
  }

  const int nodes_ = Number("GP_STORM_NODES", 150);
  std::string directory_;
  SystemClock clock_;
  std::unique_ptr<SqliteJournal> journal_;
  std::unique_ptr<ControlLoop> loop_;
  std::unique_ptr<Fleet> fleet_;
};

TEST_F(Storm, PastTheBreakerNothingIsResetOrDrainedAndOnePersonIsAsked) {
  Begin(Policy().faults.breaker_percent);
  CheckAndTell();
  const int gpus = nodes_ * kFleetGpus;
  std::printf("  %d of %d GPUs taken out; %d resets by itself, breaker opened %d time(s)\n", nodes_,
              gpus, fleet_->resets(), fleet_->breakers());
  EXPECT_EQ(fleet_->breakers(), 1);
  EXPECT_LE(fleet_->resets() * 100, gpus * Policy().faults.breaker_percent);
  EXPECT_EQ(fleet_->drains(), 0);
  int asking = 0;
  ASSERT_TRUE(loop_->Read([&](const State& state) {
    for (const auto& [id, incident] : state.faults.incidents)
      asking += incident.needs_person && incident.state == IncidentState::kOpen ? 1 : 0;
  }));
  EXPECT_EQ(asking, 1);
}

TEST_F(Storm, WithoutABreakerAllAreResetTestedAndBack) {
  Begin(100);
  CheckAndTell();
  EXPECT_TRUE(fleet_->AwaitAllBack(Duration::Minutes(2)));
  EXPECT_EQ(fleet_->resets(), nodes_);
  EXPECT_EQ(fleet_->breakers(), 0);
}

}  // namespace
}  // namespace gp
