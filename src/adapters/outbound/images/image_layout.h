#pragma once

// Reads which layers an image of an OCI image layout is made of (OCI Image Format Specification
// 1.1).  All of its files are of unknown origin, and opened with the rights of the caller.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

struct LayerPlan {
  std::string digest;   // "sha256:…" of the blob
  std::string diff_id;  // "sha256:…" of the archive in it
  int64_t bytes = 0;    // that the blob takes on disk
  bool operator==(const LayerPlan&) const = default;
};

struct ImagePlan {
  std::string digest;             // "sha256:…" of what the tag names: a manifest, or an index
  std::vector<LayerPlan> layers;  // the lowest first
  std::vector<std::string> environment;
  std::string working_directory;
  bool operator==(const ImagePlan&) const = default;
};

inline constexpr size_t kImageLayersMax = 127;

// `architecture`: the node's, as Go names it ("amd64").  kInvalidArgument: the message says what of
// the layout is missing or wrong.  kInternal: its file server fails.
Result<ImagePlan> ReadLayout(const LayoutImage& image, const std::string& architecture);

// This machine's.
std::string ThisArchitecture();

// A regular file; nothing blocks but its file server.  Errors as above.
Result<Descriptor> OpenBlob(const std::string& layout, const std::string& digest);

}  // namespace gp
