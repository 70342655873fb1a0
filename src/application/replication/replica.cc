#include "application/replication/replica.h"

#include <utility>

#include "application/control/journal_retention.h"
#include "domain/cluster/apply/apply.h"
#include "domain/cluster/codec/codec.h"

namespace gp {

Status Replica::Recover() {
  recovered_ = GP_TRY(RecoverState(journal_));
  applied_ = journal_.LastSequence();
  chain_ = journal_.LastChain();
  term_ = 0;
  return Ok();
}

Result<bool> Replica::CatchUp() {
  const auto head = GP_TRY(log_.Head());
  if (!head) return true;
  SeeTime(*head);
  if (head->last < applied_)
    return Fail(Conflict("the shared log ends with record " + std::to_string(head->last) +
                         ", but this controller's journal has " + std::to_string(applied_) +
                         ": the store was restored from an old copy, or is another cluster's"));
  if (head->last == applied_ && head->chain != chain_) return Fail(OtherHistory());
  if (head->last == applied_) return true;
  const std::vector<LogChunk> chunks = GP_TRY(log_.ReadAfter(applied_));
  if (chunks.empty())
    return Fail(Conflict("the shared log lacks record " + std::to_string(applied_ + 1) +
                         ", which this controller needs: give it a copy of the state directory of "
                         "another controller"));
  std::vector<std::string> records;
  for (const LogChunk& chunk : chunks) {
    GP_CHECK_OK(Apply(chunk));
    records.insert(records.end(), chunk.records.begin(), chunk.records.end());
  }
  const Appended copied =
      journal_.Append(recovered_.state.epoch, applied_ - records.size(), records);
  if (copied.end != AppendEnd::kDurable) return Fail(Internal(copied.why));
  GP_CHECK_OK(SaveSnapshotWhenDue());
  return applied_ >= head->last;
}

Status Replica::SaveSnapshotWhenDue() {
  if (recovered_.records < keeping_.records_per_snapshot) return Ok();
  recovered_.records = 0;
  GP_CHECK_OK(journal_.SaveSnapshot({applied_, EncodeState(recovered_.state)}));
  const uint64_t needed = keeping_.audited_until ? keeping_.audited_until() : UINT64_MAX;
  GP_CHECK_OK(DropOld(journal_, recovered_.last_at, {keeping_.keep_journal, needed}));
  while (GP_TRY(journal_.Sweep())) continue;
  return Ok();
}

// A leader notes the time each second.  Without one, the time that is read first may have been
// noted long ago; one that has changed since then was noted just now.
void Replica::SeeTime(const LogHead& head) {
  const bool is_new = time_ ? *time_ != head.time : head.is_led;
  time_ = head.time;
  if (is_new) recovered_.sight = {head.time, clock_.BootNs()};
}

// Both are sound, but one of them is another cluster's, or an old copy that went its own way.
Error Replica::OtherHistory() const {
  return Conflict("the shared log and this controller's journal have different records up to " +
                  std::to_string(applied_) +
                  ": use the state directory of a controller of this cluster, or an empty one");
}

Status Replica::Apply(const LogChunk& chunk) {
  if (chunk.chain_before != chain_) return Fail(OtherHistory());
  if (chunk.term < term_)
    return Fail(Internal("the shared log: a term that is over has written record " +
                         std::to_string(chunk.first)));
  for (const std::string& bytes : chunk.records) {
    auto record = DecodeRecord(bytes);
    if (!record) return Fail(record.error().Within("record " + std::to_string(applied_ + 1)));
    for (const Event& event : record->events)
      gp::Apply(recovered_.state, record->envelope.at, event);
    recovered_.last_at = record->envelope.at;
    ++recovered_.records;
    ++applied_;
  }
  term_ = chunk.term;
  chain_ = chunk.chain_after;
  return Ok();
}

}  // namespace gp
