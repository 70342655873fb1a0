#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapters/inbound/api/streams/feed_place.h"
#include "adapters/inbound/api/streams/shown_object.h"
#include "adapters/inbound/api/streams/touched_objects.h"
#include "application/access/caller.h"
#include "base/result.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

struct StateChange {
  FeedPlace place;  // after the change
  FeedKind kind = FeedKind::kJob;
  std::string object;  // "job-7", a name
  std::string state;   // as lists show it; empty: removed
  std::string queue;   // of a job
  User user;           // of a job
};

// The changes of all objects in order, for clients that keep a picture of the cluster: dashboards,
// the terminal, scripts.  A change has only its object and the object's current state; a client
// requests the object for details.  The feed keeps the newest changes, so that a disconnected
// client can resume, at this controller or at another one: their places are the same.  An object
// that changed several times comes once, at the place of its last change.  The feed of a standby
// goes on when it leads.  Any thread.
class ChangeFeed : public CommitObserver {
 public:
  // `kept_max`: at least 1.
  explicit ChangeFeed(size_t kept_max = 100'000) : kept_max_(kept_max) {}

  // The place after all records.
  FeedPlace End() const;

  struct Part {
    std::vector<StateChange> changes;
    // After them, and after what need not come: the place itself if nothing follows it
    FeedPlace end;
    // Earlier changes are dropped or of another lineage: the client must read everything again
    bool missed = false;
  };
  // The changes after the place, of which at most `max` are looked at; does not wait.  After a
  // place that this controller has not reached yet there are none: the client comes from one that
  // is further.
  Part After(const FeedPlace& place, size_t max) const;
  // Waits for what After has not given.  False: nothing came within `timeout`.
  bool Await(const FeedPlace& place, Duration timeout) const;

  // `tell` runs after each commit with changes, on the writer's thread, and must not wait.  Set it
  // before the first commit.
  void OnNews(std::function<void()> tell) { tell_ = std::move(tell); }
  void OnBegin(const State& state, const CommittedRecords& newest) override;
  void OnCommit(const State& state, const CommittedRecords& committed) override;

 private:
  // An object that changed, as it is now.
  struct Shown : ShownObject {
    FeedPlace last;  // of its changes
  };
  struct Change {
    FeedPlace place;
    Shown* shown = nullptr;
  };

  // True: there is something for watchers.
  bool Take(const State& state, const CommittedRecords& committed);
  void TakeRecord(const State& state, uint64_t sequence, std::span<const Event> events,
                  const FeedPlace& refreshed_from);
  Shown& ShownOf(const FeedObject& object);
  void DropOldest();
  void BeginLineage(uint64_t lineage, uint64_t sequence);

  const size_t kept_max_;
  std::function<void()> tell_;
  TouchedObjects touched_;  // the writer's thread

  mutable std::mutex mutex_;  // guards all below
  mutable std::condition_variable grown_;
  uint64_t lineage_ = 0;
  FeedPlace end_;
  // Each object that changed after it has its last change in `kept_`.
  FeedPlace begin_;
  std::deque<Change> kept_;
  // The objects of `kept_`.  Numbered ones are looked up for each event, so they have a hash map.
  std::unordered_map<uint64_t, Shown> numbered_;
  std::map<std::pair<FeedKind, std::string>, Shown> named_;
};

// Whether the caller may see the changed object.
bool MaySee(const Caller& caller, const StateChange& change);

}  // namespace gp
