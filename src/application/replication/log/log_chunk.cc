#include "application/replication/log/log_chunk.h"

#include "base/bytes.h"
#include "base/digest.h"
#include "ports/outbound/journal.h"

namespace gp {
namespace {

constexpr uint64_t kChunkFormat = 2;

}  // namespace

uint64_t ChainAfter(uint64_t chain, std::span<const std::string> records) {
  for (const std::string& record : records) chain = NextChain(chain, record);
  return chain;
}

std::string EncodeChunk(const LogChunk& chunk) {
  ByteWriter body;
  body.U64(chunk.term);
  body.U64(chunk.first);
  body.U64(chunk.chain_before);
  body.U64(chunk.chain_after);
  body.U64(chunk.state_before);
  body.U64(chunk.records.size());
  for (const std::string& record : chunk.records) body.String(record);
  ByteWriter whole;
  whole.U64(kChunkFormat);
  whole.U64(Crc32c(body.bytes()));
  return whole.Take() + body.bytes();
}

Result<LogChunk> DecodeChunk(std::string_view bytes) {
  const auto damaged = [](const std::string& how) {
    return Fail(Internal("the shared log: a chunk " + how));
  };
  ByteReader reader(bytes);
  if (const uint64_t format = reader.U64(); !reader.ok() || format != kChunkFormat)
    return damaged("has format " + std::to_string(format) + ", and this program knows " +
                   std::to_string(kChunkFormat));
  const uint64_t crc = reader.U64();
  if (!reader.ok() || crc != Crc32c(bytes.substr(bytes.size() - reader.Remaining())))
    return damaged("is damaged: its checksum does not match");
  LogChunk chunk;
  chunk.term = reader.U64();
  chunk.first = reader.U64();
  chunk.chain_before = reader.U64();
  chunk.chain_after = reader.U64();
  chunk.state_before = reader.U64();
  const uint64_t count = reader.U64();
  if (count == 0 || count > reader.Remaining()) return damaged("has no records");
  for (uint64_t i = 0; i < count; ++i) chunk.records.push_back(reader.String());
  if (!reader.ok() || !reader.AtEnd()) return damaged("is cut short");
  if (ChainAfter(chunk.chain_before, chunk.records) != chunk.chain_after)
    return damaged("breaks the chain at record " + std::to_string(chunk.first));
  return chunk;
}

std::vector<std::span<const std::string>> CutIntoChunks(std::span<const std::string> records) {
  std::vector<std::span<const std::string>> runs;
  size_t begin = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    if (i > begin && bytes + records[i].size() > kChunkBytes) {
      runs.push_back(records.subspan(begin, i - begin));
      begin = i;
      bytes = 0;
    }
    bytes += records[i].size();
  }
  if (begin < records.size()) runs.push_back(records.subspan(begin));
  return runs;
}

}  // namespace gp
