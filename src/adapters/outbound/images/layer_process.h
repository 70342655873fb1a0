#pragma once

// Unpacks a layer so that its archive, whatever it does to the library that reads it, can neither
// reach anything but the directory for its files nor say that it is another one.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "adapters/outbound/images/files/image_files.h"
#include "adapters/outbound/images/layer_list.h"
#include "adapters/outbound/images/layer_unpacker.h"
#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

struct UnpackedLayer {
  std::string digest;   // "sha256:…" of the blob
  std::string diff_id;  // "sha256:…" of the archive in it
  int64_t bytes = 0;    // that its files take, about
  int64_t files = 0;
  std::string list;  // "sha256:…" of the list of its files; empty: none was made
};

// Confines this process for ever, which then decompresses and digests the blob, and another one,
// which unpacks it into `root`.  The blob: an archive as it is, or compressed by gzip or zstd.
// REQUIRES: one thread; root.  Errors as LayerStream's and LayerUnpacker's.
Result<UnpackedLayer> UnpackLayer(const ImageFile& blob, const Descriptor& root,
                                  const LayerLimits& limits);

// Only digests the blob.  `root`: an empty directory.
Result<UnpackedLayer> CheckLayer(const ImageFile& blob, const Descriptor& root, int64_t bytes_max);

// Both confine this process for ever to the layer's directory.
Status ListLayer(Descriptor root, const std::function<bool(std::string_view)>& take);
// In the background: jobs come first on the CPUs and the disk.
Result<LayerLook> LookAtLayer(Descriptor root, const Descriptor& list, const std::string& digest);

}  // namespace gp
