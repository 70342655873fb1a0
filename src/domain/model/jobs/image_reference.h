#pragma once

// Where the image of a job is: "dir:/data/root", or "oci:/data/images/train:v2".

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

struct ImageReference {
  enum class Source {
    kDirectory,  // its content is the job's root
    kLayout,     // an OCI image layout: an index, and blobs named by their digests
  };

  Source source = Source::kDirectory;
  std::string path;
  std::string tag;     // of one image of the layout; empty: it has only one
  std::string digest;  // "sha256:…" of an image's manifest; empty: whatever the tag names
  bool operator==(const ImageReference&) const = default;
};

// kInvalidArgument: it is none; the message begins with the text.
Result<ImageReference> ParseImageReference(std::string_view text);

// Whether the node unpacks layers for it; false also where the text is no reference.
bool HasLayers(std::string_view text);

}  // namespace gp
