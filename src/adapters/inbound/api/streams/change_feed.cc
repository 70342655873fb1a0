#include "adapters/inbound/api/streams/change_feed.h"

#include <algorithm>
#include <chrono>

namespace gp {
namespace {

// All objects with an id in one map.
uint64_t KeyOf(FeedKind kind, uint64_t id) {
  constexpr int kKindBits = 3;
  return id << kKindBits | static_cast<uint64_t>(kind);
}

}  // namespace

FeedPlace ChangeFeed::End() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

ChangeFeed::Part ChangeFeed::After(const FeedPlace& place, size_t max) const {
  const std::lock_guard lock(mutex_);
  Part part;
  part.end = place;
  part.missed = place.lineage != lineage_ || place < begin_;
  if (part.missed) part.end = end_;
  if (part.missed || place >= end_) return part;
  const auto begin = std::ranges::upper_bound(kept_, place, {}, &Change::place);
  const auto end =
      begin + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(max), kept_.end() - begin);
  for (auto change = begin; change != end; ++change) {
    const Shown& shown = *change->shown;
    if (shown.last != change->place || shown.name.empty()) continue;
    part.changes.push_back(
        {change->place, shown.kind, shown.name, shown.state, shown.queue, shown.user});
  }
  part.end = end == kept_.end() ? end_ : std::prev(end)->place;
  return part;
}

bool ChangeFeed::Await(const FeedPlace& place, Duration timeout) const {
  std::unique_lock lock(mutex_);
  return grown_.wait_for(lock, std::chrono::nanoseconds(timeout.ns),
                         [&] { return place.lineage != lineage_ || place < end_; });
}

void ChangeFeed::OnBegin(const State& state, const CommittedRecords& newest) {
  const std::lock_guard lock(mutex_);
  touched_.Begin(state);
  const bool goes_on =
      lineage_ == state.lineage && end_ == FeedPlace{lineage_, newest.after + 1, 0};
  if (!goes_on) BeginLineage(state.lineage, newest.after + 1);
  Take(state, newest);
}

void ChangeFeed::OnCommit(const State& state, const CommittedRecords& committed) {
  {
    const std::lock_guard lock(mutex_);
    if (!Take(state, committed)) return;
  }
  grown_.notify_all();
  if (tell_) tell_();
}

bool ChangeFeed::Take(const State& state, const CommittedRecords& committed) {
  const FeedPlace before = end_;
  const std::span events(committed.events);
  size_t begin = 0;
  uint64_t sequence = committed.after;
  for (const size_t end : committed.ends) {
    TakeRecord(state, ++sequence, events.subspan(begin, end - begin), before);
    begin = end;
  }
  const bool has_grown = !kept_.empty() && kept_.back().place > before;
  return has_grown || end_.lineage != before.lineage;
}

// `refreshed_from`: an object with a later change shows this state already.
void ChangeFeed::TakeRecord(const State& state, uint64_t sequence, std::span<const Event> events,
                            const FeedPlace& refreshed_from) {
  for (const Event& event : events) {
    const auto* started = std::get_if<ControllerStarted>(&event);
    if (started != nullptr && started->lineage != lineage_)
      BeginLineage(started->lineage, sequence);
  }
  const std::span<const FeedObject> objects = touched_.Of(events);
  FeedPlace place{lineage_, sequence, 0};
  end_ = {lineage_, sequence + 1, 0};
  for (const FeedObject& object : objects) {
    ++place.index;
    if (place.index == objects.size()) place = end_;
    Shown& shown = ShownOf(object);
    if (shown.last <= refreshed_from) Show(state, shown);
    shown.last = place;
    kept_.push_back({place, &shown});
    if (kept_.size() > kept_max_) DropOldest();
  }
}

ChangeFeed::Shown& ChangeFeed::ShownOf(const FeedObject& object) {
  if (HasName(object.kind)) {
    Shown& shown = named_[{object.kind, object.name}];
    shown.kind = object.kind;
    shown.name = object.name;
    return shown;
  }
  Shown& shown = numbered_[KeyOf(object.kind, object.id)];
  shown.kind = object.kind;
  shown.id = object.id;
  return shown;
}

void ChangeFeed::DropOldest() {
  const Change oldest = kept_.front();
  kept_.pop_front();
  const Shown& shown = *oldest.shown;
  if (shown.last != oldest.place) return;
  begin_ = oldest.place;
  if (HasName(shown.kind)) {
    named_.erase(named_.find({shown.kind, shown.name}));
  } else {
    numbered_.erase(numbered_.find(KeyOf(shown.kind, shown.id)));
  }
}

// Numbers given since then mean other objects.
void ChangeFeed::BeginLineage(uint64_t lineage, uint64_t sequence) {
  lineage_ = lineage;
  begin_ = end_ = {lineage, sequence, 0};
  kept_.clear();
  numbered_.clear();
  named_.clear();
}

bool MaySee(const Caller& caller, const StateChange& change) {
  if (change.kind != FeedKind::kJob) return caller.HasSomewhere(Role::kViewer);
  const Role role = caller.In(change.queue);
  return role >= Role::kViewer || (role >= Role::kUser && caller.Owns(change.user));
}

}  // namespace gp
