#pragma once

// One caller's way through the feed of changes: what it asked for, may see, and has not been told
// yet.

#include <set>
#include <string>
#include <vector>

#include "adapters/inbound/api/change_feed.h"
#include "base/result.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

class ChangeStream {
 public:
  // kInvalidArgument: since or kinds.  The feed outlives it.
  static Result<ChangeStream> Open(const ChangeFeed& feed, Caller caller,
                                   const v1::WatchChangesRequest& request);

  // What there is to tell now, a part of it where there is much; empty: nothing.
  std::vector<v1::StateChange> Take();
  // Waits for more, at most so long.
  bool Await(Duration timeout) const { return feed_->Await(place_, timeout); }
  // Behind what was told or passed over.
  std::string place() const { return ToText(place_); }
  // Who calls may have less by now.
  void SetCaller(Caller caller) { caller_ = std::move(caller); }

 private:
  ChangeStream(const ChangeFeed& feed, Caller caller) : feed_(&feed), caller_(std::move(caller)) {}

  const ChangeFeed* feed_;
  Caller caller_;
  std::set<FeedKind> kinds_;  // empty: all
  FeedPlace place_;
};

}  // namespace gp
