#pragma once

// Where the image of a job is: "dir:/data/root", "oci:/data/images/train:v2", a file such as
// "docker-archive:/data/train.tar" or "/data/train.sqsh", or a name in a registry,
// "nvcr.io/nvidia/pytorch:25.10-py3".  A path is never taken for a name in a registry.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

struct ImageReference {
  enum class Source {
    kDirectory,      // its content is the job's root
    kLayout,         // an OCI image layout: an index, and blobs named by their digests
    kRegistry,       // is pulled from a registry
    kDockerArchive,  // a tar archive that `docker save` wrote
    kOciArchive,     // a tar archive of an OCI image layout
    kSquashfs,       // a file with a squashfs file system
  };

  Source source = Source::kDirectory;
  std::string path;        // of the directory, layout or file
  std::string repository;  // of a registry, with its host: "docker.io/library/python"
  std::string tag;     // of one image of a layout or archive (empty: it has only one) or repository
  std::string digest;  // "sha256:…" of an image; empty: whatever the tag names
  bool operator==(const ImageReference&) const = default;
};

// kInvalidArgument: it is none; the message begins with the text.
Result<ImageReference> ParseImageReference(std::string_view text);

// Whether the node unpacks layers for it; false also where the text is no reference.
bool HasLayers(std::string_view text);
// Whether the node pulls it from a registry; false also where the text is no reference.
bool IsPulled(std::string_view text);
// Whether it is a squashfs file; false also where the text is no reference.
bool IsSquashfs(std::string_view text);

// What stands before the path of such an image: "oci:"; empty for a registry.
std::string_view SchemeOf(ImageReference::Source source);

// A number for what a reference names, by which nodes tell cheaply which images they have: of the
// digest if it has one, else of the whole name with its tag. 0: the image has no layers.
uint64_t ImageKey(std::string_view text);
uint64_t ImageKeyOfDigest(std::string_view digest);

// Whether a repository's registry is the machine that asks: such a one needs no TLS.
bool IsOnLoopback(std::string_view repository);

}  // namespace gp
