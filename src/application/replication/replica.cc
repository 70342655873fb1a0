#include "application/replication/replica.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "application/control/journal_retention.h"
#include "base/digest.h"
#include "domain/cluster/apply/apply.h"
#include "domain/cluster/codec/codec.h"

namespace gp {
namespace {

constexpr Duration kReadsWithin = Duration::Milliseconds(500);
// The clocks of two machines drift apart by less than this part of the time that passes.
constexpr int64_t kDriftPart = 1'000;

}  // namespace

Status Replica::Recover() {
  Recovered recovered = GP_TRY(RecoverState(journal_, keeping_.formats));
  {
    const std::lock_guard lock(reading_);
    recovered_ = std::move(recovered);
    has_state_ = true;
  }
  MeasureFrom(recovered_.last_at, clock_.BootNs());
  last_at_ns_ = recovered_.last_at.ns;
  applied_ = journal_.LastSequence();
  chain_ = journal_.LastChain();
  term_ = 0;
  for (CommitObserver* observer : observers_)
    observer->OnBegin(recovered_.state, CommittedRecords{.after = applied_});
  return Ok();
}

Result<std::optional<LogHead>> Replica::SeeHead() {
  const auto head = GP_TRY(log_.Head());
  if (head) SeeTime(*head);
  return head;
}

// The state is as new as the log was when the question for its end was asked, and not when it was
// answered.
Result<bool> Replica::CatchUp() {
  const int64_t asked_ns = clock_.BootNs();
  const auto head = GP_TRY(log_.Head());
  if (!head) return true;
  SeeTime(*head);
  const bool has_all = GP_TRY(ApplyUpTo(*head));
  if (has_all) had_all_at_ns_ = asked_ns;
  return has_all;
}

Result<bool> Replica::ApplyUpTo(const LogHead& head) {
  if (head.last < applied_)
    return Fail(Conflict("the shared log ends with record " + std::to_string(head.last) +
                         ", but this controller's journal has " + std::to_string(applied_) +
                         ": the store was restored from an old copy, or is another cluster's "
                         "(docs/controllers.md, \"When etcd is lost\")"));
  if (head.last == applied_ && head.chain != chain_) return Fail(OtherHistory());
  if (head.last == applied_) return true;
  const std::vector<LogChunk> chunks = GP_TRY(log_.ReadAfter(applied_));
  if (chunks.empty()) return Fail(log_.WhyMissing(applied_));
  std::vector<std::string> records;
  CommittedRecords applied{.after = applied_};
  Status readable = Ok();
  Status same = Ok();
  for (const LogChunk& chunk : chunks) {
    readable = CheckFormats(chunk);
    if (readable) same = Compare(chunk);
    if (!readable || !same) break;
    {
      const std::lock_guard lock(reading_);  // readers see a chunk as a whole
      GP_CHECK_OK(Apply(chunk, applied));
    }
    records.insert(records.end(), chunk.records.begin(), chunk.records.end());
  }
  if (records.empty()) return Fail(same ? readable.error() : same.error());
  const Appended copied =
      journal_.Append(recovered_.state.epoch, applied_ - records.size(), records);
  if (copied.end != AppendEnd::kDurable) return Fail(Internal(copied.why));
  for (CommitObserver* observer : observers_) observer->OnCommit(recovered_.state, applied);
  GP_CHECK_OK(SaveSnapshotWhenDue());
  // The next process begins with this very comparison.
  if (!same) return Fail(same.error());
  return applied_ >= head.last;
}

// As a whole, so that what is applied ends where a chunk does.
Status Replica::CheckFormats(const LogChunk& chunk) const {
  uint64_t number = chunk.first;
  for (const std::string& bytes : chunk.records) {
    if (const Status readable = CheckFormat(bytes, keeping_.formats); !readable)
      return Fail(readable.error().Within("record " + std::to_string(number)));
    ++number;
  }
  return Ok();
}

// The leader tells what its state was when it saved a snapshot, at the end of a chunk.  A state
// that was rebuilt and differs there once more is no fault of this process: it goes on.
Status Replica::Compare(const LogChunk& chunk) {
  if (chunk.state_before == 0 || chunk.first != applied_ + 1) return Ok();
  const uint64_t agreed = WrittenFormat(recovered_.state.format, keeping_.formats);
  std::string bytes = EncodeState(recovered_.state, agreed);
  if (Digest64(bytes) == chunk.state_before) {
    differs_after_ = 0;
    same_ = Snapshot{applied_, std::move(bytes)};
    return Ok();
  }
  if (std::exchange(differs_after_, applied_) == applied_) return Ok();
  return Fail(Internal("this controller's state differs from the leader's after record " +
                       std::to_string(applied_) +
                       ": it stops, and rebuilds its state from its journal when it starts again "
                       "(docs/controllers.md, \"A standby that differs\")"));
}

// Of a state that was the leader's too.  Without one for long, of its own alone: leaders that
// change often save none.
Status Replica::SaveSnapshotWhenDue() {
  std::optional<Snapshot> due = std::exchange(same_, std::nullopt);
  if (!due && recovered_.records < 2 * keeping_.records_per_snapshot) return Ok();
  const uint64_t format = WrittenFormat(recovered_.state.format, keeping_.formats);
  if (!due) due = Snapshot{applied_, EncodeState(recovered_.state, format)};
  recovered_.records = applied_ - due->sequence;
  GP_CHECK_OK(journal_.SaveSnapshot(*due));
  const uint64_t needed = keeping_.audited_until ? keeping_.audited_until() : UINT64_MAX;
  GP_CHECK_OK(DropOld(journal_, recovered_.last_at, {keeping_.keep_journal, needed}));
  while (GP_TRY(journal_.Sweep())) continue;
  return Ok();
}

// A leader notes the time each second.  One that has changed between two reads was noted between
// them; the first one may have been noted long ago, and so may one that is read after a gap, or
// one that is behind what its leader's time must be by now: it came late to the store.  If the next
// one is as far behind, the leader's clock has stood still, and it counts.
//
// What was seen in a term before is not measured on.  The leader may have known less of the time
// and have gone on from an earlier one; time limits would end early by the difference.  Whatever
// it has noted has passed at least.
void Replica::SeeTime(const LogHead& head) {
  const int64_t now_ns = clock_.BootNs();
  const bool is_close = time_ && now_ns - time_read_ns_ <= kReadsWithin.ns;
  const bool is_new = is_close && *time_ != head.time;
  std::optional<Recovered::Sight>& sight = recovered_.sight;
  const bool is_other_term = sight && sight->term != head.term;
  if (is_other_term || (is_new && !CameLate(head, now_ns))) sight = {head.time, now_ns, head.term};
  time_ = head.time;
  time_read_ns_ = now_ns;
  if (sight) {
    MeasureFrom(sight->time, sight->boot_ns);
  } else {
    MeasureFrom(head.time, now_ns);
  }
}

bool Replica::CameLate(const LogHead& head, int64_t now_ns) {
  if (!recovered_.sight) return false;
  const int64_t passed_ns = now_ns - recovered_.sight->boot_ns;
  const int64_t behind_ns = recovered_.sight->time.ns + passed_ns - head.time.ns;
  const bool is_late = behind_ns > kReadsWithin.ns + passed_ns / kDriftPart;
  const int64_t before_ns = std::exchange(behind_ns_, is_late ? behind_ns : 0);
  return is_late && std::abs(behind_ns - before_ns) > kReadsWithin.ns;
}

void Replica::Remember(const Recovered::Sight& sight) {
  recovered_.sight = sight;
  MeasureFrom(sight.time, sight.boot_ns);
}

Recovered Replica::TakeState() {
  const std::lock_guard lock(reading_);
  has_state_ = false;
  observers_.clear();
  differs_after_ = 0;
  // The leader before has noted it, so that time has passed.
  recovered_.last_at = std::max(recovered_.last_at, time_.value_or(Instant{}));
  return std::exchange(recovered_, {});
}

Status Replica::Read(const std::function<void(const State&)>& read) {
  const std::lock_guard lock(reading_);
  if (!has_state_) return Fail(Unavailable("this controller has no state of the log yet"));
  read(recovered_.state);
  return Ok();
}

std::optional<Duration> Replica::Age() const {
  const int64_t had_all_at_ns = had_all_at_ns_;
  if (had_all_at_ns < 0) return std::nullopt;
  return Duration{clock_.BootNs() - had_all_at_ns};
}

Instant Replica::Now() const {
  return Instant{std::max<int64_t>(clock_.BootNs() + clock_offset_ns_, last_at_ns_)};
}

// Both are sound, but one of them is another cluster's, or an old copy that went its own way.
Error Replica::OtherHistory() const {
  return Conflict("the shared log and this controller's journal have different records up to " +
                  std::to_string(applied_) +
                  ": use the state directory of a controller of this cluster, or an empty one");
}

Status Replica::Apply(const LogChunk& chunk, CommittedRecords& applied) {
  if (chunk.chain_before != chain_) return Fail(OtherHistory());
  if (chunk.term < term_)
    return Fail(Internal("the shared log: a term that is over has written record " +
                         std::to_string(chunk.first)));
  for (const std::string& bytes : chunk.records) {
    auto record = DecodeRecord(bytes, keeping_.formats);
    if (!record) return Fail(record.error().Within("record " + std::to_string(applied_ + 1)));
    for (const Event& event : record->events)
      gp::Apply(recovered_.state, record->envelope.at, event);
    applied.events.insert(applied.events.end(), std::make_move_iterator(record->events.begin()),
                          std::make_move_iterator(record->events.end()));
    applied.ends.push_back(applied.events.size());
    recovered_.last_at = record->envelope.at;
    ++recovered_.records;
    ++applied_;
  }
  last_at_ns_ = recovered_.last_at.ns;
  term_ = chunk.term;
  chain_ = chunk.chain_after;
  return Ok();
}

}  // namespace gp
