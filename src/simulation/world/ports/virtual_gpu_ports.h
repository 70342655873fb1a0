#pragma once

// The ports through which an agent process watches and tests its host's GPUs.  They end with the
// process.

#include <functional>
#include <map>
#include <memory>

#include "base/rng.h"
#include "ports/outbound/gpu_care.h"
#include "simulation/world/gpu_hardware.h"

namespace gp {

// Shows one agent process the readings and errors of its host's GPUs.
class VirtualGpuWatch : public GpuWatch {
 public:
  // `on_error`: called with the card and XID of each error that the agent takes.
  VirtualGpuWatch(GpuHardware& hardware, std::function<void(int card, int xid)> on_error)
      : hardware_(hardware), on_error_(std::move(on_error)) {}
  std::vector<GpuReading> Latest() override { return hardware_.Read(); }
  std::vector<XidSighting> TakeXids() override;
  int EventDescriptor() const override { return -1; }

 private:
  GpuHardware& hardware_;
  const std::function<void(int card, int xid)> on_error_;
};

// Resets and tests GPUs for one agent process.
class VirtualGpuCare : public GpuCare {
 public:
  struct Surroundings {
    // Called before a card is reset or tested; it is a broken rule if the card is in use.
    std::function<void(int card, const char* what)> check_idle;
    // Called when a card was reset successfully, or has passed its test.
    std::function<void(int card, GpuCareKind kind)> sound;
    std::function<void()> changed;
  };
  VirtualGpuCare(GpuHardware& hardware, Timeline& timeline, Rng& rng, Surroundings surroundings)
      : hardware_(hardware),
        timeline_(timeline),
        rng_(rng),
        surroundings_(std::move(surroundings)) {}

  void Begin(uint64_t number, int gpu, GpuCareKind kind) override;
  std::vector<GpuCareResult> Results() override;
  void KeepOnly(const std::vector<uint64_t>& numbers) override;
  int EventDescriptor() const override { return -1; }

 private:
  struct Task {
    GpuCareResult result;
    bool has_ended = false;
  };
  bool CarryOut(int card, GpuCareKind kind);

  GpuHardware& hardware_;
  Timeline& timeline_;
  Rng& rng_;
  const Surroundings surroundings_;
  std::map<uint64_t, Task> tasks_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // expires with this object
};

}  // namespace gp
