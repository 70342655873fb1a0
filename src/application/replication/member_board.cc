#include "application/replication/member_board.h"

#include "base/bytes.h"

namespace gp {
namespace {

constexpr uint64_t kMemberFormat = 1;
constexpr size_t kMembersAtOnce = 100;

Result<Member> DecodeMember(const StoreEntry& entry) {
  ByteReader reader(entry.value);
  const bool is_known = reader.U64() == kMemberFormat;
  Member member;
  member.name = reader.String();
  member.version = reader.String();
  member.addresses.grpc = reader.String();
  member.addresses.http = reader.String();
  member.applied = reader.U64();
  member.boot = reader.String();
  member.sight.time.ns = reader.I64();
  member.sight.boot_ns = reader.I64();
  if (!is_known || !reader.ok() || !reader.AtEnd())
    return Fail(Internal("the controllers' store: key " + entry.key + " is damaged"));
  return member;
}

}  // namespace

StorePut MemberBoard::PutOf(const Member& member) const {
  ByteWriter writer;
  writer.U64(kMemberFormat);
  writer.String(member.name);
  writer.String(member.version);
  writer.String(member.addresses.grpc);
  writer.String(member.addresses.http);
  writer.U64(member.applied);
  writer.String(member.boot);
  writer.I64(member.sight.time.ns);
  writer.I64(member.sight.boot_ns);
  return {keys_.Member(member.name), writer.Take()};
}

Status MemberBoard::Publish(const Member& member) {
  const Committed committed = store_.Commit({{}, {PutOf(member)}, {}});
  return committed.end == CommitEnd::kCommitted ? Ok() : Fail(Unavailable(committed.why));
}

Result<std::optional<Member>> MemberBoard::Find(const std::string& name) {
  const StoreRead read = GP_TRY(store_.Read({keys_.Member(name), ""}, 1));
  if (read.entries.empty()) return std::nullopt;
  return GP_TRY(DecodeMember(read.entries.front()));
}

Result<std::vector<Member>> MemberBoard::All() {
  std::vector<Member> all;
  KeyRange range = keys_.Members();
  for (bool has_more = true; has_more;) {
    const StoreRead read = GP_TRY(store_.Read(range, kMembersAtOnce));
    for (const StoreEntry& entry : read.entries) all.push_back(GP_TRY(DecodeMember(entry)));
    has_more = read.has_more && !read.entries.empty();
    if (has_more) range.first = read.entries.back().key + '\0';
  }
  return all;
}

Status MemberBoard::Remove(const std::string& name) {
  const Committed committed = store_.Commit({{}, {}, {{keys_.Member(name), ""}}});
  return committed.end == CommitEnd::kCommitted ? Ok() : Fail(Unavailable(committed.why));
}

}  // namespace gp
