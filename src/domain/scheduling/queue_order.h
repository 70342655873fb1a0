#pragma once

// The queue order of pending jobs (docs/queues.md): priority classes, then fair share
// (queues and users by the used part of their share), then the jobs' own order.

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "domain/cluster/state/state.h"
#include "domain/scheduling/class_floors.h"
#include "domain/scheduling/share_table.h"

namespace gp {

// The order among the jobs of one user in one queue.
struct JobOrder {
  int priority_descending = 0;
  int service_level = 0;
  JobId job;
  auto operator<=>(const JobOrder&) const = default;
};

// Yields the pending jobs of one pass in queue order: the first job of each equivalence class, and
// the next one once Follow was called. Not thread-safe.
class QueueOrder {
 public:
  QueueOrder(const State& state, Instant at);
  ~QueueOrder();

  struct Candidate {
    const Job* job = nullptr;
    const EquivalenceClass* equivalence_class = nullptr;
    ShareTable::Entry* entry = nullptr;  // of its user in its queue
  };
  // Removes and returns the next job in queue order. nullopt: none is left.
  std::optional<Candidate> Next();
  // Call when the candidate was placed: the next job of its equivalence class follows.
  void Follow(const Candidate& candidate);
  // Call when a job was placed: adds to the usage of its queue, user and class.
  void Charge(const Job& job, int64_t share);

 private:
  struct Branch;
  using Entry = ShareTable::Entry;
  // The order of the roots: classes below their floor first, then by class.
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
