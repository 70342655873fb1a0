#include "experiments/topology/policy.h"

#include <algorithm>
#include <array>

#include "experiments/topology/default_policy.h"
#include "experiments/topology/peer_policy.h"

namespace gp {
namespace {

using Nodes = std::vector<Node>;

constexpr std::array kPolicies{
    NamedTopologyPolicy{"default",
                        [](const Nodes& nodes, uint64_t) { return MakeDefaultPolicy(nodes); }},
    NamedTopologyPolicy{"socket",
                        [](const Nodes& nodes, uint64_t seed) {
                          return MakePeerPolicy(nodes, PickBySocket, NodeChoiceOrder::kLowest,
                                                seed);
                        }},
    NamedTopologyPolicy{"firstfit",
                        [](const Nodes& nodes, uint64_t seed) {
                          return MakePeerPolicy(nodes, PickLowest, NodeChoiceOrder::kLowest, seed);
                        }},
    NamedTopologyPolicy{"random",
                        [](const Nodes& nodes, uint64_t seed) {
                          return MakePeerPolicy(nodes, PickAny, NodeChoiceOrder::kRandom, seed);
                        }},
};

}  // namespace

std::span<const NamedTopologyPolicy> TopologyPolicies() { return kPolicies; }

const NamedTopologyPolicy* FindTopologyPolicy(std::string_view name) {
  const auto found = std::ranges::find(kPolicies, name, &NamedTopologyPolicy::name);
  return found == kPolicies.end() ? nullptr : &*found;
}

}  // namespace gp
