#pragma once

// 1,000 GPUs, all of them in use by jobs of many users, whose programs crash; played by the
// production engine in virtual time.  Who crashes leaves, and another job takes its place.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "domain/faults/trouble.h"
#include "simulation/engine/engine.h"

namespace gp {

class BusyFleet {
 public:
  static constexpr int kNodes = 125;
  static constexpr int kGpusPerNode = 8;
  static constexpr int kGpus = kNodes * kGpusPerNode;
  static constexpr int kUsers = 50;

  explicit BusyFleet(uint64_t seed);

  // An error of the program that runs on the GPU now.
  void Crash(const GpuKey& gpu, int xid);
  // Who takes the GPU next, always: its user and what it runs; "{}" in the command is another text
  // each time.
  void Reserve(const GpuKey& gpu, const std::string& user, const std::string& command);
  void AdvanceTo(Instant at);

  Rng& rng() { return rng_; }
  GpuKey AnyGpu();
  JobId HolderOf(const GpuKey& gpu) const;
  // Its program ends; the GPU stays free.
  void Finish(const GpuKey& gpu);
  Instant now() const { return engine_.now(); }
  const State& state() const { return engine_.state(); }
  const Gpu& gpu(const GpuKey& key) const;

  // Every change of a GPU's condition, in order: "n17/3 SUSPECT".
  const std::vector<std::string>& changes() const { return changes_; }

 private:
  struct Tenant {
    std::string user;
    std::string command;
  };

  std::vector<Event> Tell(Command command);
  void Leave(JobId job);
  void Fill(const GpuKey& gpu);
  Tenant NextTenant(const GpuKey& gpu);

  Rng rng_;
  Engine engine_;
  std::map<GpuKey, Tenant> reserved_;
  std::vector<std::string> changes_;
  uint64_t signals_ = 0;
  uint64_t runs_ = 0;
};

}  // namespace gp
