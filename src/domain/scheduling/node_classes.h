#pragma once

// Nodes that are alike in all that placement looks at: hardware, conditions, and what is granted.
// What is worked out for one holds for its whole class.  There are few classes even where there are
// many nodes, because what is free falls into few patterns.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "domain/model/node.h"

namespace gp {

using ClassId = uint32_t;

class NodeClasses {
 public:
  struct Class {
    Node example;              // as all its members are, but for names and numbers
    std::set<NodeId> members;  // may be none for a while: patterns come back
  };

  // Moves the node into the class that it now belongs to.
  void Place(const Node& node);

  // Classes are only ever added: their ids go from 0 to size() - 1.
  size_t size() const { return classes_.size(); }
  const Class& Of(ClassId id) const { return classes_[id]; }
  // REQUIRES: it was placed.
  ClassId ClassOf(NodeId node) const { return class_of_[node.value]; }

 private:
  // Each kind of hardware has its number: a node's key, looked up with every lease that comes or
  // goes, stays short.
  uint64_t HardwareOf(const Node& node);

  struct Hardware {
    std::shared_ptr<const NodeFacts> facts;
    uint64_t number = 0;
  };
  std::vector<Class> classes_;
  std::map<std::string, ClassId> by_key_;
  std::vector<ClassId> class_of_;  // by node; kNone before it was placed
  std::map<std::string, uint64_t> hardware_numbers_;
  std::vector<Hardware> hardware_;  // by node, kept as long as its facts are the same
};

}  // namespace gp
