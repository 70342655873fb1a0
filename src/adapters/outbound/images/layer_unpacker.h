#pragma once

// Unpacks the archive of a layer, which is of unknown origin, into the working directory, so that
// an overlay can stack it on others (OCI Image Format Specification 1.1, "Image Layer").

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace gp {

struct LayerLimits {
  int64_t bytes_max = 0;  // on disk, and of the archive
  int64_t files_max = 1'000'000;
  bool has_marks = true;  // of what it removes; false: a file with such a name is refused
};

struct UnpackedFiles {
  int64_t bytes = 0;  // that they take, about
  int64_t files = 0;
};

class LayerUnpacker {
 public:
  // Loads all that it needs of the host, so that the process can be confined before Run.
  static Result<LayerUnpacker> Make();
  LayerUnpacker(LayerUnpacker&&) noexcept;
  ~LayerUnpacker();

  // `archive`: a tar archive, read to its end.  Files keep owners, modes, times and users'
  // attributes.  Not unpacked: device files, set-user-id and set-group-id bits of files, file
  // capabilities, access lists.  Files that the layer removes become marks (layer_marks.h).
  // REQUIRES: the working directory is the process's root.  Errors: kInvalidArgument (the archive
  // is refused: the message says why), kResourceExhausted (bytes_max), kInternal (a disk fails or
  // is full).
  Result<UnpackedFiles> Run(int archive, const LayerLimits& limits);

 private:
  class Parts;
  explicit LayerUnpacker(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace gp
