#pragma once

// Images in an OCI image layout, which is a directory or an archive, or in an archive of Docker.
// All of their files are of unknown origin, and opened with the rights of the caller.

#include <string>

#include "adapters/outbound/images/files/image_files.h"
#include "adapters/outbound/images/image_manifest.h"
#include "base/result.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

// kInvalidArgument: the message says what of the layout is missing or wrong.  kInternal: its file
// server fails.
Result<ImagePlan> ReadLayout(const LayeredImage& image, const std::string& architecture);

// The blob of a layer of a plan of the image; nothing of the image is parsed.  Errors as above.
Result<ImageFile> OpenBlob(const LayeredImage& image, const LayerPlan& layer);

}  // namespace gp
