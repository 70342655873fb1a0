#include "domain/defragmenting/rehearsal.h"

#include "domain/placement/place_gang.h"

namespace gp {

Rehearsal::Rehearsal(const State& state, NodeClasses& classes, Rankings& rankings)
    : state_(state), classes_(classes), rankings_(rankings), nodes_(state) {}

Rehearsal::~Rehearsal() {
  for (const NodeId id : nodes_.Touched()) classes_.Place(*state_.FindNode(id));
}

void Rehearsal::Resume() {
  for (const NodeId id : nodes_.Touched()) classes_.Place(nodes_.Of(id));
}

void Rehearsal::TakeAway(const Job& job) {
  nodes_.TakeAway(job);
  for (const LeaseId id : job.leases) classes_.Place(nodes_.Of(state_.FindLease(id)->node));
}

std::optional<PlaceGang> Rehearsal::Place(const Job& job, const std::set<NodeId>& closed) {
  const auto pick = rankings_.Of(ShapeOf(job)).Find(classes_, job, closed);
  if (!pick) return std::nullopt;
  return PlaceOn(job, pick->nodes);
}

PlaceGang Rehearsal::PlaceOn(const Job& job, const std::vector<NodeId>& nodes) {
  NodeList chosen;
  for (const NodeId id : nodes) chosen.push_back(&nodes_.Of(id));
  PlaceGang place = gp::PlaceOn(chosen, job, nodes.size(), rankings_.WeightsFor(job.pool));
  Hold(job, place.ranks);
  return place;
}

void Rehearsal::Hold(const Job& job, const std::vector<RankPlacement>& ranks) {
  nodes_.Hold(job, ranks);
  for (const RankPlacement& rank : ranks) classes_.Place(nodes_.Of(rank.node));
}

}  // namespace gp
