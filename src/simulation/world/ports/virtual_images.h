#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "ports/outbound/image_store.h"
#include "simulation/world/timeline.h"

namespace gp {

// "sha256:…" of the image that the tags of a path name at that time: somebody moves them every few
// seconds.
std::string TaggedImage(const std::string& path, Instant at);

// The images of one agent process: tags are resolved and layers unpacked after a while, or there is
// no room for them.
class VirtualImages : public ImageStore {
 public:
  VirtualImages(Timeline& timeline, Rng& rng, std::function<void()> changed)
      : timeline_(timeline), rng_(rng), changed_(std::move(changed)) {}

  std::optional<Result<UnpackedImage>> Prepare(const LaunchSpec& spec) override;
  std::string DigestOf(const std::string& key) override;
  StagingProgress ProgressOf(const std::string&) override { return {}; }
  std::vector<HeldImage> Held() override { return held_; }
  void Keep(const std::string&, const std::vector<std::string>&) override {}
  void Release(const std::string& key) override { requests_.erase(key); }
  int EventDescriptor() const override { return -1; }
  void ClearEvents() override {}

 private:
  struct Request {
    std::string digest;
    std::optional<Result<UnpackedImage>> image;
  };
  // Runs `what` after a while, unless the request is released before.
  void Later(const std::shared_ptr<Request>& request, int ms_max,
             std::function<void(Request&)> what);
  Result<UnpackedImage> Unpack(const Request& request, const LayeredImage& image);

  Timeline& timeline_;
  Rng& rng_;
  const std::function<void()> changed_;
  std::map<std::string, std::shared_ptr<Request>> requests_;  // by key
  std::vector<HeldImage> held_;                               // the last unpacked first; a few
};

}  // namespace gp
