#pragma once

// Room for one rank of a job on one node, made by taking away some of those who run there: whole
// gangs, and none that could be spared.

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "domain/cluster/preemption.h"
#include "domain/cluster/state.h"
#include "domain/placement/choose_gpus.h"
#include "domain/scheduling/scratch_nodes.h"

namespace gp {

// What it costs that these jobs leave: less is better, the first field that differs decides.
struct LeavingCost {
  int priority = -1;  // the highest of theirs; -1: nobody leaves
  int64_t gpus = 0;   // of all of them, wherever they are
  size_t jobs = 0;
  int64_t priorities = 0;  // all of theirs together

  auto operator<=>(const LeavingCost&) const = default;
  LeavingCost operator+(const LeavingCost& other) const;
};
LeavingCost CostOf(const Job& leaving);
LeavingCost CostOf(const std::vector<const Job*>& leaving);

// Of equal ones the lower node.
using RoomCost = std::pair<LeavingCost, NodeId>;

// One node with room made on it.
struct Room {
  NodeId node;
  std::vector<const Job*> leaving;
  std::string trait;

  RoomCost Cost() const { return {CostOf(leaving), node}; }
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

// Who leaves, each once, and the nodes on which there is room for the whole job when they have.
struct Clearing {
  std::vector<const Job*> leaving;
  std::vector<NodeId> nodes;  // in order of id
};

class RoomSearch {
 public:
  // Whether all of these may go together; so may, then, any of them.
  using MayGo = std::function<bool(const std::vector<const Job*>&)>;
  RoomSearch(const State& state, const ScratchNodes& nodes, Instant at, const Job& job,
             MayGo may_go);

  // Room for the whole job, on nodes of one trait, and nobody goes who can be spared.  For one node
  // the cheapest of all.  For a gang the cheapest of all on few nodes (`combine_rooms.h`); on more,
  // the nodes that are cheapest one by one, made cheaper among these.  nullopt: none was found.
  std::optional<Clearing> Find(const std::vector<OnNode>& open);

 private:
  // Rooms by their trait, the cheapest first, and the trait of the cheapest gang of them.
  struct Made {
    std::map<std::string, std::vector<Room>> by_trait;
    std::optional<std::string> best;
  };
  Made MakeRooms(const std::vector<OnNode>& open);
  std::vector<std::vector<Room>> AllAmongCheapest(const Made& made,
                                                  const std::vector<OnNode>& open);
  Clearing Gather(std::span<const Room> rooms, const Made& made, const std::vector<OnNode>& open);
  std::vector<NodeId> NodesWithout(const std::vector<const Job*>& leaving,
                                   const std::vector<NodeId>& on);
  std::optional<RoomCost> LeastCost(const OnNode& on) const;
  std::optional<Room> MakeRoom(const OnNode& on);
  std::vector<Room> MakeCheapestRooms(const OnNode& on, size_t rooms_max);
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
