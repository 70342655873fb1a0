#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "application/access/caller.h"
#include "base/result.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

enum class FeedKind { kJob, kNode, kQueue, kReservation, kIncident };
const char* Name(FeedKind kind);
std::optional<FeedKind> ParseFeedKind(std::string_view text);

struct StateChange {
  uint64_t number = 0;
  FeedKind kind = FeedKind::kJob;
  std::string object;  // "job-7", a name
  std::string state;   // as lists show it; empty: removed
  std::string queue;   // of a job
  User user;           // of a job
};

// A watcher's position in the feed.
struct FeedPlace {
  uint64_t epoch = 0;   // of the controller; numbers start again with each epoch
  uint64_t number = 0;  // of the last change seen
};
std::string ToText(const FeedPlace& place);
// Parses "3-1207".  nullopt: malformed.
std::optional<FeedPlace> ParseFeedPlace(std::string_view text);

// The changes of all objects in order, for clients that keep a picture of the cluster: dashboards,
// the terminal, scripts.  A change has only its object and the object's current state; a client
// requests the object for details.  The feed keeps the newest changes, so that a disconnected
// client can resume.  Any thread.
class ChangeFeed : public CommitObserver {
 public:
  explicit ChangeFeed(size_t kept_max = 20'000) : kept_max_(kept_max) {}

  // The place after the last change.
  FeedPlace End() const;

  struct Part {
    std::vector<StateChange> changes;
    FeedPlace end;  // after them
    // Earlier changes are dropped or of another epoch: the client must read everything again
    bool missed = false;
  };
  // At most `max` changes after the place; does not wait.
  Part After(const FeedPlace& place, size_t max) const;
  // Waits for a change after the place.  False: none came within `timeout`.
  bool Await(const FeedPlace& place, Duration timeout) const;

  // `tell` runs after each commit with changes, on the writer's thread, and must not wait.  Set it
  // before the first commit.
  void OnNews(std::function<void()> tell) { tell_ = std::move(tell); }
  void OnCommit(const State& state, const CommittedRecords& committed) override;

 private:
  const size_t kept_max_;
  std::function<void()> tell_;
  mutable std::mutex mutex_;
  mutable std::condition_variable grown_;
  uint64_t epoch_ = 0;
  uint64_t last_ = 0;
  std::deque<StateChange> kept_;
};

// Whether the caller may see the changed object.
bool MaySee(const Caller& caller, const StateChange& change);

}  // namespace gp
