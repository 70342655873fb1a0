#pragma once

// What has changed, in order, for those who keep a picture of the whole: dashboards, the terminal,
// scripts.  A change names its object and the state that it has now; whoever wants more asks for
// the object.  The newest are kept, so that a watcher that was cut off goes on where it was.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "adapters/inbound/api/caller.h"
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
  std::string state;   // as lists say it; empty: it is gone
  std::string queue;   // of a job
  User user;           // of a job
};

// Where a watcher stands.
struct FeedPlace {
  uint64_t epoch = 0;   // of the controller that counts: another one begins anew
  uint64_t number = 0;  // of the last change that was seen
};
std::string ToText(const FeedPlace& place);
// "3-1207".  nullopt: it is none.
std::optional<FeedPlace> ParseFeedPlace(std::string_view text);

class ChangeFeed : public CommitObserver {
 public:
  explicit ChangeFeed(size_t kept_max = 20'000) : kept_max_(kept_max) {}

  // After the last change.
  FeedPlace End() const;

  struct Part {
    std::vector<StateChange> changes;
    FeedPlace end;  // behind them
    // Some before them are forgotten, or were another controller's: read everything anew
    bool missed = false;
  };
  // At most `max` of them, and nothing that is not there yet.
  Part After(const FeedPlace& place, size_t max) const;
  // Waits for a change behind the place, at most so long.  False: there was none.
  bool Await(const FeedPlace& place, Duration timeout) const;

  // Called after each commit that changed something, on the writer's thread: it must not wait.
  // Before the first commit.
  void OnNews(std::function<void()> tell) { tell_ = std::move(tell); }
  void OnCommit(const State& state, const std::vector<Event>& events) override;

 private:
  const size_t kept_max_;
  std::function<void()> tell_;
  mutable std::mutex mutex_;
  mutable std::condition_variable grown_;
  uint64_t epoch_ = 0;
  uint64_t last_ = 0;
  std::deque<StateChange> kept_;
};

// Whether the caller may know of it.
bool MaySee(const Caller& caller, const StateChange& change);

}  // namespace gp
