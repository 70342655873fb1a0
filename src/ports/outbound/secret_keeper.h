#pragma once

// Keeps what jobs are given by name and nobody is shown: for the jobs of one user, or for those of
// a queue and the queues below it.  Any thread.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace gp {

// Whose jobs may have it: one of the two is empty.
struct SecretOwner {
  std::string queue;
  std::string user;
  auto operator<=>(const SecretOwner&) const = default;
};

struct SecretFacts {
  SecretOwner owner;
  std::string name;
  Instant changed_at;
  std::string changed_by;  // a user
};

inline constexpr size_t kSecretBytesMax = 64 << 10;
// Of all that it names together, as a start carries them
inline constexpr size_t kSecretBytesOfJobMax = 64 << 10;
inline constexpr size_t kSecretsMax = 10'000;  // of all

class SecretKeeper {
 public:
  virtual ~SecretKeeper() = default;

  // Lasts.  Errors: kConflict (no room: too many, or too large together), kInternal (it cannot be
  // written).
  virtual Status Set(const SecretFacts& facts, const std::string& value) = 0;
  // kNotFound: there is none.
  virtual Status Delete(const SecretOwner& owner, const std::string& name) = 0;
  // By owner and name.
  virtual std::vector<SecretFacts> List() const = 0;
  // For a job of this user in this queue: the user's own comes first, then that of the queue, then
  // of those above it; with an empty user those of queues alone.  nullopt: there is none.
  virtual std::optional<std::string> Find(const std::string& name, const std::string& user,
                                          const std::string& queue) const = 0;
};

}  // namespace gp
