#include "domain/metering/row_shares.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

UsageKey RowFor(UsageKind kind, const std::string& model = "H100") {
  UsageKey row;
  row.kind = kind;
  row.model = model;
  return row;
}

using Shares = std::vector<std::pair<UsageKey, int64_t>>;

TEST(RowShares, SumsEachRowOnce) {
  RowShares shares;
  shares.Add(RowFor(UsageKind::kIdle, "T4"), 300);
  shares.Add(RowFor(UsageKind::kJobs), 1'000);
  shares.Add(RowFor(UsageKind::kJobs), 500);
  shares.Add(RowFor(UsageKind::kIdle, "T4"), 700);
  shares.Add(RowFor(UsageKind::kJobs), -200);
  EXPECT_EQ(shares.Sum(),
            (Shares{{RowFor(UsageKind::kJobs), 1'300}, {RowFor(UsageKind::kIdle, "T4"), 1'000}}));
  EXPECT_EQ(shares.Sum(), Shares());
}

TEST(RowShares, WhatComesToNothingIsLeftOut) {
  RowShares shares;
  shares.Add(RowFor(UsageKind::kIdle), -1'000);
  shares.Add(RowFor(UsageKind::kJobs), 1'000);
  shares.Add(RowFor(UsageKind::kIdle), 1'000);
  EXPECT_EQ(shares.Sum(), (Shares{{RowFor(UsageKind::kJobs), 1'000}}));
}

TEST(RowShares, ARowWithoutAnyNameIsARow) {
  RowShares shares;
  shares.Add({}, 5);
  EXPECT_EQ(shares.Sum(), (Shares{{{}, 5}}));
}

}  // namespace
}  // namespace gp
