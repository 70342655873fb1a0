#pragma once

#include <optional>
#include <string>
#include <vector>

#include "application/agent/wrapping_runner.h"
#include "ports/outbound/data_store.h"
#include "ports/outbound/image_store.h"

namespace gp {

// Wraps an AttemptRunner and stages attempts: one whose image is made of layers starts once its
// digest is fixed and they are unpacked on this host, and one with sources once they are fetched;
// it keeps both until it is forgotten.  One that is stage_only ends then, and is never started.
// Others pass through.  One thread (the agent's) calls it.
class StagingRunner : public WrappingRunner {
 public:
  // All outlive it.
  StagingRunner(ImageStore& images, DataStore& data, AttemptRunner& runner);

  Status Start(const LaunchSpec& spec) override;
  void FixImage(const std::string& key, const std::string& digest) override;
  void Stop(const std::string& key, Duration grace) override;
  std::vector<AttemptStatus> Observe() override;
  Status Forget(const std::string& key) override;

 private:
  void StartWaiting();
  // nullopt: it is not there yet, or the attempt was given up.
  std::optional<UnpackedImage> ImageFor(const LaunchSpec& spec);
  std::optional<std::vector<std::string>> DataFor(const LaunchSpec& spec);
  void AddStages(std::vector<AttemptStatus>& statuses);
  StagingProgress StageOf(const AttemptStatus& status);
  void StartIn(const LaunchSpec& spec, const UnpackedImage& image,
               const std::vector<std::string>& data);
  void GiveUp(const LaunchSpec& spec, EndCause cause, const std::string& message);
  void Release(const std::string& key);

  ImageStore& images_;
  DataStore& data_;
};

}  // namespace gp
