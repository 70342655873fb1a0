#include "domain/accounting/account.h"

#include <algorithm>

#include "domain/accounting/decay.h"

namespace gp {

Holding& Holding::operator+=(const Holding& other) {
  share += other.share;
  firm_share += other.firm_share;
  jobs += other.jobs;
  cpus += other.cpus;
  memory_mib += other.memory_mib;
  return *this;
}

void Settle(Account& account, Instant at, const Meter& meter) {
  if (at <= account.as_of) return;
  const Duration elapsed = at - account.as_of;
  account.faded_use = Faded(account.faded_use, elapsed, meter.half_life) +
                      FadedSum(account.held.share, elapsed, meter.half_life);
  const int64_t period = at.ns / meter.period.ns;
  Instant since = account.as_of;
  if (period != account.period) {
    account.period = period;
    account.period_use = 0;
    since = std::max(since, Instant{period * meter.period.ns});
  }
  // Differences of whole milliseconds: repeated settling loses nothing.
  account.period_use += account.held.share * (at.ns / 1'000'000 - since.ns / 1'000'000);
  account.as_of = at;
}

std::vector<std::string> PathsTo(const std::string& queue) {
  std::vector<std::string> paths;
  for (size_t slash = queue.find('/'); slash != std::string::npos;
       slash = queue.find('/', slash + 1)) {
    paths.push_back(queue.substr(0, slash));
  }
  paths.push_back(queue);
  return paths;
}

}  // namespace gp
