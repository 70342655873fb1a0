#include "simulation/world/controllers/log_witness.h"

#include "application/replication/log/log_chunk.h"
#include "domain/cluster/apply/apply.h"
#include "domain/cluster/codec/codec.h"

namespace gp {
namespace {

// A little less than the time for which a leader counts a silent member as live: clocks drift.
constexpr Duration kSilence = Duration::Milliseconds(19'900);
// A request to trim may arrive this much later than it was sent.
constexpr Duration kLateMax = Duration::Minutes(1);

}  // namespace

void LogWitness::See(const StoreTransaction& transaction, Instant sent_at) {
  const KeyRange chunks = keys_.Chunks();
  for (const KeyRange& range : transaction.deletions) SeeDeletion(range);
  for (const StorePut& put : transaction.puts) {
    if (put.key.starts_with(keys_.Members().first)) SeeMember(put.key);
    if (put.key < chunks.first || put.key >= chunks.end) continue;
    if (const Status seen = SeeChunk(put.value, sent_at); !seen)
      findings_.Break(timeline_.now(), "the shared log cannot be read: " + seen.error().message);
  }
}

void LogWitness::SeeMember(const std::string& key) {
  Telling& telling = tellings_[key];
  if (telling.at && timeline_.now() - *telling.at >= kSilence)
    telling.silent_until = timeline_.now();
  telling.at = timeline_.now();
}

bool LogWitness::WasSilent(const std::string& machine) const {
  const auto found = tellings_.find(keys_.Member(machine));
  if (found == tellings_.end()) return true;
  const auto& [at, silent_until] = found->second;
  return timeline_.now() - *at >= kSilence ||
         (silent_until && timeline_.now() - *silent_until <= kLateMax);
}

// The log stays whole from some record on, and its end stays.
void LogWitness::SeeDeletion(const KeyRange& range) {
  if (range.first != keys_.Chunk(0) || range.end > keys_.Chunk(newest_))
    findings_.Break(timeline_.now(), "the shared log is torn: keys from " + range.first + " to " +
                                         range.end + " are removed");
}

Status LogWitness::SeeChunk(const std::string& bytes, Instant sent_at) {
  const LogChunk chunk = GP_TRY(DecodeChunk(bytes));
  if (chunk.first != records_ + 1)
    return Fail(Internal("record " + std::to_string(chunk.first) + " follows record " +
                         std::to_string(records_)));
  CommittedRecords committed{records_, {}, {}};
  for (const std::string& record_bytes : chunk.records) {
    const Record record = GP_TRY(DecodeRecord(record_bytes, kWorldFormats));
    for (const Event& event : record.events) Apply(state_, record.envelope.at, event);
    committed.events.insert(committed.events.end(), record.events.begin(), record.events.end());
    committed.ends.push_back(committed.events.size());
  }
  records_ = chunk.last();
  newest_ = chunk.first;
  watch_.OnLateCommit(state_, committed, sent_at);
  return Ok();
}

}  // namespace gp
