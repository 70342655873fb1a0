#include "simulation/world/ports/virtual_images.h"

#include <algorithm>
#include <cstdio>

#include "base/digest.h"

namespace gp {

std::string TaggedImage(const std::string& path, Instant at) {
  constexpr int64_t kMovesEveryNs = Duration::Seconds(2).ns;
  const uint64_t digest = Digest64(path + " " + std::to_string(at.ns / kMovesEveryNs));
  char digits[65];
  std::snprintf(digits, sizeof digits, "%064llx", static_cast<unsigned long long>(digest));
  return std::string("sha256:") + digits;
}

void VirtualImages::Later(const std::shared_ptr<Request>& request, int ms_max,
                          std::function<void(Request&)> what) {
  const auto wait = Duration::Milliseconds(rng_.Between(1, ms_max));
  timeline_.After(wait, [still = std::weak_ptr(request), what = std::move(what)] {
    if (const auto one = still.lock()) what(*one);
  });
}

std::optional<Result<UnpackedImage>> VirtualImages::Prepare(const LaunchSpec& spec) {
  const auto [entry, is_new] = requests_.try_emplace(spec.key);
  if (!is_new) return entry->second->image;
  entry->second = std::make_shared<Request>();
  const LayeredImage image = *spec.layered_image;
  Later(
      entry->second, rng_.Chance(1, 8) ? 10'000 : 50, [this, image, key = spec.key](Request& one) {
        one.digest = image.digest.empty() ? TaggedImage(image.path, timeline_.now()) : image.digest;
        changed_();
        Later(requests_.at(key), rng_.Chance(1, 4) ? 20'000 : 100, [this, image](Request& then) {
          then.image = Unpack(then, image);
          changed_();
        });
      });
  return std::nullopt;
}

Result<UnpackedImage> VirtualImages::Unpack(const Request& request, const LayeredImage& image) {
  if (rng_.Chance(1, 30)) return Fail(Error{ErrorCode::kResourceExhausted, "no room for layers"});
  constexpr size_t kHeldMax = 3;  // their layers' room is needed soon
  std::erase_if(held_, [&](const HeldImage& one) { return one.digest == request.digest; });
  held_.insert(held_.begin(), HeldImage{.name = ReferenceOf(image), .digest = request.digest});
  held_.resize(std::min(held_.size(), kHeldMax));
  return UnpackedImage{.digest = request.digest, .layers = {"/layers/" + request.digest}};
}

std::string VirtualImages::DigestOf(const std::string& key) {
  const auto found = requests_.find(key);
  return found == requests_.end() ? "" : found->second->digest;
}

}  // namespace gp
