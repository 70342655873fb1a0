#pragma once

// Where the time of GPUs went.  Each row is what one queue's user, or nobody, had of the GPUs of one model and pool on
// one day at one price.  All rows of a time together are the time of all GPUs there were: nothing is left out, nothing
// counts twice.

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/time.h"
#include "domain/metering/money.h"

namespace gp {

enum class UsageKind {
  kJobs,        // granted to jobs
  kRepeated,    // nobody's: granted to jobs, and lost by faults of the platform; it has to be done again
  kIdle,        // could have been granted, whole
  kFragment,    // the rest of a GPU that others have a part of
  kFaulty,      // out of service by a fault, or being tested after one
  kMaintained,  // taken out, or drained, by a person
};

const char* Name(UsageKind kind);

struct UsageKey {
  int64_t day = 0;  // since 1970, UTC
  UsageKind kind = UsageKind::kIdle;
  std::string pool;
  std::string model;
  Price price;
  std::string queue;  // empty: nobody's
  std::string user;
  auto operator<=>(const UsageKey&) const = default;
};

inline constexpr Duration kDay = Duration::Minutes(24 * 60);

int64_t DayOf(Instant at);

class UsageBook {
 public:
  // So much from one instant until another, in each day's row; `key.day` does not matter.  Instants count as the whole
  // millisecond they lie in, so that spans that meet leave nothing out.
  void Add(UsageKey key, Instant from, Instant until, int64_t share);
  void Add(const UsageKey& key, GpuTime time);

  const std::map<UsageKey, GpuTime>& rows() const { return rows_; }
  // What there was of each pool and model on days before it, and is no longer in the book.
  std::map<std::pair<std::string, std::string>, GpuTime> Forget(int64_t first_day_kept);
  bool operator==(const UsageBook&) const = default;

 private:
  std::map<UsageKey, GpuTime> rows_;  // none is 0
};

// By what rows are put together.
struct UsageBy {
  bool day = false, kind = true, pool = false, model = false, queue = false, user = false;
};

struct UsageSum {
  GpuTime time;
  Money money;
};

// Rows of days from `first` to `last`, put together: what does not count is empty in their keys, the price always.
std::map<UsageKey, UsageSum> SumBy(const UsageBook& book, const UsageBy& by, int64_t first, int64_t last);

}  // namespace gp
