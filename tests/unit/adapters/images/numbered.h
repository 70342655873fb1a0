#pragma once

#include <poll.h>

#include <optional>
#include <string>

#include "ports/outbound/image_store.h"

namespace gp {

// Digests of content that no test looks at: each is a number.
inline std::string NumberedDigest(int number) {
  std::string digits = std::to_string(number);
  return "sha256:" + std::string(64 - digits.size(), '0') + digits;
}
inline int NumberOf(const std::string& digest) {
  return std::stoi(digest.substr(digest.size() - 9));
}

// The image that a store prepares for this launch.
inline Result<UnpackedImage> AwaitImage(ImageStore& store, const LaunchSpec& spec) {
  for (int i = 0; i < 3'000; ++i) {
    if (auto prepared = store.Prepare(spec)) return *std::move(prepared);
    pollfd event{store.EventDescriptor(), POLLIN, 0};
    poll(&event, 1, 10);
    store.ClearEvents();
  }
  return Fail(Internal("it took too long"));
}

}  // namespace gp
