#include "application/replication/replica.h"

#include <utility>

#include "domain/cluster/apply/apply.h"
#include "domain/cluster/codec/codec.h"

namespace gp {

Status Replica::Recover() {
  recovered_ = GP_TRY(RecoverState(journal_));
  applied_ = journal_.LastSequence();
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
  const SharedLog::Part part = GP_TRY(log_.ReadAfter(applied_));
  std::vector<std::string> records;
  for (const LogChunk& chunk : part.chunks) {
    GP_CHECK_OK(Apply(chunk));
    records.insert(records.end(), chunk.records.begin(), chunk.records.end());
  }
  if (!records.empty()) {
    const Appended copied =
        journal_.Append(recovered_.state.epoch, applied_ - records.size(), records);
    if (copied.end != AppendEnd::kDurable) return Fail(Internal(copied.why));
  }
  GP_CHECK_OK(SaveSnapshotWhenDue());
  return part.is_all;
}

Status Replica::SaveSnapshotWhenDue() {
  if (recovered_.records < records_per_snapshot_) return Ok();
  recovered_.records = 0;
  return journal_.SaveSnapshot({applied_, EncodeState(recovered_.state)});
}

// A leader notes the time each second.  Without one, the time that is read first may have been
// noted long ago; one that has changed since then was noted just now.
void Replica::SeeTime(const LogHead& head) {
  const bool is_new = time_ ? *time_ != head.time : head.is_led;
  time_ = head.time;
  if (is_new) recovered_.sight = {head.time, clock_.BootNs()};
}

Status Replica::Apply(const LogChunk& chunk) {
  const auto wrong = [&](const std::string& how) {
    return Fail(Internal("the shared log: " + how + " at record " + std::to_string(chunk.first)));
  };
  if (term_ != 0 && chunk.chain_before != chain_) return wrong("the chain breaks");
  if (chunk.term < term_) return wrong("a term that is over has written");
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
