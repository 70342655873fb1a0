#include "domain/scheduling/queue_order.h"

#include <algorithm>
#include <utility>

#include "domain/cluster/preemption.h"

namespace gp {
namespace {

constexpr int kBelowFloor = kClasses;  // before the highest class

}  // namespace

// A queue or user with its pending jobs, in the tree of one pool and class.
struct QueueOrder::Branch {
  struct Head {
    const EquivalenceClass* equivalence_class = nullptr;
    Entry* entry = nullptr;
  };
  // step, best job; no two branches have the same job
  using Place = std::tuple<int64_t, JobOrder, Branch*>;

  Branch* parent = nullptr;
  Entry* entry = nullptr;  // nullptr: the root
  std::map<AccountId, std::unique_ptr<Branch>> children;
  std::set<Place> order;  // of the children with jobs
  // Only of a user, or of the root for jobs below their floor
  std::map<JobOrder, Head> heads;
  std::optional<Place> place;  // in the parent's order

  template <typename F>
  void ForEachHead(const F& visit) const {
    for (const auto& [key, head] : heads) visit(*head.equivalence_class, key.job, head.entry);
    for (const auto& [id, child] : children) child->ForEachHead(visit);
  }
  bool empty() const { return heads.empty() && order.empty(); }
  JobOrder Best() const {
    return heads.empty() ? std::get<1>(*order.begin()) : heads.begin()->first;
  }
};

QueueOrder::QueueOrder(const State& state, Instant at)
    : state_(state), at_(at), shares_(state, at), floors_(state) {
  std::vector<Entry*> entries;
  const EquivalenceClass* last = nullptr;
  for (const auto& [equivalence_class, jobs] : state.jobs.equivalence_classes) {
    const bool same = last != nullptr && last->queue == equivalence_class.queue &&
                      last->user == equivalence_class.user;
    entries.push_back(same ? entries.back()
                           : shares_.Add(equivalence_class.queue, equivalence_class.user));
    last = &equivalence_class;
  }
  shares_.Weigh();
  size_t i = 0;
  for (const auto& [equivalence_class, jobs] : state.jobs.equivalence_classes)
    Add(equivalence_class, *jobs.begin(), entries[i++]);
}

QueueOrder::~QueueOrder() = default;

int QueueOrder::RankOf(const Job& job) {
  const int job_class = ClassOf(job.spec->policy.priority);
  if (at_ - job.queued_at < state_.policy.age_after) return job_class;
  if (job.spec->resources.gpus.count > 0 && floors_.IsBelow(job)) return kBelowFloor;
  return std::min(job_class + 1, kClasses - 1);
}

QueueOrder::Branch& QueueOrder::BranchOf(Branch& root, Entry* entry) {
  if (entry == nullptr) return root;
  Branch& parent = BranchOf(root, entry->parent());
  std::unique_ptr<Branch>& branch = parent.children[entry->id()];
  if (branch == nullptr) {
    branch = std::make_unique<Branch>();
    branch->parent = &parent;
    branch->entry = entry;
  }
  return *branch;
}

// The branch of the job's user in its queue; if there is none, the nearest branch above.
QueueOrder::Branch& QueueOrder::Deepest(Branch& root, const Job& job) {
  Branch* deepest = &root;
  const auto descend = [&](const AccountId& id) {
    const auto child = deepest->children.find(id);
    if (child == deepest->children.end()) return false;
    deepest = child->second.get();
    return true;
  };
  for (std::string& path : PathsTo(job.queue)) {
    if (!descend({std::move(path), ""})) return *deepest;
  }
  descend({job.queue, job.user.name});
  return *deepest;
}

void QueueOrder::Add(const EquivalenceClass& equivalence_class, const QueueKey& head,
                     Entry* entry) {
  const Job& job = *state_.FindJob(head.job);
  const int rank = RankOf(job);
  std::unique_ptr<Branch>& root = roots_[{-rank, job.pool}];
  if (root == nullptr) root = std::make_unique<Branch>();
  if (rank == kBelowFloor) {  // in order of submission, so that no job starves
    root->heads[{0, 0, head.job}] = {&equivalence_class, entry};
    return;
  }
  Branch& branch = BranchOf(*root, entry);
  branch.heads[{head.priority_descending, equivalence_class.service_level, head.job}] = {
      &equivalence_class, entry};
  Refresh(branch);
}

// Moves the branch and those above it to their current positions.
void QueueOrder::Refresh(Branch& branch) {
  for (Branch* one = &branch; one->parent != nullptr; one = one->parent) {
    std::set<Branch::Place>& order = one->parent->order;
    std::optional<Branch::Place> place;
    if (!one->empty()) place.emplace(one->entry->step(), one->Best(), one);
    if (place == one->place) continue;
    if (one->place) order.erase(*one->place);
    if (place) order.insert(*place);
    one->place = place;
  }
}

std::optional<QueueOrder::Candidate> QueueOrder::Next() {
  while (!roots_.empty()) {
    const auto root = roots_.begin();
    if (root->second->empty()) {
      roots_.erase(root);
      continue;
    }
    Branch* branch = root->second.get();
    while (branch->heads.empty()) branch = std::get<2>(*branch->order.begin());
    const auto [order, head] = *branch->heads.begin();
    branch->heads.erase(branch->heads.begin());
    Refresh(*branch);
    return Candidate{state_.FindJob(order.job), head.equivalence_class, head.entry};
  }
  return std::nullopt;
}

void QueueOrder::Follow(const Candidate& candidate) {
  const auto& jobs = state_.jobs.equivalence_classes.at(*candidate.equivalence_class);
  const auto next = jobs.upper_bound(KeyOf(*candidate.job));
  if (next != jobs.end()) Add(*candidate.equivalence_class, *next, candidate.entry);
}

// Ranks the jobs below their floor again: a class that has reached its floor no longer goes first.
void QueueOrder::UpdateRank(const std::string& pool) {
  const auto root = roots_.find({-kBelowFloor, pool});
  if (root == roots_.end()) return;
  const std::unique_ptr<Branch> before = std::move(root->second);
  roots_.erase(root);
  before->ForEachHead([this](const EquivalenceClass& equivalence_class, JobId job, Entry* entry) {
    Add(equivalence_class, KeyOf(*state_.FindJob(job)), entry);
  });
}

void QueueOrder::Charge(const Job& job, int64_t share) {
  if (share == 0) return;
  floors_.Charge(job, share);
  UpdateRank(job.pool);
  shares_.Charge(job.queue, job.user.name, share);
  for (auto& [key, root] : roots_) {
    if (key.pool == job.pool) Refresh(Deepest(*root, job));
  }
}

}  // namespace gp
