#include "adapters/inbound/api/streams/change_stream.h"

#include "adapters/inbound/api/control_api.h"
#include "base/ignore_result.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kPartMax = 500;
constexpr Duration kLookAgain =
    Duration::Milliseconds(500);  // interval of checks that the caller is still there

}  // namespace

Result<ChangeStream> ChangeStream::Open(const ChangeFeed& feed, Caller caller,
                                        const v1::WatchChangesRequest& request) {
  ChangeStream stream(feed, std::move(caller));
  for (const std::string& text : request.kinds()) {
    const auto kind = ParseFeedKind(text);
    if (!kind)
      return Fail(InvalidArgument("kinds: \"" + Printable(text, 60) +
                                  "\" is none of job, node, queue, reservation, incident"));
    stream.kinds_.insert(*kind);
  }
  const auto since =
      request.since().empty() ? std::optional(feed.End()) : ParseFeedPlace(request.since());
  if (!since)
    return Fail(InvalidArgument("since: \"" + Printable(request.since(), 60) +
                                "\" is not the id of a change: LINEAGE-RECORD.OBJECTS"));
  stream.place_ = *since;
  return stream;
}

std::vector<v1::StateChange> ChangeStream::Take() {
  std::vector<v1::StateChange> changes;
  // Skips changes that are not for this caller, until there are some or the feed ends.
  bool goes_on = true;
  while (changes.empty() && goes_on) {
    const ChangeFeed::Part part = feed_->After(place_, kPartMax);
    goes_on = part.end != place_;
    place_ = part.end;
    if (part.missed) {
      v1::StateChange& change = changes.emplace_back();
      change.set_id(ToText(place_));
      change.set_kind("missed");
      break;
    }
    for (const StateChange& one : part.changes) {
      if ((!kinds_.empty() && !kinds_.contains(one.kind)) || !MaySee(caller_, one)) continue;
      v1::StateChange& change = changes.emplace_back();
      change.set_id(ToText(one.place));
      change.set_kind(Name(one.kind));
      change.set_object(one.object);
      change.set_state(one.state);
    }
  }
  return changes;
}

Status ControlApi::WatchChanges(const Caller& caller, const v1::WatchChangesRequest& request,
                                Sink<v1::StateChange>& out) {
  ChangeStream stream = GP_TRY(ChangeStream::Open(changes_, caller, request));
  while (!out.IsGone()) {
    for (const v1::StateChange& change : stream.Take()) {
      if (!out.Write(change)) return Ok();
    }
    IgnoreResult(stream.Await(kLookAgain), "a time-out is checked by the loop");
  }
  return Ok();
}

}  // namespace gp
