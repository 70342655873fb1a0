#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "ports/outbound/mig_instances.h"
#include "simulation/world/programs.h"

namespace gp {

// The MIG instances that exist on one host's GPUs.  It is a broken rule to create or remove an
// instance where a program runs, or to create one that the GPU does not support.
class MigHardware {
 public:
  MigHardware(size_t host, const HostPlan& plan, Timeline& timeline, const Programs& programs,
              Findings& findings)
      : host_(host), plan_(plan), timeline_(timeline), programs_(programs), findings_(findings) {}

  // Creates an instance and returns the driver's number of it.
  int Make(const MigPart& part);
  void Remove(const MigPart& part);
  void KeepOnly(int gpu, const std::vector<MigPart>& parts);
  // A reset or a power cycle.
  void Clear(int gpu) { standing_.erase(gpu); }

 private:
  void CheckUnused(const MigPart& part, const std::string& what);
  void RemoveIf(int gpu, const std::function<bool(const MigPart&)>& is_meant);

  const size_t host_;
  const HostPlan& plan_;
  Timeline& timeline_;
  const Programs& programs_;
  Findings& findings_;
  std::map<int, std::vector<MigPart>> standing_;
  int last_instance_ = 0;
};

// How one agent process creates and removes instances.  Operations that are unfinished when the
// process ends are either carried out immediately or never.
class VirtualMig : public MigInstances {
 public:
  VirtualMig(MigHardware& hardware, Timeline& timeline, Rng& rng, std::function<void()> changed)
      : hardware_(hardware), timeline_(timeline), rng_(rng), changed_(std::move(changed)) {}
  ~VirtualMig() override;

  std::optional<Result<MigDevice>> Make(const std::string& key, const MigPart& part) override;
  void Remove(const std::string& key, const MigPart& part) override;
  void KeepOnly(int gpu, const std::vector<MigPart>& parts) override;
  int EventDescriptor() const override { return -1; }
  void ClearEvents() override {}

 private:
  // Runs `what` after all earlier operations on the GPU.
  void Later(int gpu, std::function<void()> what);

  MigHardware& hardware_;
  Timeline& timeline_;
  Rng& rng_;
  const std::function<void()> changed_;
  // The result; nullopt: not finished yet.
  std::map<std::string, std::optional<Result<MigDevice>>> asked_;
  std::map<int, Instant> busy_until_;  // by GPU
  std::shared_ptr<std::map<uint64_t, std::function<void()>>> begun_ =
      std::make_shared<std::map<uint64_t, std::function<void()>>>();
  uint64_t last_begun_ = 0;
};

}  // namespace gp
