#pragma once

// The real core with hands on it: commands in, events out, every invariant checked after each, and
// at any time the proof that folding the records or decoding a snapshot gives the same state.

#include <string>
#include <vector>

#include "domain/cluster/codec/codec.h"
#include "domain/cluster/command.h"
#include "domain/cluster/state/state.h"

namespace gp {

// What follows from the rest of the state.
bool SameIndexes(const State& a, const State& b);

// With the rules for XIDs that a controller begins with.
Policy TestPolicy();

class TestCluster {
 public:
  TestCluster();

  // Decides, checks and applies.  Broken rules are added to `broken`.
  Result<std::vector<Event>> Execute(const Command& command, const ClientRequest& request = {});
  // One scheduling pass: every placement of the plan, committed.  Refused ones count as broken.
  std::vector<Event> Pass();
  void Advance(Duration by) { now_ = now_ + by; }

  // A simple node: `numa[i]` is GPU i's NUMA node, two NUMA nodes to a socket if `packages` is 0.
  static NodeFacts MakeFacts(const std::string& name, const std::vector<int>& numa, int links = 18,
                             int64_t gpu_memory_mib = 81'559, int cpus_per_numa = 48,
                             const std::string& model = "NVIDIA H100 80GB HBM3");
  // Joins the node and reports every GPU healthy.
  NodeId AddNode(const NodeFacts& facts, uint64_t incarnation = 1);

  // Folds all records from nothing, and decodes what the state encodes to; true if both agree.
  bool ReplayAgrees() const;

  const State& state() const { return state_; }
  Instant now() const { return now_; }
  const std::vector<std::string>& broken() const { return broken_; }
  const std::vector<std::string>& records() const { return records_; }

 private:
  void Check(const std::vector<Event>& events);

  State state_;
  Instant now_{1'700'000'000'000'000'000};
  std::vector<std::string> records_;
  std::vector<std::string> broken_;
};

}  // namespace gp
