#pragma once

// Images in squashfs files, as enroot writes them.  A kernel that mounts such a file trusts what is
// in it, so none is mounted: sqfs2tar (squashfs-tools-ng, tried with 1.2) reads it as the job's
// user, confined, and what it prints is unpacked as a layer.

#include <functional>
#include <string>

#include "adapters/outbound/images/files/image_files.h"
#include "adapters/outbound/images/image_manifest.h"
#include "base/result.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

// What changes when the file does; for the caller that may open it.
// kInvalidArgument: it is not there, or no squashfs file.  kInternal: its file server fails.
Result<std::string> IdentityOf(const std::string& path);

// An image of one layer, which has the digest of the file, and the environment in its
// /etc/environment.  Reads and converts the whole file.  `identity`: that it must have, before and
// afterwards.  kInvalidArgument: it is another one, damaged, or more than kSquashfsRatioMax times
// as large when it is unpacked; and errors as above.
Result<ImagePlan> ReadSquashfs(const LayeredImage& image, const std::string& identity,
                               const std::string& architecture);

inline constexpr int64_t kSquashfsRatioMax = 256;
inline constexpr int64_t kSquashfsBytesMin = 16 << 20;  // that any file may have unpacked

// Starts to convert a file that OpenImageFile has opened.  The result: a pipe with the layer's
// archive, which ends early where the file is damaged.  `become` makes the new process the user;
// false: it cannot.
Result<ImageFile> ConvertSquashfs(const ImageFile& file, const std::function<bool()>& become);

// Whether the plan is that of the image which the job has from the start.
Status CheckImageDigest(const LayeredImage& image, const ImagePlan& plan);

// Whether this host can read such files.  Errors: what it lacks.
Status TrySquashfs();

}  // namespace gp
