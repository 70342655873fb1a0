#pragma once

// Reads which layers an image is made of (OCI Image Format Specification 1.1), from wherever its
// documents are.  All of them are of unknown origin.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace gp {

struct LayerPlan {
  std::string digest;   // "sha256:…" of the blob
  std::string diff_id;  // "sha256:…" of the archive in it
  int64_t bytes = 0;    // that the blob takes on disk
  // Where the blob is in the file of an archive; length 0: it is a file of its own.
  int64_t begin = 0;
  int64_t length = 0;
  bool operator==(const LayerPlan&) const = default;
};

struct ImagePlan {
  std::string digest;             // "sha256:…" of what the tag names: a manifest, or an index
  std::string manifest;           // "sha256:…" of the manifest
  std::vector<LayerPlan> layers;  // the lowest first
  std::vector<std::string> environment;
  std::string working_directory;
  bool operator==(const ImagePlan&) const = default;
};

inline constexpr size_t kImageLayersMax = 127;
inline constexpr int64_t kImageDocumentBytesMax = 4 << 20;
inline constexpr int64_t kLayerBytesMax = int64_t{1} << 50;  // all of an image: no overflow

// Where the documents of an image are.  Their content is checked by its digest afterwards.
class ImageDocuments {
 public:
  virtual ~ImageDocuments() = default;
  // The image, and a blob of it, for messages.
  virtual std::string Name() const = 0;
  virtual std::string NameOf(const std::string& digest) const = 0;
  // The bytes of a manifest or an index.
  virtual Result<std::string> Manifest(const std::string& digest) = 0;
  // The bytes of the configuration that a manifest names.
  virtual Result<std::string> Config(const std::string& digest, const std::string& manifest) = 0;
  // Where a layer's blob is, and what it takes; its `bytes` are those that its manifest says.
  virtual Status Locate(LayerPlan& layer) = 0;
};

// The image of this digest.  `architecture`: the node's, as Go names it ("amd64").
// kInvalidArgument: the message says what is missing or wrong; and the errors of `documents`.
Result<ImagePlan> ReadImage(ImageDocuments& documents, const std::string& digest,
                            const std::string& architecture);

// Adds to a plan with its layers what a configuration says: what they hold, and how programs start.
// `name`: of the configuration, `image`: of what it is of, for messages.  Errors as above.
Status AddConfiguration(const std::string& config, const std::string& name,
                        const std::string& image, const std::string& architecture, ImagePlan& plan);

// This machine's.
std::string ThisArchitecture();

}  // namespace gp
