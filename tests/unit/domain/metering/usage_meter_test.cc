#include "domain/metering/usage_meter.h"

#include <gtest/gtest.h>

#include <iterator>

namespace gp {
namespace {

constexpr Duration kOneHour = Duration::Minutes(60);
constexpr Instant kMidday{(kOneHour * 12).ns};  // of day 0

UsageKey PlainRow(UsageKind kind, int64_t micros = 2'000'000) {
  UsageKey row;
  row.kind = kind;
  row.pool = "default";
  row.model = "H100";
  row.price.micros = micros;
  return row;
}

GpuTime InHours(int64_t thousandths) { return {kGpuHour.units * thousandths / 1'000}; }

GpuTime TimeOf(const UsageLedger& ledger) {
  GpuTime all;
  for (const auto& [row, time] : ledger.rows) all += time;
  return all;
}

TEST(UsageMeter, RunsUpAtEachRateForAsLongAsItWas) {
  UsageMeter meter;
  meter.Change(PlainRow(UsageKind::kIdle), 8'000, kMidday);
  meter.Change(PlainRow(UsageKind::kIdle), -3'000, kMidday + kOneHour);
  EXPECT_EQ(TimeOf(meter.LedgerAt(kMidday + kOneHour * 2)), InHours(8'000 + 5'000));
  EXPECT_EQ(TimeOf(meter.ledger), InHours(8'000)) << "nobody settles what nothing has happened to";
  meter.Change(PlainRow(UsageKind::kIdle), -5'000, kMidday + kOneHour * 3);
  EXPECT_TRUE(meter.rates.empty());
  EXPECT_EQ(TimeOf(meter.LedgerAt(kMidday + kDay * 9)), InHours(8'000 + 10'000));
}

TEST(UsageMeter, ChangesAtOneInstantLeaveNoTrace) {
  UsageMeter meter;
  meter.Change(PlainRow(UsageKind::kIdle), 1'000, kMidday);
  meter.Change(PlainRow(UsageKind::kIdle), -1'000, kMidday);
  EXPECT_EQ(meter, UsageMeter());
}

TEST(JobUse, WhatWasNotSavedIsForgivenInTheRowsItCameFrom) {
  const UsageKey row = PlainRow(UsageKind::kJobs);
  UsageLedger ledger;
  JobUse use;
  const Instant saved = kMidday + kOneHour * 10;  // two hours before midnight
  const Instant end = saved + kOneHour * 3;
  ledger.Add(row, kMidday, end, 500);
  AddUse(use, row, 500, kMidday, saved);
  use.unsaved.clear();
  AddUse(use, row, 500, saved, end);
  EXPECT_EQ(use.time, InHours(6'500));
  EXPECT_EQ(ToText(use.money), "13.00");
  ASSERT_EQ(use.unsaved.size(), 2u);
  EXPECT_EQ(use.unsaved.begin()->second, InHours(1'000));
  ForgiveUnsaved(use, ledger);
  EXPECT_EQ(use.time, InHours(5'000));
  EXPECT_EQ(ToText(use.money), "10.00");
  EXPECT_EQ(use.repeated, InHours(1'500));
  EXPECT_EQ(ToText(use.repeated_money), "3.00");
  EXPECT_TRUE(use.unsaved.empty());
  EXPECT_EQ(TimeOf(ledger), InHours(6'500));
  UsageKey repeated = PlainRow(UsageKind::kRepeated);
  EXPECT_EQ(ledger.rows.at(repeated), InHours(1'000));
  repeated.day = 1;
  EXPECT_EQ(ledger.rows.at(repeated), InHours(500));
}

}  // namespace
}  // namespace gp
