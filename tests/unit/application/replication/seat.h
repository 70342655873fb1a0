#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "application/control/control_loop.h"
#include "application/replication/log/shared_journal.h"
#include "application/replication/standby.h"
#include "domain/cluster/codec/codec.h"

namespace gp {

// Another controller may lead, but the tests do not wait for proofs.
class Proven : public Leadership {
 public:
  void WhenProven(std::function<void()> then) override { then(); }
  Status Await() override { return Ok(); }
};

struct Ended {};

// One controller with a journal and clocks of its own.
struct Seat {
  Seat(QuorumStore& store, const std::string& seat)
      : name(seat),
        log(store, StoreKeys("test")),
        key(store, StoreKeys("test"), seat, Duration::Seconds(2)) {
    clock.Reboot(seat, Duration::Seconds(1));
    Restart();
  }
  void Restart() {
    loop.reset();
    replica.emplace(log, journal, clock, Replica::Keeping{});
    standby.emplace(log, key, *replica, clock, Member{.name = name});
    EXPECT_TRUE(replica->Recover());
  }
  Result<Standby::Role> Turn() {
    Result<Standby::Role> role = standby->Turn();
    while (role && *role == Standby::Role::kIsLate) role = standby->Turn();
    return role;
  }
  // REQUIRES: the turn said so.
  Status Lead() {
    writer.emplace(log, key.term(), standby->head(), [](int tries) { return tries < 3; });
    shared.emplace(*writer, journal, [this](Instant now) { return standby->TellOfItself(now); });
    ControlOptions options;
    options.by_hand = true;
    options.leadership = &leadership;
    options.end_process = [] { throw Ended(); };
    options.records_per_snapshot = records_per_snapshot;
    auto opened = ControlLoop::Open(*shared, clock, options, replica->TakeState());
    if (!opened) return Fail(opened.error());
    loop = *std::move(opened);
    return Ok();
  }
  void SetQueue(const std::string& queue) {
    gp::SetQueue set;
    set.name = queue;
    EXPECT_TRUE(loop->Execute("user:root", "", set).status);
  }
  uint64_t Digest() {
    uint64_t digest = 0;
    EXPECT_TRUE(loop->Read([&](const State& state) { digest = StateDigest(state); }));
    return digest;
  }
  Instant Time() {
    Instant at;
    EXPECT_TRUE(loop->Read([&](const State&) { at = loop->Now(); }));
    return at;
  }

  const std::string name;
  uint64_t records_per_snapshot = 50'000;  // of its lead
  ManualClock clock;
  MemoryJournal journal;
  Proven leadership;
  SharedLog log;
  LeaderKey key;
  std::optional<Replica> replica;
  std::optional<Standby> standby;
  std::optional<LogWriter> writer;
  std::optional<SharedJournal> shared;
  std::unique_ptr<ControlLoop> loop;
};

}  // namespace gp
