#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gp {

// One of the machines of the store that controllers share, as it tells of itself.
struct StoreMember {
  std::string endpoint;  // as it was given
  std::string trouble;   // why it serves nobody, or soon will not; empty: it is well
  std::string version;   // of its program; empty: it does not answer
  bool leads = false;    // the others
  uint64_t bytes = 0;    // the file of its database
};

// What those who operate the controllers see of their store.
class StoreHealth {
 public:
  virtual ~StoreHealth() = default;
  // Asks every machine, for about a second in all.  In the order of the endpoints.
  virtual std::vector<StoreMember> Members() = 0;
};

}  // namespace gp
