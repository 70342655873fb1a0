#include "application/replication/lead/leader_entry.h"

#include "base/bytes.h"

namespace gp {
namespace {

constexpr uint64_t kLeaderEntryFormat = 1;

}  // namespace

std::string Encode(const LeaderEntry& entry) {
  ByteWriter writer;
  writer.U64(kLeaderEntryFormat);
  writer.String(entry.name);
  writer.String(entry.process);
  writer.String(entry.addresses.grpc);
  writer.String(entry.addresses.http);
  writer.U64(entry.is_stopping ? 1 : 0);
  return writer.Take();
}

Result<LeaderEntry> DecodeLeaderEntry(std::string_view value) {
  ByteReader reader(value);
  const bool is_known = reader.U64() == kLeaderEntryFormat;
  LeaderEntry entry;
  entry.name = reader.String();
  entry.process = reader.String();
  entry.addresses.grpc = reader.String();
  entry.addresses.http = reader.String();
  entry.is_stopping = reader.U64() != 0;
  if (!is_known || !reader.ok() || !reader.AtEnd())
    return Fail(Internal("the controllers' store: the key of the leader is damaged"));
  return entry;
}

}  // namespace gp
