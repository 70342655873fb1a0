#include "domain/scheduling/reasons/why_no_place.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "domain/placement/choose_gpus.h"
#include "domain/placement/out_of_service.h"
#include "domain/placement/place_gang.h"
#include "domain/scheduling/reasons/never_fits.h"

namespace gp {
namespace {

bool InService(const Node& node, const JobSpec& spec) {
  if (node.condition != NodeCondition::kUp || node.draining) return false;
  return spec.resources.gpus.count == 0 ||
         std::ranges::any_of(node.gpus, [](const Gpu& gpu) { return IsGrantable(gpu); });
}

// Whether the job would fit now if no cores and host memory were granted there.
bool FitsButForHost(const Node& node, const Job& job) {
  Node other = node;
  other.numa.assign(node.numa.size(), NumaLedger{});
  return Fits(other, job);
}

struct Survey {
  PendingReason reason;
  int nodes_with_gpus = 0;                      // enough eligible GPUs now, wherever they are
  int nodes_but_for_host = 0;                   // the GPUs are where the job wants them
  std::vector<Node> ideals;                     // one of each class, if none could hold a rank
  std::vector<const NodeClasses::Class*> away;  // not in service
  std::vector<const NodeClasses::Class*> full;  // in service, and no rank fits now
};

// Counts one class: its example stands for all of its members.
void LookAt(const NodeClasses::Class& one, const Job& job, Survey& survey) {
  const Node& node = one.example;
  const JobSpec& spec = *job.spec;
  const auto members = static_cast<int>(one.members.size());
  survey.reason.nodes_able += members;
  if (!InService(node, spec)) {
    survey.away.push_back(&one);
    return;
  }
  survey.reason.nodes_up += members;
  const int eligible = std::popcount(EligibleGpus(node, job));
  survey.reason.gpus_free += eligible * members;
  if (eligible >= spec.resources.gpus.count) survey.nodes_with_gpus += members;
  if (Fits(node, job)) {
    survey.reason.nodes_now += members;
  } else {
    survey.full.push_back(&one);
  }
  if (FitsButForHost(node, job)) survey.nodes_but_for_host += members;
}

// Surveys the groups of nodes from which a gang may take its ranks, and returns the one that comes
// nearest to holding it.
Survey Look(const NodeClasses& classes, const Job& job, const PlacementWeights& weights) {
  const JobSpec& spec = *job.spec;
  std::map<std::string, Survey> by_trait;
  std::vector<Node> ideals;
  for (ClassId id = 0; id < classes.size(); ++id) {
    const NodeClasses::Class& one = classes.Of(id);
    if (one.members.empty()) continue;
    ideals.push_back(Ideal(one.example));
    const auto choice = ChooseGpus(ideals.back(), job, weights);
    if (choice) LookAt(one, job, by_trait[CommonTrait(spec, one.example, *choice)]);
  }
  Survey survey;
  for (const auto& [trait, other] : by_trait) {
    const auto nearness = [&spec](const Survey& s) {
      const auto enough = [&spec](int nodes) { return std::min(nodes, spec.resources.nodes); };
      return std::tuple(enough(s.reason.nodes_able), enough(s.reason.nodes_up),
                        enough(s.reason.nodes_now), s.reason.gpus_free);
    };
    if (nearness(other) > nearness(survey)) survey = other;
  }
  if (by_trait.empty()) survey.ideals = std::move(ideals);
  survey.reason.gpus_asked = spec.resources.gpus.count * spec.resources.nodes;
  return survey;
}

std::string Tell(const Survey& survey, const Job& job) {
  const JobSpec& spec = *job.spec;
  const PendingReason& r = survey.reason;
  switch (r.kind) {
    case PendingKind::kNoNodes: return "no node has joined yet";
    case PendingKind::kNoSuchHardware:
      return r.nodes_able == 0 ? WhatNoNodeHas(survey.ideals, job) : TooFewNodes(job, r.nodes_able);
    case PendingKind::kNodesAway:
      return "needs " + Count(spec.resources.nodes, "node") + "; of " +
             std::to_string(r.nodes_able) + " that could hold it " + std::to_string(r.nodes_up) +
             (r.nodes_up == 1 ? " is" : " are") + " in service";
    case PendingKind::kTopology:
      return Count(r.gpus_free, "GPU") +
             " free, but not together as topology asks (allow_cross_numa: true, "
             "or a weaker topology.require, would start it sooner)";
    case PendingKind::kReservation: return "";  // WhyReservationWaits gives the text
    case PendingKind::kQuota: return "";        // the limit gives the text
    case PendingKind::kCapacity:
      return "waits for " + Count(r.gpus_asked, "GPU") +
             (spec.resources.nodes > 1 ? " on " + Count(spec.resources.nodes, "node") + " at once"
                                       : std::string()) +
             ": " + std::to_string(r.gpus_free) + " free, " + std::to_string(r.nodes_now) + " of " +
             Count(r.nodes_up, "node") + " could take a rank now";
    case PendingKind::kHost:
      return "GPUs are free, but not the cores or host memory requested with them";
    case PendingKind::kReserved: return "";  // the text names the other job
    case PendingKind::kTurn: return "fits now; starts with the next pass";
  }
  return "";
}

PendingKind Judge(const State& state, const Survey& survey, const JobSpec& spec) {
  const PendingReason& r = survey.reason;
  if (state.nodes.all.empty()) return PendingKind::kNoNodes;
  if (r.nodes_able < spec.resources.nodes) return PendingKind::kNoSuchHardware;
  if (r.nodes_up < spec.resources.nodes) return PendingKind::kNodesAway;
  if (r.nodes_now >= spec.resources.nodes) return PendingKind::kTurn;
  if (survey.nodes_with_gpus < spec.resources.nodes) return PendingKind::kCapacity;
  return survey.nodes_but_for_host < spec.resources.nodes ? PendingKind::kTopology
                                                          : PendingKind::kHost;
}

// What is out of service, if the job would start without that.
std::string RepairsNeeded(const State& state, const Survey& survey, const Job& job,
                          const IncidentsByGpu* incidents) {
  const PendingReason& r = survey.reason;
  const int gpus = job.spec->resources.gpus.count;
  if (r.kind == PendingKind::kNodesAway)
    return WhatIsOut(state, survey.away, gpus, job.spec->resources.nodes - r.nodes_up, incidents);
  if (r.kind != PendingKind::kCapacity && r.kind != PendingKind::kTopology) return "";
  std::vector<const NodeClasses::Class*> would_fit;
  for (const auto* classes : {&survey.away, &survey.full}) {
    for (const NodeClasses::Class* one : *classes) {
      const bool is_sound = classes == &survey.full && OutOfService(one->example, gpus) == 0;
      if (!is_sound && Fits(Repaired(one->example), job)) would_fit.push_back(one);
    }
  }
  return WhatIsOut(state, would_fit, gpus, job.spec->resources.nodes - r.nodes_now, incidents);
}

}  // namespace

PendingReason WhyNoPlace(const State& state, const NodeClasses& classes, const Job& job,
                         const IncidentsByGpu* incidents) {
  Survey survey = Look(classes, job, WeightsOf(state.policy.placement, job.pool));
  PendingReason& reason = survey.reason;
  reason.kind = Judge(state, survey, *job.spec);
  reason.code = CodeOf(reason.kind);
  reason.text = Tell(survey, job);
  if (const std::string out = RepairsNeeded(state, survey, job, incidents); !out.empty()) {
    if (reason.kind == PendingKind::kCapacity) reason.code = "GpusOutOfService";
    reason.text += "; " + out;
  }
  return reason;
}

}  // namespace gp
