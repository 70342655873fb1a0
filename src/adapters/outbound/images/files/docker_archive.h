#pragma once

// Images in an archive that `docker save` wrote.  Its manifest.json names the configuration and the
// layers of each; the digest of the configuration, Docker's image id, is that of the image.

#include <string>

#include "adapters/outbound/images/files/image_files.h"
#include "adapters/outbound/images/image_manifest.h"
#include "base/result.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

// The image of this digest, or else of this tag, or else the only one.
// kInvalidArgument: the message says what is missing or wrong.  kInternal: its file server fails.
Result<ImagePlan> ReadDockerArchive(const LayeredImage& image, const ImageFiles& files,
                                    const std::string& architecture);

}  // namespace gp
