#pragma once

#include <set>
#include <string>
#include <vector>

#include "adapters/inbound/api/streams/change_feed.h"
#include "base/result.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// One caller's position in the change feed.  It passes on changes of the requested kinds that the
// caller may see.  One thread at a time.
class ChangeStream {
 public:
  // kInvalidArgument: `since` or `kinds` is wrong.  The feed outlives the stream.
  static Result<ChangeStream> Open(const ChangeFeed& feed, Caller caller,
                                   const v1::WatchChangesRequest& request);

  // The next changes, up to a limit; empty: none now.
  std::vector<v1::StateChange> Take();
  // Waits for a change.  False: none came within `timeout`.
  bool Await(Duration timeout) const { return feed_->Await(place_, timeout); }
  // The place after all changes that were taken or skipped.
  std::string place() const { return ToText(place_); }
  // Updates the caller, whose roles may have changed.
  void SetCaller(Caller caller) { caller_ = std::move(caller); }

 private:
  ChangeStream(const ChangeFeed& feed, Caller caller) : feed_(&feed), caller_(std::move(caller)) {}

  const ChangeFeed* feed_;
  Caller caller_;
  std::set<FeedKind> kinds_;  // empty: all
  FeedPlace place_;
};

}  // namespace gp
