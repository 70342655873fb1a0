#include "application/replication/member_board.h"

#include "base/bytes.h"

namespace gp {
namespace {

constexpr size_t kMembersMax = 100;

Result<Member> DecodeMember(const StoreEntry& entry) {
  ByteReader reader(entry.value);
  Member member;
  member.name = reader.String();
  member.applied = reader.U64();
  member.boot = reader.String();
  member.sight.time.ns = reader.I64();
  member.sight.boot_ns = reader.I64();
  if (!reader.ok())
    return Fail(Internal("the controllers' store: key " + entry.key + " is damaged"));
  return member;
}

}  // namespace

Status MemberBoard::Publish(const Member& member) {
  ByteWriter writer;
  writer.String(member.name);
  writer.U64(member.applied);
  writer.String(member.boot);
  writer.I64(member.sight.time.ns);
  writer.I64(member.sight.boot_ns);
  const Committed committed = store_.Commit({{}, {{keys_.Member(member.name), writer.Take()}}, {}});
  return committed.end == CommitEnd::kCommitted ? Ok() : Fail(Unavailable(committed.why));
}

Result<std::optional<Member>> MemberBoard::Find(const std::string& name) {
  const StoreRead read = GP_TRY(store_.Read({keys_.Member(name), ""}, 1));
  if (read.entries.empty()) return std::nullopt;
  return GP_TRY(DecodeMember(read.entries.front()));
}

Result<std::vector<Member>> MemberBoard::All() {
  const StoreRead read = GP_TRY(store_.Read(keys_.Members(), kMembersMax));
  std::vector<Member> members;
  for (const StoreEntry& entry : read.entries) members.push_back(GP_TRY(DecodeMember(entry)));
  return members;
}

}  // namespace gp
