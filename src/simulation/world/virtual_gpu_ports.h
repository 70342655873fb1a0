#pragma once

// What an agent's process watches its host's GPUs with, and how it cares for them: all of it ends
// with the process.

#include <functional>
#include <map>
#include <memory>

#include "base/rng.h"
#include "ports/outbound/gpu_care.h"
#include "simulation/world/gpu_hardware.h"

namespace gp {

class VirtualGpuWatch : public GpuWatch {
 public:
  // `told`: of each error that the agent takes, with its card.
  VirtualGpuWatch(GpuHardware& hardware, std::function<void(int card, int xid)> on_error)
      : hardware_(hardware), on_error_(std::move(on_error)) {}
  std::vector<GpuReading> Latest() override { return hardware_.Read(); }
  std::vector<XidSighting> TakeXids() override;
  int EventDescriptor() const override { return -1; }

 private:
  GpuHardware& hardware_;
  const std::function<void(int card, int xid)> on_error_;
};

class VirtualGpuCare : public GpuCare {
 public:
  struct Surroundings {
    // Told before a card is reset or tested: what uses it is a broken rule.
    std::function<void(int card, const char* what)> check_idle;
    // A card has been reset well, or has passed its test.
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
  bool Carry(int card, GpuCareKind kind);

  GpuHardware& hardware_;
  Timeline& timeline_;
  Rng& rng_;
  const Surroundings surroundings_;
  std::map<uint64_t, Task> tasks_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // gone with this
};

}  // namespace gp
