#pragma once

#include <cstdint>
#include <string>

#include "ports/outbound/quorum_store.h"

namespace gp {

// The keys of one cluster in the store that its controllers share.
class StoreKeys {
 public:
  explicit StoreKeys(const std::string& cluster) : prefix_("/gpu-platform/" + cluster + "/") {}

  // Who leads.  The revision in which the key was created is the leader's term.
  std::string Leader() const { return prefix_ + "leader"; }
  // The end of the log.
  std::string Head() const { return prefix_ + "head"; }
  // What tells that a standby has something to do.
  KeyRange HeadAndLeader() const { return {Head(), KeysUnder(Leader()).end}; }
  // The chunk that begins with this record.
  std::string Chunk(uint64_t first) const;
  KeyRange Chunks() const { return KeysUnder(prefix_ + "log/"); }
  // The record that the chunk with this key begins with.  REQUIRES: it is one of Chunks.
  uint64_t FirstOf(const std::string& chunk) const;
  // What this controller has told of itself.
  std::string Member(const std::string& name) const { return prefix_ + "members/" + name; }
  // The secrets of jobs, sealed, and what changes with each of them.
  KeyRange Secrets() const { return KeysUnder(prefix_ + "secrets/"); }
  std::string SecretsVersion() const { return prefix_ + "secrets-version"; }
  // What all controllers of the cluster must have in common.
  std::string Identity() const { return prefix_ + "identity"; }
  KeyRange Members() const { return KeysUnder(prefix_ + "members/"); }

 private:
  std::string prefix_;
};

}  // namespace gp
