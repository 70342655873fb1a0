#include "domain/explaining/node_table.h"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "domain/cluster/arrays.h"
#include "domain/cluster/reservations.h"
#include "domain/defragmenting/rehearsal.h"
#include "domain/explaining/why_not_here.h"
#include "domain/placement/choose_gpus.h"
#include "domain/scheduling/planner.h"

namespace gp {
namespace {

// The values that all nodes of a row share, in the order of the table.
struct RowKey {
  bool takes_no_rank = false;
  int fits_descending = 0;
  int free_descending = 0;
  int gpus = 0;
  std::string why;
  auto operator<=>(const RowKey&) const = default;
};

int LargestSet(const Node& node, const Job& job) {
  for (int count = std::min(std::popcount(EligibleGpus(node, job)), job.spec->resources.gpus.count);
       count > 0; --count) {
    Job smaller = job;
    JobSpec spec = *job.spec;
    spec.resources.gpus.count = count;
    smaller.spec = std::make_shared<const JobSpec>(std::move(spec));
    if (Fits(node, smaller)) return count;
  }
  return 0;
}

class TableMaker {
 public:
  TableMaker(const State& state, Instant at, const Job& job)
      : state_(state),
        at_(at),
        job_(job),
        plan_(planner_.Schedule(state, at)),
        rankings_(state.policy.placement),
        held_(state, planner_.classes(), rankings_),
        closed_(BackfillReservations(state, at, plan_.backfill).ClosedTo(job)) {
    for (const PlaceGang& place : plan_.held) held_.Hold(*state.FindJob(place.job), place.ranks);
  }

  std::vector<NodeRow> Run() {
    for (ClassId id = 0; id < planner_.classes().size(); ++id) {
      if (!planner_.classes().Of(id).members.empty()) Add(planner_.classes().Of(id));
    }
    std::vector<NodeRow> table;
    for (auto& [key, nodes] : rows_) table.push_back(RowOf(key, std::move(nodes)));
    return table;
  }

 private:
  void Add(const NodeClasses::Class& one) {
    RowKey key;
    key.why = WhyNotHere(one.example, job_);
    key.takes_no_rank = !key.why.empty();
    key.fits_descending = -LargestSet(one.example, job_);
    key.free_descending = -std::popcount(FreeGpus(one.example));
    key.gpus = one.example.facts->CountGpus();
    for (const NodeId node : one.members) {
      RowKey own = key;
      if (key.why.empty() && closed_.contains(node)) {
        own.why = WhoseIs(node);
        own.takes_no_rank = true;
      }
      rows_[std::move(own)].insert(node);
    }
  }

  std::string WhoseIs(NodeId node) const {
    const auto backfill = plan_.backfill.find(node);
    if (backfill != plan_.backfill.end() && backfill->second.job != job_.id) {
      return "reserved for " + NameOf(state_, backfill->second.job) +
             (HasShadowTime(backfill->second)
                  ? ", which starts by " +
                        ToRfc3339(WallOf(state_.time, backfill->second.shadow_time))
                  : "");
    }
    for (const Reservation* reservation : ReservationsOf(state_, *state_.FindNode(node))) {
      if (!Permits(*reservation, job_, at_))
        return "reserved: " + reservation->name + " from " +
               ToRfc3339(WallOf(state_.time, reservation->starts_at)) + " on";
    }
    return "reserved for others";
  }

  NodeRow RowOf(const RowKey& key, std::set<NodeId> nodes) const {
    NodeRow row{{nodes.begin(), nodes.end()},
                -key.free_descending,
                key.gpus,
                -key.fits_descending,
                !key.takes_no_rank,
                key.why,
                {}};
    std::set<JobId> holders;
    for (const NodeId node : nodes) {
      for (const LeaseId lease : state_.FindNode(node)->leases)
        holders.insert(state_.FindLease(lease)->job);
    }
    row.holders.assign(holders.begin(), holders.end());
    return row;
  }

  const State& state_;
  const Instant at_;
  const Job& job_;
  Planner planner_;
  const Plan plan_;
  Rankings rankings_;
  Rehearsal held_;  // the destinations of jobs that are being moved
  const std::set<NodeId> closed_;
  std::map<RowKey, std::set<NodeId>> rows_;
};

}  // namespace

std::vector<NodeRow> NodeTable(const State& state, Instant at, const Job& job) {
  return TableMaker(state, at, job).Run();
}

}  // namespace gp
