#include "application/replication/log/shared_log.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"

namespace gp {
namespace {

constexpr size_t kReadMax = 64;      // chunks
constexpr uint64_t kWindow = 4'096;  // records
constexpr uint64_t kHeadFormat = 1;

std::string EncodeHead(const LogHead& head) {
  ByteWriter writer;
  writer.U64(kHeadFormat);
  writer.U64(head.last);
  writer.U64(head.chain);
  writer.I64(head.time.ns);
  writer.U64(head.term);
  return writer.Take();
}

Result<LogHead> DecodeHead(const StoreEntry& entry) {
  ByteReader reader(entry.value);
  const bool is_known = reader.U64() == kHeadFormat;
  LogHead head;
  head.last = reader.U64();
  head.chain = reader.U64();
  head.time.ns = reader.I64();
  head.term = reader.U64();
  head.revision = entry.modified;
  if (!is_known || !reader.ok() || !reader.AtEnd())
    return Fail(Internal("the shared log: key " + entry.key +
                         " is damaged, or of a later version of gpu-platform"));
  return head;
}

}  // namespace

Result<std::optional<LogHead>> SharedLog::Head() {
  const StoreRead read = GP_TRY(store_.Read({keys_.Head(), ""}, 1));
  if (read.entries.empty()) return std::nullopt;
  return GP_TRY(DecodeHead(read.entries.front()));
}

Status SharedLog::Create(uint64_t last, uint64_t chain) {
  StoreTransaction create;
  create.conditions = {{keys_.Head(), StoreCondition::Of::kCreated, 0}};
  create.puts = {{keys_.Head(), EncodeHead({.last = last, .chain = chain})}};
  const Committed committed = store_.Commit(create);
  if (committed.end == CommitEnd::kUnknown)
    return Fail(Unavailable("the shared log cannot be created: " + committed.why));
  return Ok();
}

Result<std::vector<LogChunk>> SharedLog::ReadAfter(uint64_t sequence) {
  // The next chunk begins with the next record: the range has it, and stays small for the store.
  const KeyRange range{keys_.Chunk(sequence + 1), keys_.Chunk(sequence + 1 + kWindow)};
  const StoreRead read = GP_TRY(ReadSome(range));
  if (!read.entries.empty() && read.entries.front().key != range.first)
    return Fail(WhyMissing(sequence));
  std::vector<LogChunk> chunks;
  uint64_t last = sequence;
  for (const StoreEntry& entry : read.entries) {
    LogChunk chunk = GP_TRY(DecodeChunk(entry.value));
    if (chunk.first != last + 1)
      return Fail(Conflict("the shared log has no chunk that begins with record " +
                           std::to_string(last + 1) + ": the next one begins with " +
                           std::to_string(chunk.first)));
    last = chunk.last();
    chunks.push_back(std::move(chunk));
  }
  return chunks;
}

Result<StoreRead> SharedLog::ReadSome(const KeyRange& range) {
  Result<StoreRead> read = store_.Read(range, read_max_);
  read_max_ = read ? std::min(kReadMax, read_max_ * 2) : std::max<size_t>(1, read_max_ / 2);
  return read;
}

// The log is trimmed from its beginning, and one that was created anywhere else has none before.
Result<uint64_t> SharedLog::First() {
  const StoreRead read = GP_TRY(store_.Read(keys_.Chunks(), 1));
  if (!read.entries.empty()) return keys_.FirstOf(read.entries.front().key);
  const std::optional<LogHead> head = GP_TRY(Head());
  return head ? head->last + 1 : 1;
}

Error SharedLog::WhyMissing(uint64_t sequence) {
  const Result<uint64_t> first = First();
  if (!first) return first.error();
  if (*first <= sequence + 1)
    return Conflict("the shared log has no chunk that begins with record " +
                    std::to_string(sequence + 1) +
                    ": replace this controller's journal by a copy of another controller's");
  return Conflict("the shared log begins with record " + std::to_string(*first) +
                  ", but this controller's journal ends with record " + std::to_string(sequence) +
                  ": what is between was trimmed, or was never in this log: copy the state "
                  "directory of another controller of this cluster (gpu-platform admin backup, "
                  "then admin controllers join)");
}

Result<std::vector<ChunkPlace>> SharedLog::ReadPlaces(uint64_t from, uint64_t last) {
  const StoreRead read = GP_TRY(ReadSome({keys_.Chunk(from), keys_.Chunk(last + 1)}));
  std::vector<ChunkPlace> places;
  for (const StoreEntry& entry : read.entries)
    places.push_back({keys_.FirstOf(entry.key), entry.value.size()});
  return places;
}

Appended LogWriter::Append(std::span<const std::string> records) {
  for (const std::span<const std::string> run : CutIntoChunks(records)) {
    if (Appended appended = AppendChunk(run); appended.end != AppendEnd::kDurable) return appended;
  }
  return {};
}

Appended LogWriter::AppendChunk(std::span<const std::string> records) {
  const LogChunk chunk{term_,
                       head_.last + 1,
                       head_.chain,
                       ChainAfter(head_.chain, records),
                       told_.last == head_.last ? told_.digest : 0,
                       {records.begin(), records.end()}};
  StoreTransaction append;
  append.puts = {{log_.keys().Chunk(chunk.first), EncodeChunk(chunk)}};
  const ChunkPlace place{chunk.first, append.puts.front().value.size()};
  LogHead after = head_;
  after.last = chunk.last();
  after.chain = chunk.chain_after;
  after.term = term_;
  Appended end = Commit(std::move(append), after);
  if (end.end == AppendEnd::kDurable && written_ != nullptr) written_->Note(place, chunk.last());
  return end;
}

Appended LogWriter::NoteTime(Instant time, std::vector<StorePut> also) {
  LogHead after = head_;
  after.time = time;
  after.term = term_;
  // The same head as before would look like one of an earlier try.
  return after.time == head_.time ? Appended{} : Commit({{}, std::move(also), {}}, after);
}

Appended LogWriter::Commit(StoreTransaction transaction, LogHead after) {
  const StoreKeys& keys = log_.keys();
  const std::string value = EncodeHead(after);
  transaction.conditions.push_back({keys.Leader(), StoreCondition::Of::kCreated, term_});
  transaction.conditions.push_back({keys.Head(), StoreCondition::Of::kModified, head_.revision});
  transaction.puts.push_back({keys.Head(), value});
  Committed committed;
  for (int tries = 1; tries == 1 || try_again_(tries - 1); ++tries) {
    committed = log_.store().Commit(transaction);
    if (committed.end == CommitEnd::kCommitted) {
      after.revision = committed.revision;
      head_ = after;
      return {};
    }
    if (committed.end == CommitEnd::kUnknown) continue;
    if (auto found = FindOwn(value, after)) return *std::move(found);
  }
  return {AppendEnd::kUnknown, "the shared log does not answer: " + committed.why};
}

// Another writer's head differs: it has another term.
std::optional<Appended> LogWriter::FindOwn(const std::string& value, const LogHead& after) {
  const auto read = log_.store().Read({log_.keys().Head(), ""}, 1);
  if (!read) return std::nullopt;
  if (!read->entries.empty() && read->entries.front().value == value) {
    head_ = after;
    head_.revision = read->entries.front().modified;
    return Appended{};
  }
  return Appended{AppendEnd::kDeposed, "the shared log: this controller's term is over"};
}

}  // namespace gp
