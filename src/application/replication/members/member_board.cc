#include "application/replication/members/member_board.h"

#include "base/bytes.h"

namespace gp {
namespace {

// Later programs may append to the second one; what is beyond here is not read.
constexpr uint64_t kMemberFormat = 2;
constexpr uint64_t kMemberFormatWithoutFormats = 1;
constexpr size_t kMembersMax = 1'000;

Result<Member> DecodeMember(const StoreEntry& entry) {
  ByteReader reader(entry.value);
  const uint64_t format = reader.U64();
  const bool is_older = format == kMemberFormatWithoutFormats;
  Member member;
  member.name = reader.String();
  member.version = reader.String();
  member.addresses.grpc = reader.String();
  member.addresses.http = reader.String();
  member.applied = reader.U64();
  member.told_at.ns = reader.I64();
  member.boot = reader.String();
  member.sight.time.ns = reader.I64();
  member.sight.boot_ns = reader.I64();
  member.formats = kFormatsUntold;
  if (!is_older) {
    member.formats.oldest = reader.U64();
    member.formats.newest = reader.U64();
    member.unfit = reader.String();
    member.sight.term = reader.U64();
    member.differs_after = reader.U64();
  }
  const bool is_known = is_older ? reader.AtEnd() : format == kMemberFormat;
  if (!is_known || !reader.ok())
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
  writer.I64(member.told_at.ns);
  writer.String(member.boot);
  writer.I64(member.sight.time.ns);
  writer.I64(member.sight.boot_ns);
  writer.U64(member.formats.oldest);
  writer.U64(member.formats.newest);
  writer.String(member.unfit);
  writer.U64(member.sight.term);
  writer.U64(member.differs_after);
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

// It may be of a later version: nothing is known of what it has.
Result<std::vector<SeenMember>> MemberBoard::All() {
  const StoreRead read = GP_TRY(store_.Read(keys_.Members(), kMembersMax));
  std::vector<SeenMember> all;
  for (const StoreEntry& entry : read.entries) {
    Result<Member> member = DecodeMember(entry);
    Member unknown;
    unknown.formats = kFormatsUntold;
    unknown.name = entry.key.substr(keys_.Member("").size());
    all.push_back({member ? *std::move(member) : std::move(unknown), entry.modified});
  }
  return all;
}

Status MemberBoard::Remove(const std::string& name) {
  const Committed committed = store_.Commit({{}, {}, {{keys_.Member(name), ""}}});
  return committed.end == CommitEnd::kCommitted ? Ok() : Fail(Unavailable(committed.why));
}

}  // namespace gp
