#include "adapters/outbound/secret_files/secret_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/text.h"
#include "files/replace_file.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "GPS1";
constexpr std::string_view kSuffix = ".secret";

std::string Encode(const SecretFacts& facts, const std::string& value) {
  ByteWriter writer;
  writer.String(facts.owner.queue);
  writer.String(facts.owner.user);
  writer.String(facts.name);
  writer.I64(facts.changed_at.ns);
  writer.String(facts.changed_by);
  writer.String(value);
  const std::string body = writer.bytes();
  ByteWriter sealed;
  sealed.String(kMagic);
  sealed.U64(Digest64(body));
  sealed.String(body);
  return sealed.bytes();
}

// nullopt: the file is damaged.
std::optional<std::pair<SecretFacts, std::string>> Decode(std::string_view bytes) {
  ByteReader sealed(bytes);
  const bool is_ours = sealed.String() == kMagic;
  const uint64_t digest = sealed.U64();
  const std::string body = sealed.String();
  if (!sealed.ok() || !is_ours || Digest64(body) != digest) return std::nullopt;
  ByteReader reader(body);
  SecretFacts facts;
  facts.owner.queue = reader.String();
  facts.owner.user = reader.String();
  facts.name = reader.String();
  facts.changed_at.ns = reader.I64();
  facts.changed_by = reader.String();
  std::string value = reader.String();
  if (!reader.ok()) return std::nullopt;
  return std::pair(std::move(facts), std::move(value));
}

// The next level up: "research/nlp", "research", "" (above all queues).
std::string Above(const std::string& queue) {
  const size_t slash = queue.rfind('/');
  return slash == std::string::npos ? "" : queue.substr(0, slash);
}

Status SyncPath(const std::string& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return Fail(Internal(directory + ": " + std::strerror(errno)));
  const Status synced = SyncDirectory(fd);
  close(fd);
  return synced;
}

}  // namespace

Result<std::unique_ptr<SecretFiles>> SecretFiles::Open(const std::string& directory) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return Fail(Internal(directory + ": " + std::strerror(errno)));
  if (chmod(directory.c_str(), 0700) != 0)
    return Fail(Internal(directory + ": " + std::strerror(errno)));
  std::unique_ptr<SecretFiles> files(new SecretFiles(directory));
  GP_CHECK_OK(files->Load());
  return files;
}

Status SecretFiles::Load() {
  std::error_code error;
  for (fs::directory_iterator at(directory_, error), end; !error && at != end;
       at.increment(error)) {
    const std::string path = at->path();
    if (!path.ends_with(kSuffix)) {  // a file that was not written completely
      std::error_code ignored;
      if (path.ends_with(".new")) fs::remove(at->path(), ignored);
      continue;
    }
    std::ifstream file(path, std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    auto decoded = Decode(bytes.str());
    if (!decoded) {
      std::error_code ignored;
      fs::rename(at->path(), path + ".damaged", ignored);
      warnings_.push_back(path +
                          ": is damaged, and renamed to .damaged: jobs that name this secret do "
                          "not start until it is set again");
      continue;
    }
    bytes_ += decoded->second.size();
    const Key key{decoded->first.owner, decoded->first.name};
    kept_.insert_or_assign(key, Kept{std::move(decoded->first), std::move(decoded->second)});
  }
  return error ? Fail(Internal(directory_ + ": " + error.message())) : Ok();
}

std::string SecretFiles::PathOf(const Key& key) const {
  return directory_ + "/" +
         Sha256(key.first.queue + '\0' + key.first.user + '\0' + key.second).substr(0, 40) +
         std::string(kSuffix);
}

Status SecretFiles::CheckRoom(const Key& key, size_t bytes) const {
  const auto before = kept_.find(key);
  const size_t had = before == kept_.end() ? 0 : before->second.value.size();
  if (bytes_ - had + bytes > kBytesMax)
    return Fail(Conflict("there is no room for more secrets: " + std::to_string(kBytesMax >> 20) +
                         " MiB in all"));
  size_t of_one = 0, bytes_of_one = bytes - had;
  for (const auto& [other, kept] : kept_) {
    if (other.first != key.first) continue;
    ++of_one;
    bytes_of_one += kept.value.size();
  }
  if (bytes_of_one > kBytesOfOneMax)
    return Fail(Conflict("secrets of one user or queue have at most " +
                         std::to_string(kBytesOfOneMax >> 10) + " KiB together"));
  if (before != kept_.end()) return Ok();
  if (of_one >= kOfOneMax)
    return Fail(Conflict("at most " + std::to_string(kOfOneMax) + " secrets of one user or queue"));
  if (kept_.size() >= kSecretsMax)
    return Fail(Conflict("at most " + std::to_string(kSecretsMax) + " secrets in all"));
  return Ok();
}

Status SecretFiles::Set(const SecretFacts& facts, const std::string& value) {
  const std::lock_guard lock(mutex_);
  const Key key{facts.owner, facts.name};
  GP_CHECK_OK(CheckRoom(key, value.size()));
  GP_CHECK_OK(ReplaceFile(PathOf(key), Encode(facts, value), 0600, Survives::kPowerCut));
  Kept& kept = kept_[key];
  bytes_ += value.size() - kept.value.size();
  kept = {facts, value};
  return Ok();
}

Status SecretFiles::Delete(const SecretOwner& owner, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find({owner, name});
  if (found == kept_.end()) {
    const std::string whose = owner.queue.empty()
                                  ? "user " + owner.user + " (those of a queue: --queue)"
                                  : "queue " + Printable(owner.queue, 140);
    return Fail(NotFound("there is no secret " + Printable(name, 140) + " of " + whose));
  }
  const std::string path = PathOf(found->first);
  if (unlink(path.c_str()) != 0 && errno != ENOENT)
    return Fail(Internal(path + ": " + std::strerror(errno)));
  bytes_ -= found->second.value.size();
  kept_.erase(found);
  return SyncPath(directory_);
}

std::vector<SecretFacts> SecretFiles::List() const {
  const std::lock_guard lock(mutex_);
  std::vector<SecretFacts> all;
  for (const auto& [key, kept] : kept_) all.push_back(kept.facts);
  return all;
}

const SecretFiles::Kept* SecretFiles::At(const SecretOwner& owner, const std::string& name) const {
  const auto found = kept_.find({owner, name});
  return found == kept_.end() ? nullptr : &found->second;
}

std::optional<std::string> SecretFiles::Find(const std::string& name, const std::string& user,
                                             const std::string& queue) const {
  const std::lock_guard lock(mutex_);
  if (const Kept* own = user.empty() ? nullptr : At({"", user}, name)) return own->value;
  for (std::string path = queue; !path.empty(); path = Above(path)) {
    if (const Kept* shared = At({path, ""}, name)) return shared->value;
  }
  return std::nullopt;
}

}  // namespace gp
