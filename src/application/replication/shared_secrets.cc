#include "application/replication/shared_secrets.h"

#include <map>

#include "base/bytes.h"
#include "base/ignore_result.h"
#include "lib/secrets/seal.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

constexpr uint64_t kSecretFormat = 1;
// Of one transaction; a secret is smaller than what is left to etcd's limit.
constexpr size_t kBytesAtOnce = 512 << 10;
constexpr size_t kSecretsAtOnce = 64;

bool AreOne(const SecretFacts& a, const SecretOwner& owner, const std::string& name) {
  return a.owner == owner && a.name == name;
}

}  // namespace

// The name of a secret is not shown in the store.
std::string SharedSecrets::KeyOf(const SecretOwner& owner, const std::string& name) const {
  ByteWriter writer;
  writer.String(owner.queue);
  writer.String(owner.user);
  writer.String(name);
  return keys_.Secrets().first + Sha256(HmacSha256(key_, writer.Take()));
}

Result<StorePut> SharedSecrets::Sealed(const Kept& secret) const {
  ByteWriter writer;
  writer.U64(kSecretFormat);
  writer.String(secret.facts.owner.queue);
  writer.String(secret.facts.owner.user);
  writer.String(secret.facts.name);
  writer.I64(secret.facts.changed_at.ns);
  writer.String(secret.facts.changed_by);
  writer.String(secret.value);
  std::string key = KeyOf(secret.facts.owner, secret.facts.name);
  std::string sealed = GP_TRY(Seal(key_, key, writer.Take()));
  return StorePut{std::move(key), std::move(sealed)};
}

Result<SharedSecrets::Kept> SharedSecrets::Unsealed(const StoreEntry& entry) const {
  const auto bytes = Unseal(key_, entry.key, entry.value);
  if (!bytes)
    return Fail(
        Internal("the controllers' store: a secret cannot be read: " + bytes.error().message +
                 ": do all controllers have the same authority.pem?"));
  ByteReader reader(*bytes);
  const bool is_known = reader.U64() == kSecretFormat;
  Kept secret;
  secret.facts.owner.queue = reader.String();
  secret.facts.owner.user = reader.String();
  secret.facts.name = reader.String();
  secret.facts.changed_at.ns = reader.I64();
  secret.facts.changed_by = reader.String();
  secret.value = reader.String();
  if (!is_known || !reader.ok() || !reader.AtEnd())
    return Fail(Internal("the controllers' store: key " + entry.key + " is damaged"));
  return secret;
}

std::optional<SharedSecrets::Kept> SharedSecrets::OwnOne(const SecretOwner& owner,
                                                         const std::string& name) const {
  for (SecretFacts& facts : own_.List()) {
    if (!AreOne(facts, owner, name)) continue;
    auto value = own_.Find(name, owner.user, owner.queue);
    if (value) return Kept{std::move(facts), *std::move(value)};
  }
  return std::nullopt;
}

Result<std::vector<SharedSecrets::Kept>> SharedSecrets::ReadAll() const {
  std::vector<Kept> all;
  KeyRange range = keys_.Secrets();
  for (bool has_more = true; has_more;) {
    const StoreRead read = GP_TRY(store_.Read(range, kSecretsAtOnce));
    for (const StoreEntry& entry : read.entries) all.push_back(GP_TRY(Unsealed(entry)));
    has_more = read.has_more && !read.entries.empty();
    if (has_more) range.first = read.entries.back().key + '\0';
  }
  return all;
}

// The version is read first: what changes meanwhile is seen at the next call.
Status SharedSecrets::Follow() {
  const std::lock_guard lock(mutex_);
  const StoreRead version = GP_TRY(store_.Read({keys_.SecretsVersion(), ""}, 1));
  if (version.entries.empty() || version.entries.front().modified == seen_) return Ok();
  GP_CHECK_OK(Become(GP_TRY(ReadAll())));
  seen_ = version.entries.front().modified;
  return Ok();
}

// What differs goes first, so that no limit is in the way of what comes.
Status SharedSecrets::Become(const std::vector<Kept>& all) {
  std::map<std::pair<SecretOwner, std::string>, const Kept*> wanted;
  for (const Kept& one : all) wanted[{one.facts.owner, one.facts.name}] = &one;
  for (const SecretFacts& facts : own_.List()) {
    const auto found = wanted.find({facts.owner, facts.name});
    if (found != wanted.end() && IsOwn(facts, *found->second)) {
      wanted.erase(found);
    } else {
      GP_CHECK_OK(own_.Delete(facts.owner, facts.name));
    }
  }
  for (const auto& [name, one] : wanted) GP_CHECK_OK(own_.Set(one->facts, one->value));
  return Ok();
}

bool SharedSecrets::IsOwn(const SecretFacts& facts, const Kept& one) const {
  return facts.changed_at == one.facts.changed_at && facts.changed_by == one.facts.changed_by &&
         own_.Find(facts.name, facts.owner.user, facts.owner.queue) == one.value;
}

Status SharedSecrets::Lead(uint64_t term, bool brings, TryAgain try_again) {
  GP_CHECK_OK(Follow());
  const std::lock_guard lock(mutex_);
  term_ = term;
  try_again_ = std::move(try_again);
  return seen_ == 0 && brings ? BringOwn() : Ok();
}

// In several transactions, the last of which has the version: if it is cut, the next leader begins
// again.
Status SharedSecrets::BringOwn() {
  // What a leader has brought that was cut.  etcd deletes and puts under one name only in two.
  GP_CHECK_OK(Carry({.conditions = {}, .puts = {}, .deletions = {keys_.Secrets()}}, ""));
  StoreTransaction change;
  size_t bytes = 0;
  for (const SecretFacts& facts : own_.List()) {
    const auto own = OwnOne(facts.owner, facts.name);
    if (!own) continue;
    change.puts.push_back(GP_TRY(Sealed(*own)));
    bytes += change.puts.back().value.size();
    if (bytes < kBytesAtOnce && change.puts.size() < kSecretsAtOnce) continue;
    GP_CHECK_OK(Carry(std::exchange(change, {}), ""));
    bytes = 0;
  }
  return Commit(std::move(change));
}

Status SharedSecrets::Commit(StoreTransaction change) {
  ByteWriter version;
  version.U64(term_);
  version.U64(++changes_);
  seen_ = GP_TRY(Carry(std::move(change), version.Take()));
  return Ok();
}

Result<uint64_t> SharedSecrets::Carry(StoreTransaction change, const std::string& version) {
  change.conditions = {{keys_.Leader(), StoreCondition::Of::kCreated, term_},
                       {keys_.SecretsVersion(), StoreCondition::Of::kModified, seen_}};
  if (!version.empty()) change.puts.push_back({keys_.SecretsVersion(), version});
  Committed committed;
  for (int tries = 1; tries == 1 || try_again_(tries - 1); ++tries) {
    committed = store_.Commit(change);
    if (committed.end == CommitEnd::kCommitted) return committed.revision;
    if (committed.end == CommitEnd::kUnknown) continue;
    const auto own = FindOwn(version);
    if (own && *own) return **own;
    if (own) return Fail(Conflict("this controller does not lead any more"));
  }
  return Fail(
      Unavailable("the controllers' store does not answer, and the secret may be changed or not: " +
                  committed.why));
}

Result<std::optional<uint64_t>> SharedSecrets::FindOwn(const std::string& version) {
  const StoreRead read = GP_TRY(store_.Read({keys_.SecretsVersion(), ""}, 1));
  if (version.empty() || read.entries.empty() || read.entries.front().value != version)
    return std::optional<uint64_t>();
  return std::optional(read.entries.front().modified);
}

Status SharedSecrets::Set(const SecretFacts& facts, const std::string& value) {
  const std::lock_guard lock(mutex_);
  const auto before = OwnOne(facts.owner, facts.name);
  GP_CHECK_OK(own_.Set(facts, value));  // it has the limits
  StoreTransaction change;
  change.puts = {GP_TRY(Sealed({facts, value}))};
  const Status committed = Commit(std::move(change));
  if (!committed) Undo(facts.owner, facts.name, before);
  return committed;
}

Status SharedSecrets::Delete(const SecretOwner& owner, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto before = OwnOne(owner, name);
  GP_CHECK_OK(own_.Delete(owner, name));
  StoreTransaction change;
  change.deletions = {{KeyOf(owner, name), ""}};
  const Status committed = Commit(std::move(change));
  if (!committed) Undo(owner, name, before);
  return committed;
}

void SharedSecrets::Undo(const SecretOwner& owner, const std::string& name,
                         const std::optional<Kept>& before) {
  IgnoreResult(before ? own_.Set(before->facts, before->value) : own_.Delete(owner, name),
               "the next leader makes its copy that of the store");
}

}  // namespace gp
