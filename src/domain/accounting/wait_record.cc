#include "domain/accounting/wait_record.h"

namespace gp {
namespace {

int64_t HourOf(Instant at) { return at.ns / Duration::Minutes(60).ns; }

}  // namespace

WaitCount& WaitCount::operator+=(const WaitCount& other) {
  started += other.started;
  in_target += other.in_target;
  return *this;
}

void AddStart(WaitRecord& record, Instant at, bool is_in_target) {
  const WaitCount start{1, is_in_target ? 1 : 0};
  record.total += start;
  record.hours[HourOf(at)] += start;
  record.hours.erase(record.hours.begin(), record.hours.upper_bound(HourOf(at) - kWaitHoursKept));
}

WaitCount StartsOf(const WaitRecord& record, Instant at, int64_t hours) {
  WaitCount sum;
  for (auto hour = record.hours.upper_bound(HourOf(at) - hours); hour != record.hours.end(); ++hour)
    sum += hour->second;
  return sum;
}

}  // namespace gp
