#include "cmd/text/xid_text.h"

#include <gtest/gtest.h>

#include <set>

namespace gp {
namespace {

TEST(XidText, EveryActionHasWordsOfItsOwn) {
  std::set<std::string> jobs, gpus;
  for (int action = 0; action <= static_cast<int>(TenantAction::kRestartAll); ++action)
    jobs.insert(JobsText({static_cast<TenantAction>(action)}));
  for (int remedy = 0; remedy <= static_cast<int>(GpuRemedy::kReboot); ++remedy)
    gpus.insert(GpuText({TenantAction::kNone, static_cast<GpuRemedy>(remedy)}));
  gpus.insert(GpuText({TenantAction::kNone, GpuRemedy::kNone, true}));
  gpus.insert(GpuText(kUnknownXid));
  EXPECT_EQ(jobs.size(), 6u);
  EXPECT_EQ(gpus.size(), 10u);
  EXPECT_FALSE(jobs.contains("?"));
  EXPECT_FALSE(gpus.contains("?"));
}

TEST(XidText, WhatTheTextDecidesIsSaidSo) {
  const XidRule rule{TenantAction::kNone, GpuRemedy::kNone, false, false, true};
  EXPECT_TRUE(JobsText(rule).starts_with("as the report's text says"));
  EXPECT_TRUE(GpuText(rule).starts_with("as the report's text says"));
  EXPECT_TRUE(JobsText(rule, 154).starts_with("as the driver asks"));
  EXPECT_TRUE(GpuText(rule, 154).starts_with("as the driver asks"));
}

TEST(XidText, ProductsAreListed) {
  EXPECT_EQ(ProductsText("a100+h100+b100+gb200"), "A100, H100, B100, GB200");
  EXPECT_EQ(ProductsText("h100"), "H100");
  EXPECT_EQ(ProductsText(""), "");
}

TEST(XidText, MilderIsLessForAnybody) {
  const XidRule reset{TenantAction::kRestartAll, GpuRemedy::kReset};
  EXPECT_FALSE(IsMilder(reset, reset));
  EXPECT_TRUE(IsMilder({TenantAction::kNote, GpuRemedy::kReset}, reset));
  EXPECT_TRUE(IsMilder({TenantAction::kRestartAll, GpuRemedy::kWatch}, reset));
  EXPECT_FALSE(IsMilder({TenantAction::kRestartAll, GpuRemedy::kReboot}, reset));
  const XidRule always{TenantAction::kForgive, GpuRemedy::kOperator};
  EXPECT_TRUE(IsMilder(kUnknownXid, always));
  EXPECT_FALSE(IsMilder(always, kUnknownXid));
}

}  // namespace
}  // namespace gp
