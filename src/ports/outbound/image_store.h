#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/held_image.h"

namespace gp {

// An image whose layers are on this host.
struct UnpackedImage {
  std::string digest;                    // "sha256:…", as its tag or the launch named it
  std::vector<std::string> layers;       // directories, the topmost first
  std::vector<std::string> environment;  // "NAME=value", as the image has it
  std::string working_directory;         // empty: it names none
};

// Unpacks the layers of images, each once on this host, and keeps them for later attempts.  Takes
// minutes, so each call only starts it.  One thread (the agent's) calls it.
class ImageStore {
 public:
  virtual ~ImageStore() = default;

  // Starts to unpack the image of `spec` at the first call for its key; later calls return the
  // result.  nullopt: not finished yet.  The layers stay at least until Release.  Errors:
  // kInvalidArgument (the image is not there, not for the job's user, or refused),
  // kResourceExhausted (no room), kInternal (by the host's fault).
  virtual std::optional<Result<UnpackedImage>> Prepare(const LaunchSpec& spec) = 0;
  // "sha256:…" of the image that is being prepared for a key, known before its layers are there;
  // empty: not known yet, or nothing is prepared.
  virtual std::string DigestOf(const std::string& key) = 0;
  // How far the image of a key is; it does not say what it is.
  virtual StagingProgress ProgressOf(const std::string& key) = 0;
  // The images that are here, the last used first; at most kHeldImagesMax.
  virtual std::vector<HeldImage> Held() = 0;
  // These layers are used by an attempt that was started before this program was.
  virtual void Keep(const std::string& key, const std::vector<std::string>& layers) = 0;
  // The attempt no longer needs its layers.  Unknown keys are ignored.
  virtual void Release(const std::string& key) = 0;
  // Readable from when Prepare has a new result until ClearEvents; owned by this object.
  virtual int EventDescriptor() const = 0;
  // To be called before results are looked at: one that comes later makes it readable again.
  virtual void ClearEvents() = 0;
};

}  // namespace gp
