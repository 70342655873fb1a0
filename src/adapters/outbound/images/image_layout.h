#pragma once

// Images in an OCI image layout.  All of its files are of unknown origin, and opened with the
// rights of the caller.

#include <string>

#include "adapters/outbound/images/image_manifest.h"
#include "base/result.h"
#include "files/descriptor.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

// kInvalidArgument: the message says what of the layout is missing or wrong.  kInternal: its file
// server fails.
Result<ImagePlan> ReadLayout(const LayeredImage& image, const std::string& architecture);

// A regular file; nothing blocks but its file server.  Errors as above.
Result<Descriptor> OpenBlob(const std::string& layout, const std::string& digest);

}  // namespace gp
