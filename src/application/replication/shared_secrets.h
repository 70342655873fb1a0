#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "application/replication/store_keys.h"
#include "ports/outbound/quorum_store.h"
#include "ports/outbound/secret_keeper.h"

namespace gp {

// The secrets of jobs where several controllers have them: sealed in the store, and as a copy in
// each controller's own keeper, which answers what is asked.  Any thread may call what SecretKeeper
// has.
class SharedSecrets final : public SecretKeeper {
 public:
  // Called after a commit without an answer, with the number of tries so far: waits a little.
  // False: it is not tried again.
  using TryAgain = std::function<bool(int tries)>;
  // `key`: of kSealKeyBytes, the same on all controllers.  All outlive it.
  SharedSecrets(QuorumStore& store, StoreKeys keys, SecretKeeper& own, std::string key)
      : store_(store), keys_(std::move(keys)), own_(own), key_(std::move(key)) {}

  // Makes its own keeper's secrets those of the store, if they have changed since the last call.
  // Errors: kUnavailable, kInternal (one is damaged, or was sealed by a controller that has another
  // authority), those of SecretKeeper.
  Status Follow();
  // This controller leads, by this term, and changes secrets from now on.  The first leader of a
  // cluster brings its own ones, if `brings`.  Errors: as Follow; kConflict: the term is over.
  Status Lead(uint64_t term, bool brings, TryAgain try_again);

  // Errors: also kUnavailable (the store does not answer: the secret may be set or not).
  Status Set(const SecretFacts& facts, const std::string& value) override;
  Status Delete(const SecretOwner& owner, const std::string& name) override;
  std::vector<SecretFacts> List() const override { return own_.List(); }
  std::optional<std::string> Find(const std::string& name, const std::string& user,
                                  const std::string& queue) const override {
    return own_.Find(name, user, queue);
  }

 private:
  struct Kept {
    SecretFacts facts;
    std::string value;
  };

  std::string KeyOf(const SecretOwner& owner, const std::string& name) const;
  Result<StorePut> Sealed(const Kept& secret) const;
  Result<Kept> Unsealed(const StoreEntry& entry) const;
  std::optional<Kept> OwnOne(const SecretOwner& owner, const std::string& name) const;
  Result<std::vector<Kept>> ReadAll() const;
  Status BringOwn();
  Status Become(const std::vector<Kept>& all);
  bool IsOwn(const SecretFacts& facts, const Kept& one) const;
  // Commits with a new version.
  Status Commit(StoreTransaction change);
  // Commits under the conditions that the term lasts and nothing has changed meanwhile, so that a
  // try that arrives late changes nothing.  `version`: its value after the change; empty: as it
  // was. The revision.
  Result<uint64_t> Carry(StoreTransaction change, const std::string& version);
  // Whether an earlier try has put this version, and in which revision.
  Result<std::optional<uint64_t>> FindOwn(const std::string& version);
  void Undo(const SecretOwner& owner, const std::string& name, const std::optional<Kept>& before);

  QuorumStore& store_;
  const StoreKeys keys_;
  SecretKeeper& own_;
  const std::string key_;
  std::mutex mutex_;   // of what follows, and of the order of changes
  uint64_t seen_ = 0;  // the revision of the version that its own keeper has
  uint64_t term_ = 0;  // 0: it does not lead
  uint64_t changes_ = 0;
  TryAgain try_again_;
};

}  // namespace gp
