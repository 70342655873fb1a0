#pragma once

// Classes of nodes that are alike in all that placement looks at: hardware, conditions and what is
// granted. A result for one node holds for its whole class. There are few classes even on large
// clusters, because free resources form few patterns.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "domain/model/nodes/node.h"
#include "domain/scheduling/node_bits.h"

namespace gp {

using ClassId = uint32_t;

// The class of each node. It is updated as nodes change. Not thread-safe.
class NodeClasses {
 public:
  struct Class {
    Node example;              // like all its members, except names and ids
    std::set<NodeId> members;  // may be empty for a while: patterns come back
    NodeBits bits;             // the same
  };

  // Moves the node into its current class.
  void Place(const Node& node);

  // Classes are only added: their ids go from 0 to size() - 1.
  size_t size() const { return classes_.size(); }
  const Class& Of(ClassId id) const { return classes_[id]; }
  // REQUIRES: Place was called for the node.
  ClassId ClassOf(NodeId node) const { return class_of_[node.value]; }

 private:
  // A number for each kind of hardware. It keeps the key of a node short; each new or ended lease
  // needs a lookup of that key.
  uint64_t HardwareOf(const Node& node);

  struct Hardware {
    std::shared_ptr<const NodeFacts> facts;
    uint64_t number = 0;
  };
  std::vector<Class> classes_;
  std::map<std::string, ClassId> by_key_;
  std::vector<ClassId> class_of_;  // by node; kNone before it was placed
  std::map<std::string, uint64_t> hardware_numbers_;
  std::vector<Hardware> hardware_;  // by node; valid while its facts are the same
};

}  // namespace gp
