#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace gp {

// The jobs that may have a secret: those of a queue and the queues below it, or those of a user.
// One of the two is empty.
struct SecretOwner {
  std::string queue;
  std::string user;
  auto operator<=>(const SecretOwner&) const = default;
};

// All that is shown of a secret.
struct SecretFacts {
  SecretOwner owner;
  std::string name;
  Instant changed_at;
  std::string changed_by;  // a user
};

inline constexpr size_t kSecretBytesMax = 64 << 10;
// All secrets of one job together, as its start message carries them
inline constexpr size_t kSecretBytesOfJobMax = 64 << 10;
inline constexpr size_t kSecretsMax = 10'000;  // in total

// Keeps values that jobs receive by name and that are never shown.  Any thread may call it.
class SecretKeeper {
 public:
  virtual ~SecretKeeper() = default;

  // Stores the secret durably.  Errors: kConflict (too many secrets, or too large in total),
  // kInternal (it cannot be written).
  virtual Status Set(const SecretFacts& facts, const std::string& value) = 0;
  // Errors: kNotFound (there is no such secret).
  virtual Status Delete(const SecretOwner& owner, const std::string& name) = 0;
  // All secrets, sorted by owner and name.
  virtual std::vector<SecretFacts> List() const = 0;
  // The value for a job of this user in this queue: the user's own secret comes first, then that of
  // the queue, then those of the queues above it; with an empty user, only those of queues.
  // nullopt: there is none.
  virtual std::optional<std::string> Find(const std::string& name, const std::string& user,
                                          const std::string& queue) const = 0;
};

}  // namespace gp
