#include "simulation/world/controllers/log_witness.h"

#include "application/replication/log_chunk.h"
#include "domain/cluster/apply/apply.h"
#include "domain/cluster/codec/codec.h"

namespace gp {

void LogWitness::See(const StoreTransaction& transaction) {
  const KeyRange chunks = keys_.Chunks();
  for (const StorePut& put : transaction.puts) {
    if (put.key < chunks.first || put.key >= chunks.end) continue;
    if (const Status seen = SeeChunk(put.value); !seen)
      findings_.Break(timeline_.now(), "the shared log cannot be read: " + seen.error().message);
  }
}

Status LogWitness::SeeChunk(const std::string& bytes) {
  const LogChunk chunk = GP_TRY(DecodeChunk(bytes));
  if (chunk.first != records_ + 1)
    return Fail(Internal("record " + std::to_string(chunk.first) + " follows record " +
                         std::to_string(records_)));
  CommittedRecords committed{records_, {}, {}};
  for (const std::string& record_bytes : chunk.records) {
    const Record record = GP_TRY(DecodeRecord(record_bytes));
    for (const Event& event : record.events) Apply(state_, record.envelope.at, event);
    committed.events.insert(committed.events.end(), record.events.begin(), record.events.end());
    committed.ends.push_back(committed.events.size());
  }
  records_ = chunk.last();
  watch_.OnCommit(state_, committed);
  return Ok();
}

}  // namespace gp
