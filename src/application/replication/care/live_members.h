#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "application/replication/members/member_board.h"

namespace gp {

// Which controllers live, as one of them sees it by its own boot clock: those whose entries in the
// store change.  It knows no threads and no store.
class LiveMembers {
 public:
  explicit LiveMembers(Duration live_for) : live_for_(live_for) {}

  // All entries, as read at this boot time.  One that is seen for the first time counts as changed:
  // whoever has just begun to lead knows of nobody that it has died.
  void See(const std::vector<SeenMember>& all, int64_t now_ns);

  // Every live member has the records up to this one in its journal.  0: none is known to live.
  uint64_t Held(int64_t now_ns) const;

 private:
  struct Sight {
    uint64_t revision = 0;
    uint64_t applied = 0;
    int64_t changed_ns = 0;  // boot time at which the change was seen
  };

  const Duration live_for_;
  std::map<std::string, Sight> members_;
};

}  // namespace gp
