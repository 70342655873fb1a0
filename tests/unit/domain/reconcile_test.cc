#include "domain/node/reconcile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = NodeActionKind;

DesiredLease Desired(uint64_t id, StopOrder stop = StopOrder::kNone) {
  DesiredLease desired_lease;
  desired_lease.lease.id = {id};
  desired_lease.lease.stop = stop;
  return desired_lease;
}

std::vector<NodeAction> Act(std::vector<DesiredLease> desired, const std::vector<HeldLease>& held) {
  NodeDesiredState all;
  all.leases = std::move(desired);
  return Reconcile(all, held);
}

constexpr StopOrder kAllOrders[] = {StopOrder::kNone, StopOrder::kGraceful, StopOrder::kKill};

TEST(Reconcile, OrderedAndNotThere) {
  EXPECT_THAT(Act({Desired(1)}, {}), ElementsAre(NodeAction{Kind::kStart, {1}}));
  EXPECT_THAT(Act({Desired(1, StopOrder::kGraceful)}, {}),
              ElementsAre(NodeAction{Kind::kDecline, {1}}));
  EXPECT_THAT(Act({Desired(1, StopOrder::kKill)}, {}),
              ElementsAre(NodeAction{Kind::kDecline, {1}}));
}

TEST(Reconcile, WhatAwaitsPortsIsNotStartedButDeclinedOnceItIsToStop) {
  DesiredLease waiting = Desired(1);
  waiting.awaits_ports = true;
  EXPECT_THAT(Act({waiting}, {}), IsEmpty());
  waiting.lease.stop = StopOrder::kGraceful;
  EXPECT_THAT(Act({waiting}, {}), ElementsAre(NodeAction{Kind::kDecline, {1}}));
}

TEST(Reconcile, ThereAndNotOrderedIsKilledOnce) {
  EXPECT_THAT(Act({}, {{{1}, false, StopOrder::kNone}}), ElementsAre(NodeAction{Kind::kKill, {1}}));
  EXPECT_THAT(Act({}, {{{1}, false, StopOrder::kGraceful}}),
              ElementsAre(NodeAction{Kind::kKill, {1}}));
  EXPECT_THAT(Act({}, {{{1}, false, StopOrder::kKill}}), IsEmpty());
}

TEST(Reconcile, EndedAndNotOrderedIsForgotten) {
  for (const StopOrder stop : kAllOrders) {
    EXPECT_THAT(Act({}, {{{1}, true, stop}}), ElementsAre(NodeAction{Kind::kForget, {1}}));
  }
}

TEST(Reconcile, EndedAndStillOrderedWaitsForTheController) {
  for (const StopOrder ordered : kAllOrders) {
    EXPECT_THAT(Act({Desired(1, ordered)}, {{{1}, true, StopOrder::kNone}}), IsEmpty());
  }
}

TEST(Reconcile, StopsOnlyEverGetStronger) {
  for (const StopOrder ordered : kAllOrders) {
    for (const StopOrder done : kAllOrders) {
      const auto actions = Act({Desired(1, ordered)}, {{{1}, false, done}});
      if (ordered <= done) {
        EXPECT_THAT(actions, IsEmpty());
      } else {
        const Kind kind = ordered == StopOrder::kKill ? Kind::kKill : Kind::kStop;
        EXPECT_THAT(actions, ElementsAre(NodeAction{kind, {1}}));
      }
    }
  }
}

TEST(Reconcile, EachLeaseOnItsOwnInOrder) {
  EXPECT_THAT(Act({Desired(4), Desired(2)},
                  {{{3}, true, StopOrder::kNone}, {{1}, false, StopOrder::kNone}}),
              ElementsAre(NodeAction{Kind::kKill, {1}}, NodeAction{Kind::kStart, {2}},
                          NodeAction{Kind::kForget, {3}}, NodeAction{Kind::kStart, {4}}));
}

}  // namespace
}  // namespace gp
