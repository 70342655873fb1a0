// Feeds of several controllers that apply the records of one generated life: in other batches, and
// from another state on.  Their places agree, and a client may go from one to another.

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "adapters/inbound/api/streams/change_feed.h"
#include "base/rng.h"
#include "domain/cluster/apply/apply.h"
#include "domain/cluster/arrays.h"
#include "tests/property/sequence.h"
#include "tests/support/committed.h"

namespace gp {
namespace {

constexpr size_t kAll = 1'000'000;

// A controller that is somewhere in the records, and the feed of it.
class Follower {
 public:
  Follower(const std::vector<Record>& records, size_t begins_after) : records_(records) {
    while (at_ < begins_after) ApplyNext();
    feed_.OnBegin(state_, {.after = at_});
  }

  void Advance(size_t by) {
    std::vector<std::vector<Event>> batch;
    const uint64_t after = at_;
    for (const size_t until = std::min(at_ + by, records_.size()); at_ < until;) {
      batch.push_back(records_[at_].events);
      ApplyNext();
    }
    if (!batch.empty()) feed_.OnCommit(state_, Committed(after, batch));
  }

  const ChangeFeed& feed() const { return feed_; }
  const State& state() const { return state_; }
  size_t at() const { return at_; }

 private:
  void ApplyNext() {
    const Record& record = records_[at_++];
    for (const Event& event : record.events) Apply(state_, record.envelope.at, event);
  }

  const std::vector<Record>& records_;
  State state_;
  size_t at_ = 0;
  ChangeFeed feed_;
};

std::set<std::string> JobsIn(const State& state) {
  std::set<std::string> names;
  for (const auto& [id, job] : state.jobs.all) names.insert(NameOf(job));
  return names;
}

// Place and object of each change, with what it shows.  Without jobs that were forgotten: one that
// came and went in a single batch has no name there.
std::map<std::string, std::string> TextsOf(const std::vector<StateChange>& changes,
                                           const std::set<std::string>& jobs) {
  std::map<std::string, std::string> texts;
  for (const StateChange& change : changes) {
    if (change.kind == FeedKind::kJob && !jobs.contains(change.object)) continue;
    texts[std::string(Name(change.kind)) + " " + change.object] =
        ToText(change.place) + " " + change.state;
  }
  return texts;
}

// What a client has received last of each object.
using Picture = std::map<std::pair<FeedKind, std::string>, std::string>;

// A client that goes from one controller to another, at any time.
struct Wanderer {
  FeedPlace place;
  Picture picture;

  void Read(const ChangeFeed& feed, size_t max) {
    const ChangeFeed::Part part = feed.After(place, max);
    ASSERT_FALSE(part.missed) << ToText(place);
    ASSERT_GE(part.end, place);
    FeedPlace before = place;
    for (const StateChange& change : part.changes) {
      ASSERT_GT(change.place, before) << "in order, and nothing twice";
      before = change.place;
      picture[{change.kind, change.object}] = change.state;
    }
    ASSERT_LE(before, part.end);
    // A connection that breaks in the middle: it has what came before.
    const size_t count = part.changes.size();
    place = count > 1 ? part.changes[count / 2].place : part.end;
  }
  void ReadAll(const ChangeFeed& feed) {
    while (place != feed.End() && !testing::Test::HasFatalFailure()) Read(feed, kAll);
  }
};

Picture PictureOf(const State& state) {
  Picture picture;
  for (const auto& [id, job] : state.jobs.all)
    picture[{FeedKind::kJob, NameOf(job)}] = Name(job.state);
  for (const Node& node : state.nodes.all)
    picture[{FeedKind::kNode, node.facts->name}] = Name(node.condition);
  for (const auto& [name, queue] : state.queues.all) picture[{FeedKind::kQueue, name}] = "PRESENT";
  for (const auto& [name, reservation] : state.reservations.all)
    picture[{FeedKind::kReservation, name}] = "PRESENT";
  for (const auto& [id, incident] : state.faults.incidents)
    picture[{FeedKind::kIncident, ToText(id)}] = Name(incident.state);
  return picture;
}

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::vector<Record> RecordsOf(uint64_t seed) {
  Sequence sequence(seed);
  sequence.RunSteps();
  return sequence.ledger().records();
}

void ComparePlaces(const std::vector<Record>& records, Rng& rng) {
  Follower single(records, 0);
  const size_t later = rng.Below(records.size());
  Follower batched(records, rng.Chance(1, 2) ? 0 : later);
  single.Advance(batched.at());
  while (batched.at() < records.size()) {
    const FeedPlace before = batched.feed().End();
    ASSERT_EQ(single.feed().End(), before);
    std::vector<StateChange> one_by_one;
    FeedPlace seen = before;
    const size_t count = 1 + rng.Below(40);
    batched.Advance(count);
    while (single.at() < batched.at()) {
      single.Advance(1);
      const ChangeFeed::Part part = single.feed().After(seen, kAll);
      one_by_one.insert(one_by_one.end(), part.changes.begin(), part.changes.end());
      seen = part.end;
    }
    const auto jobs = JobsIn(batched.state());
    const auto batch = TextsOf(batched.feed().After(before, kAll).changes, jobs);
    ASSERT_EQ(batch, TextsOf(single.feed().After(before, kAll).changes, jobs));
    // Of each object the place of its last change, whoever read in between
    const auto places = TextsOf(one_by_one, jobs);
    ASSERT_EQ(batch.size(), places.size());
    for (const auto& [object, text] : places) {
      ASSERT_TRUE(batch.contains(object)) << object;
      ASSERT_EQ(batch.at(object), text) << object;
    }
  }
}

void Wander(const std::vector<Record>& records, Rng& rng) {
  std::vector<std::unique_ptr<Follower>> followers;
  const size_t begins_after = rng.Below(records.size() / 2);
  for (int i = 0; i < 3; ++i)
    followers.push_back(std::make_unique<Follower>(records, rng.Below(begins_after + 1)));
  followers.front()->Advance(begins_after);
  Wanderer wanderer{{0, begins_after + 1, 0}, {}};
  const auto anyone = [&]() -> Follower& { return *followers[rng.Below(followers.size())]; };
  for (int step = 0; step < 200; ++step) {
    anyone().Advance(rng.Below(1 + records.size() / 20));
    wanderer.Read(anyone().feed(), rng.Chance(1, 3) ? 1 + rng.Below(5) : kAll);
    if (testing::Test::HasFatalFailure()) return;
  }
  for (const auto& follower : followers) follower->Advance(records.size());
  wanderer.ReadAll(anyone().feed());
  EXPECT_EQ(wanderer.place, anyone().feed().End());
  const State& state = anyone().state();
  const Picture truth = PictureOf(state);
  for (const auto& [object, shown] : wanderer.picture) {
    const auto is = truth.find(object);
    if (is != truth.end()) {
      EXPECT_EQ(shown, is->second) << object.second;
    } else if (HasName(object.first)) {
      EXPECT_EQ(shown, "") << object.second;
    }
  }
  // Objects that came after the client's beginning are known to it; elements of arrays once
  // something happened to them.
  Follower beginning(records, begins_after);
  const Picture then = PictureOf(beginning.state());
  for (const auto& [object, shown] : truth) {
    if (then.contains(object) && then.at(object) == shown) continue;
    if (object.second.ends_with(']')) continue;
    EXPECT_TRUE(wanderer.picture.contains(object)) << object.second << " " << shown;
  }
}

TEST(Feeds, GiveEachChangeTheSamePlace) {
  const uint64_t first = FromEnvironment("GP_SEED_FIRST", 1);
  const uint64_t count = FromEnvironment("GP_SEQUENCES", 150);
  for (uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const std::vector<Record> records = RecordsOf(seed);
    ASSERT_GT(records.size(), 2U);
    ComparePlaces(records, rng);
    if (!HasFailure()) Wander(records, rng);
  }
}

}  // namespace
}  // namespace gp
