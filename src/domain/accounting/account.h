#pragma once

// What a queue, user or array holds now and has used before.  GPU time is in thousandths of a GPU
// times milliseconds, shares are in thousandths of a GPU.

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/time.h"
#include "domain/model/ids.h"

namespace gp {

// A queue, or one user in it, or one array of jobs.
struct AccountId {
  std::string queue;  // path; empty: of an array
  std::string user;   // empty: the queue as a whole
  JobId array = {};   // an array with a limit of running elements; 0: of a queue
  auto operator<=>(const AccountId&) const = default;
};
GP_FIELDS(AccountId, v.queue, v.user, v.array)

// What all jobs that count on an account hold.
struct Holding {
  int64_t share = 0;
  int64_t firm_share = 0;  // part of it held by jobs that cannot be preempted
  int64_t jobs = 0;
  int64_t cpus = 0;        // reserved cores
  int64_t memory_mib = 0;  // of hosts

  Holding& operator+=(const Holding& other);
  Holding operator-() const { return {-share, -firm_share, -jobs, -cpus, -memory_mib}; }
  bool operator==(const Holding&) const = default;
};
GP_FIELDS(Holding, v.share, v.firm_share, v.jobs, Since<19>(v.cpus), Since<19>(v.memory_mib))

struct Account {
  Holding held;
  Instant as_of;           // the instant of the sums
  int64_t faded_use = 0;   // all use so far, each part faded by its age
  int64_t period = 0;      // number of the period that as_of lies in
  int64_t period_use = 0;  // use within the period, not faded
  bool operator==(const Account&) const = default;
};
GP_FIELDS(Account, v.held, v.as_of, v.faded_use, v.period, v.period_use)

// How fast use fades, and the length of the periods that limits count.
struct Meter {
  Duration half_life;
  Duration period;
};

// Updates the account's sums to `at`; a time before as_of changes nothing.
void Settle(Account& account, Instant at, const Meter& meter);

// "a/b/c": "a", "a/b", "a/b/c".
std::vector<std::string> PathsTo(const std::string& queue);

}  // namespace gp
