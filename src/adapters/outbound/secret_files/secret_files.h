#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "ports/outbound/secret_keeper.h"

namespace gp {

// SecretKeeper in a directory that only its owner may read: one file for each secret, named by a
// digest of its owner and name.  The files are not encrypted: root, and anyone who has the disk,
// can read them.  Any thread may call.
class SecretFiles final : public SecretKeeper {
 public:
  // Creates the directory if absent.  A damaged file is moved aside, see `warnings`.
  // kInternal: the directory cannot be made or read.
  static Result<std::unique_ptr<SecretFiles>> Open(const std::string& directory);
  const std::vector<std::string>& warnings() const { return warnings_; }

  Status Set(const SecretFacts& facts, const std::string& value) override;
  Status Delete(const SecretOwner& owner, const std::string& name) override;
  std::vector<SecretFacts> List() const override;
  std::optional<std::string> Find(const std::string& name, const std::string& user,
                                  const std::string& queue) const override;

  static constexpr size_t kBytesMax = 64 << 20;  // of all values
  static constexpr size_t kOfOneMax = 256;       // secrets of one owner
  static constexpr size_t kBytesOfOneMax = 1 << 20;

 private:
  struct Kept {
    SecretFacts facts;
    std::string value;
  };
  using Key = std::pair<SecretOwner, std::string>;

  explicit SecretFiles(std::string directory) : directory_(std::move(directory)) {}
  Status Load();
  std::string PathOf(const Key& key) const;
  // REQUIRES: the mutex is held.
  Status CheckRoom(const Key& key, size_t bytes) const;
  const Kept* At(const SecretOwner& owner, const std::string& name) const;

  const std::string directory_;
  std::vector<std::string> warnings_;
  mutable std::mutex mutex_;
  std::map<Key, Kept> kept_;
  size_t bytes_ = 0;
};

}  // namespace gp
