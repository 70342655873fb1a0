#pragma once

#include <string>
#include <vector>

#include "application/agent/wrapping_runner.h"
#include "ports/outbound/image_store.h"

namespace gp {

// Wraps an AttemptRunner and stages attempts: one whose image is made of layers starts once its
// digest is fixed and they are unpacked on this host, and keeps them until it is forgotten.  Others
// pass through.  One thread (the agent's) calls it.
class StagingRunner : public WrappingRunner {
 public:
  // `images` and `runner` outlive it.
  StagingRunner(ImageStore& images, AttemptRunner& runner);

  Status Start(const LaunchSpec& spec) override;
  void FixImage(const std::string& key, const std::string& digest) override;
  void Stop(const std::string& key, Duration grace) override;
  std::vector<AttemptStatus> Observe() override;
  Status Forget(const std::string& key) override;

 private:
  void StartWaiting();
  void AddDigests(std::vector<AttemptStatus>& statuses);
  void StartIn(const LaunchSpec& spec, const UnpackedImage& image);
  void GiveUp(const LaunchSpec& spec, EndCause cause, const std::string& message);

  ImageStore& images_;
};

}  // namespace gp
