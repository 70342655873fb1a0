#pragma once

// Room for one rank of a job on one node, made by taking away some of those who run there: whole gangs,
// and none that could be spared.

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "domain/cluster/preemption.h"
#include "domain/cluster/state.h"
#include "domain/placement/choose_gpus.h"
#include "domain/scheduling/scratch_nodes.h"

namespace gp {

// The highest class and the GPUs of those who must go, how many they are, and on which node.
using RoomCost = std::tuple<int, int64_t, size_t, NodeId>;

// One node with room made on it.
struct Room {
  NodeId node;
  std::vector<const Job*> leaving;
  std::string trait;

  RoomCost Cost() const;
};

// Those on one node who may have to go.
struct OnNode {
  NodeId node;
  std::span<Standing> candidates;
};

// The candidates, each as often as it holds nodes, side by side for each node.
class ByNode {
 public:
  ByNode(const State& state, const std::vector<Standing>& candidates);

  // `all`: also the nodes without any, where a rank of a gang may fit as it is.
  std::vector<OnNode> Open(const std::set<NodeId>& left_out, bool all);

 private:
  std::vector<size_t> begins_;  // by node, and the end
  std::vector<Standing> standings_;
};

class RoomSearch {
 public:
  // Whether all of these may go together.
  using MayGo = std::function<bool(const std::vector<const Job*>&)>;
  RoomSearch(const State& state, const ScratchNodes& nodes, Instant at, const Job& job, MayGo may_go);

  // Rooms for the whole gang, of one trait, the cheapest first: those who go are of the lowest class, then
  // the fewest GPUs, then the fewest jobs, then on the lower node.  nullopt: there are not enough.
  std::optional<std::vector<Room>> FindCheapest(const std::vector<OnNode>& open);
  // Who goes for all of these rooms, each once, and nobody who can be spared.
  std::vector<const Job*> Gather(const std::vector<Room>& rooms);

 private:
  void Spare(std::vector<const Job*>& leaving, const std::vector<NodeId>& on);
  std::optional<RoomCost> LeastCost(const OnNode& on) const;
  std::optional<Room> MakeRoom(const OnNode& on);
  std::optional<Room> MakeCheapestRoom(const OnNode& on);
  std::optional<Room> MakeSomeRoom(const OnNode& on);
  bool FitsIn(Room& room);
  std::optional<NodeChoice> ChooseWithout(const std::vector<const Job*>& leaving, NodeId id);

  const State& state_;
  const ScratchNodes& nodes_;
  const Instant at_;
  const Job& job_;
  const MayGo may_go_;
  Node scratch_;  // one for all: what it has allocated is used again
};

}  // namespace gp
