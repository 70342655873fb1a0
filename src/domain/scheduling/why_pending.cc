#include "domain/scheduling/why_pending.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "domain/cluster/quota.h"
#include "domain/cluster/reservations.h"
#include "domain/model/variants.h"
#include "domain/placement/place_gang.h"

namespace gp {
namespace {

std::string Count(int count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

bool InService(const Node& node, const JobSpec& spec) {
  if (node.condition != NodeCondition::kUp || node.draining) return false;
  return spec.gpus.count == 0 ||
         std::ranges::any_of(node.gpus, [](const Gpu& gpu) { return IsGrantable(gpu); });
}

// Whether the job would fit now if nobody held cores or host memory there.
bool FitsButForHost(const Node& node, const Job& job) {
  Node other = node;
  other.numa.assign(node.numa.size(), NumaLedger{});
  return Fits(other, job);
}

struct Survey {
  PendingReason reason;
  int nodes_with_gpus = 0;      // enough eligible GPUs now, wherever on the node
  int nodes_but_for_host = 0;   // the GPUs are where the job wants them
  int gpus_largest = 0;     // of one node, by hardware
};

// What one node of a class says, said by all its members.
void LookAt(const NodeClasses::Class& one, const Job& job, Survey& survey) {
  const Node& node = one.example;
  const JobSpec& spec = *job.spec;
  const auto members = static_cast<int>(one.members.size());
  survey.reason.nodes_able += members;
  if (!InService(node, spec)) return;
  survey.reason.nodes_up += members;
  const int eligible = std::popcount(EligibleGpus(node, job));
  survey.reason.gpus_free += eligible * members;
  if (eligible >= spec.gpus.count) survey.nodes_with_gpus += members;
  if (Fits(node, job)) survey.reason.nodes_now += members;
  if (FitsButForHost(node, job)) survey.nodes_but_for_host += members;
}

// Of the groups of nodes from which a gang may take its ranks, the one that is nearest to hold it.
Survey Look(const NodeClasses& classes, const Job& job, const PlacementWeights& weights) {
  const JobSpec& spec = *job.spec;
  std::map<std::string, Survey> by_trait;
  int gpus_largest = 0;
  for (ClassId id = 0; id < classes.size(); ++id) {
    const NodeClasses::Class& one = classes.Of(id);
    if (one.members.empty()) continue;
    gpus_largest = std::max(gpus_largest, one.example.facts->CountGpus());
    const auto choice = ChooseGpus(Ideal(one.example), job, weights);
    if (choice) LookAt(one, job, by_trait[CommonTrait(spec, one.example, *choice)]);
  }
  Survey survey;
  for (const auto& [trait, other] : by_trait) {
    const auto nearness = [&spec](const Survey& s) {
      const auto enough = [&spec](int nodes) { return std::min(nodes, spec.nodes); };
      return std::tuple(enough(s.reason.nodes_able), enough(s.reason.nodes_up),
                        enough(s.reason.nodes_now), s.reason.gpus_free);
    };
    if (nearness(other) > nearness(survey)) survey = other;
  }
  survey.gpus_largest = gpus_largest;
  survey.reason.gpus_asked = spec.gpus.count * spec.nodes;
  return survey;
}

// "in pool prod, with zone=east": what narrows the nodes down besides the hardware.
std::string Where(const Job& job) {
  std::string text = job.pool == kDefaultPool ? "" : " in pool " + job.pool;
  for (const auto& [name, value] : job.spec->node_labels) text += (text.empty() ? " with " : ", with ") + name + "=" + value;
  const int levels = job.spec->nodes == 1 ? 0 : job.spec->topology.network_levels;
  if (levels > 0) text += (text.empty() ? " in one part of the network, " : ", in one part of the network, ") + Count(levels, "level") + " down";
  return text;
}

std::string Tell(const Survey& survey, const Job& job) {
  const JobSpec& spec = *job.spec;
  const PendingReason& r = survey.reason;
  switch (r.kind) {
    case PendingKind::kNoNodes: return "no node has joined yet";
    case PendingKind::kNoSuchHardware: {
      std::string text = "needs " + Count(spec.nodes, "node") + " with " + Count(spec.gpus.count, "GPU") +
                         " as asked" + Where(job) + "; " + Count(r.nodes_able, "node") + " could ever hold that";
      if (spec.gpus.count > survey.gpus_largest) {
        text += " (the largest has " + Count(survey.gpus_largest, "GPU") +
                ": ask for several nodes, as nodes: 2)";
      }
      return text;
    }
    case PendingKind::kNodesAway:
      return "needs " + Count(spec.nodes, "node") + "; of " + std::to_string(r.nodes_able) +
             " that could hold it " + std::to_string(r.nodes_up) + " are in service";
    case PendingKind::kTopology:
      return Count(r.gpus_free, "GPU") + " free, but not together as topology asks (allow_cross_numa: true, "
             "or a weaker topology.require, would start it sooner)";
    case PendingKind::kReservation: return "";  // told by its times
    case PendingKind::kQuota: return "";  // told by the limit
    case PendingKind::kCapacity:
      return "waits for " + Count(r.gpus_asked, "GPU") +
             (spec.nodes > 1 ? " on " + Count(spec.nodes, "node") + " at once" : std::string()) + ": " +
             std::to_string(r.gpus_free) + " free, " + std::to_string(r.nodes_now) + " of " +
             Count(r.nodes_up, "node") + " could take a rank now";
    case PendingKind::kHost: return "GPUs are free, but not the cores or host memory asked with them";
    case PendingKind::kReserved: return "";  // told by who keeps them
    case PendingKind::kTurn: return "fits now; starts with the next pass, or after jobs before it";
  }
  return "";
}

PendingKind Judge(const State& state, const Survey& survey, const JobSpec& spec) {
  const PendingReason& r = survey.reason;
  if (state.nodes.empty()) return PendingKind::kNoNodes;
  if (r.nodes_able < spec.nodes) return PendingKind::kNoSuchHardware;
  if (r.nodes_up < spec.nodes) return PendingKind::kNodesAway;
  if (r.nodes_now >= spec.nodes) return PendingKind::kTurn;
  if (survey.nodes_with_gpus < spec.nodes) return PendingKind::kCapacity;
  return survey.nodes_but_for_host < spec.nodes ? PendingKind::kTopology : PendingKind::kHost;
}

}  // namespace

namespace {

// As far as nodes can tell.
PendingReason WhyNoPlace(const State& state, const NodeClasses& classes, const Job& job) {
  Survey survey = Look(classes, job, WeightsOf(state.policy.placement, job.pool));
  survey.reason.kind = Judge(state, survey, *job.spec);
  survey.reason.text = Tell(survey, job);
  return survey.reason;
}

// Whom a fault has interrupted keeps the GPUs that it still had for a while: where `job` would fit, that is what it waits for.
std::string PlaceKeptAfterFault(const State& state, Instant at, const Job& interrupted, const Job& job) {
  const bool is_over = interrupted.state == JobState::kQueued && at >= interrupted.recovers_until;
  if (interrupted.id == job.id || is_over || HasVariants(*interrupted.spec)) return "";
  const bool is_there = std::ranges::any_of(interrupted.attempts.back().ranks, [&](const RankRecord& rank) { return Fits(*state.FindNode(rank.node), job); });
  if (!is_there) return "";
  const bool is_known = interrupted.state == JobState::kQueued;
  return ToText(interrupted.id) + ", which a fault has interrupted" + (is_known ? ", until " + ToRfc3339(WallOf(state.time, interrupted.recovers_until)) : "");
}

// For whom nodes are kept that the job cannot have: "job-0004, which starts by …, reservation course from … on".
std::string Owners(const State& state, Instant at, const std::map<NodeId, Kept>& kept, const Job& job) {
  std::map<std::string, Instant> owners;
  for (const auto& [node, one] : kept) {
    if (one.job != job.id && state.FindNode(node)->pool == job.pool) owners[ToText(one.job)] = one.starts_by;
  }
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  for (const JobId id : state.recovering) {
    if (const std::string place = PlaceKeptAfterFault(state, at, *state.FindJob(id), job); !place.empty()) add(place);
  }
  for (const auto& [owner, starts_by] : owners) add(owner + (starts_by.ns == 0 ? "" : ", which starts by " + ToRfc3339(WallOf(state.time, starts_by))));
  for (const auto& [name, reservation] : state.reservations) {
    if (reservation.pool == job.pool && !Permits(reservation, job, at)) add("reservation " + name + " from " + ToRfc3339(WallOf(state.time, reservation.starts_at)) + " on");
  }
  return text;
}

// It fits, but where it fits is closed to it.
PendingReason WithOwners(const State& state, Instant at, const std::map<NodeId, Kept>& kept, const Job& job, PendingReason reason) {
  const std::string owners = reason.kind == PendingKind::kTurn ? Owners(state, at, kept, job) : "";
  if (owners.empty()) return reason;
  reason.kind = PendingKind::kReserved;
  reason.text = "fits on " + Count(reason.nodes_now, "node") + ", but nodes are kept for " + owners;
  return reason;
}

// One of a job's ways to be given what it needs.
struct Way {
  int variant = 0;
  int nodes = 0;
};

Job As(const Job& job, const Way& way) {
  if (!HasVariants(*job.spec)) return job;
  Job as = job;
  as.spec = Resolve(job.spec, way.variant, way.nodes);
  return as;
}

// The one with the mildest reason, on the fewest nodes.
Way NearestWay(const State& state, const NodeClasses& classes, const Job& job) {
  Way nearest{0, LeastNodes(*job.spec)};
  if (!HasVariants(*job.spec)) return nearest;
  std::optional<PendingKind> mildest;
  for (int i = 0; i < CountVariants(*job.spec); ++i) {
    const Way way{i, NodesOf(*job.spec, i).least};
    const PendingKind kind = WhyNoPlace(state, classes, As(job, way)).kind;
    if (mildest && kind <= *mildest) continue;
    mildest = kind;
    nearest = way;
  }
  return nearest;
}

Job NearestVariant(const State& state, const NodeClasses& classes, const Job& job) { return As(job, NearestWay(state, classes, job)); }

// What the job itself is denied, wherever it would fit.
PendingReason WithQuota(const State& state, Instant at, const Job& job, PendingReason reason) {
  if (const std::string waits = WhyReservationWaits(state, job, at); !waits.empty()) {
    reason.kind = PendingKind::kReservation;
    reason.text = waits;
    return reason;
  }
  if (reason.kind < PendingKind::kQuota) return reason;  // more room under the limits would not help
  if (const auto stop = FindQuotaStop(state, job, at)) {
    reason.kind = PendingKind::kQuota;
    reason.text = ToText(*stop);
  }
  return reason;
}

}  // namespace

std::vector<PendingReason> AllReasons(const State& state, Instant at, const NodeClasses& classes,
                                      const std::map<NodeId, Kept>& kept, const Job& waiting) {
  const Job job = NearestVariant(state, classes, waiting);
  const PendingReason place = WhyNoPlace(state, classes, job);
  std::vector<PendingReason> reasons;
  if (const PendingReason quota = WithQuota(state, at, job, place); quota.kind == PendingKind::kQuota || quota.kind == PendingKind::kReservation) reasons.push_back(quota);
  if (place.kind != PendingKind::kTurn) {
    reasons.push_back(place);
  } else if (reasons.empty()) {
    reasons.push_back(WithOwners(state, at, kept, job, place));
  }
  std::ranges::sort(reasons, {}, &PendingReason::kind);
  return reasons;
}

PendingReason WhyPending(const State& state, Instant at, const NodeClasses& classes, const Job& waiting) {
  const Job job = NearestVariant(state, classes, waiting);
  return WithOwners(state, at, {}, job, WithQuota(state, at, job, WhyNoPlace(state, classes, job)));
}

PendingReason WhyPending(const State& state, Instant at, const Job& job) { return PendingReasons(state, at).Of(job); }

PendingReason PendingReasons::Of(const Job& job) {
  if (!classes_) {
    classes_.emplace();
    for (const Node& node : state_.nodes) classes_->Place(node);
  }
  const auto [known, is_new] = known_.try_emplace(ShapeOf(job));
  Known& found = known->second;
  if (is_new) {
    const Way way = NearestWay(state_, *classes_, job);
    found = {WhyNoPlace(state_, *classes_, As(job, way)), way.variant, way.nodes};
  }
  const Job as = As(job, {found.variant, found.nodes});
  return WithOwners(state_, at_, {}, as, WithQuota(state_, at_, as, found.reason));
}

const char* Name(PendingKind kind) {
  switch (kind) {
    case PendingKind::kNoNodes: return "no-nodes";
    case PendingKind::kNoSuchHardware: return "no-such-hardware";
    case PendingKind::kNodesAway: return "nodes-away";
    case PendingKind::kTopology: return "topology";
    case PendingKind::kReservation: return "reservation";
    case PendingKind::kQuota: return "quota";
    case PendingKind::kCapacity: return "capacity";
    case PendingKind::kHost: return "host";
    case PendingKind::kReserved: return "reserved";
    case PendingKind::kTurn: return "turn";
  }
  return "?";
}

}  // namespace gp
