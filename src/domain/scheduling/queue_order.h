#pragma once

// Whose turn it is among the jobs that wait (docs/queues.md): classes, then queues and users by
// what they have used of their share, then the jobs' own order.

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "domain/cluster/state.h"
#include "domain/scheduling/class_floors.h"
#include "domain/scheduling/share_table.h"

namespace gp {

// Among the jobs of one user in one queue.
struct JobOrder {
  int priority_descending = 0;
  int service_level = 0;
  JobId job;
  auto operator<=>(const JobOrder&) const = default;
};

class QueueOrder {
 public:
  QueueOrder(const State& state, Instant at);
  ~QueueOrder();

  struct Candidate {
    const Job* job = nullptr;
    const EquivalenceClass* equivalence_class = nullptr;
    ShareTable::Entry* entry = nullptr;  // of its user in its queue
  };
  // Whoever's turn it is, taken out.  nullopt: nobody waits any more.
  std::optional<Candidate> Next();
  // After a Candidate was served: the one behind it in its line waits next.
  void Follow(const Candidate& candidate);
  // A job was given its place: its queue and user, and its class, have had more.
  void Charge(const Job& job, int64_t share);

 private:
  struct Branch;
  using Entry = ShareTable::Entry;
  // Who is asked first: classes below their floor, then by class.
  struct RootKey {
    int rank_descending = 0;
    std::string pool;
    auto operator<=>(const RootKey&) const = default;
  };

  void Add(const EquivalenceClass& equivalence_class, const QueueKey& head, Entry* entry);
  int RankOf(const Job& job);
  void UpdateRank(const std::string& pool);
  Branch& BranchOf(Branch& root, Entry* entry);
  static Branch& Deepest(Branch& root, const Job& job);
  static void Refresh(Branch& branch);

  const State& state_;
  const Instant at_;
  ShareTable shares_;
  ClassFloors floors_;
  std::map<RootKey, std::unique_ptr<Branch>> roots_;
};

}  // namespace gp
