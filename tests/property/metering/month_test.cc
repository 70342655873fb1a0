// A month's book against a plain count of the same month, to the unit: thousandths of GPUs times
// milliseconds, and these times prices.  GP_MONTHS chooses how many months.

#include "tests/property/metering/month.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "domain/cluster/metering.h"

namespace gp {
namespace {

uint64_t Months() {
  const char* text = std::getenv("GP_MONTHS");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

PlainUse UseOfRows(const UsageLedger& ledger, UsageKind kind) {
  PlainUse use;
  for (const auto& [row, time] : ledger.rows) {
    if (row.kind == kind) use.Add(time.units, row.price.micros);
  }
  return use;
}

void Compare(const Month& month) {
  const UsageLedger ledger = month.state().metering.used.LedgerAt(month.now());
  PlainUse sum;
  for (const UsageKind kind : {UsageKind::kJobs, UsageKind::kRepeated, UsageKind::kIdle,
                               UsageKind::kFragment, UsageKind::kFaulty, UsageKind::kMaintained}) {
    const PlainUse seen = UseOfRows(ledger, kind);
    const auto counted = month.truth().kinds().find(kind);
    EXPECT_TRUE(counted != month.truth().kinds().end() && seen == counted->second) << Name(kind);
    EXPECT_GT(seen.time, 0) << Name(kind) << ": a month without it proves nothing of it";
    sum.time += seen.time;
    sum.money += seen.money;
  }
  EXPECT_TRUE(sum == month.truth().all()) << "jobs, idle and lost are not all the time there was";
  PlainUse had;
  for (const auto& [id, job] : month.state().jobs.all) {
    const JobUse use = UseOf(month.state(), job, month.now());
    const auto counted = month.truth().jobs().find(id);
    const PlainJob truth = counted == month.truth().jobs().end() ? PlainJob() : counted->second;
    EXPECT_TRUE(use.time.units == truth.had.time && use.money.exact == truth.had.money)
        << ToText(id);
    EXPECT_TRUE(use.repeated.units == truth.repeated.time &&
                use.repeated_money.exact == truth.repeated.money)
        << ToText(id) << ", what faults threw away";
    had.time += use.time.units;
    had.money += use.money.exact;
  }
  EXPECT_TRUE(had == UseOfRows(ledger, UsageKind::kJobs))
      << "jobs had something else than the book says";
}

TEST(MonthsOfACluster, AddUpToTheUnit) {
  for (uint64_t seed = 1; seed <= Months(); ++seed) {
    SCOPED_TRACE(seed);
    Month month(seed);
    month.Run(Duration::Minutes(30 * 24 * 60));
    for (const std::string& broken : month.cluster().broken()) ADD_FAILURE() << broken;
    Compare(month);
    const PlainUse& all = month.truth().all();
    const MonthFigures& figures = month.figures();
    Money money;
    money.exact = all.money;
    std::printf("  seed %lu: %d jobs, %d preempted, %d faults, %d checkpoints; %s GPU-hours, %s\n",
                seed, figures.jobs, figures.preempted, figures.faults, figures.checkpoints,
                ToGpuHours({all.time}).c_str(), ToText(money).c_str());
    EXPECT_GT(figures.preempted, 0);
    EXPECT_GT(figures.checkpoints, 0);
    EXPECT_TRUE(seed > 1 || month.cluster().ReplayAgrees());
  }
}

}  // namespace
}  // namespace gp
