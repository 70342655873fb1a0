#pragma once

// The files that an image is read from: those of a directory, or the members of an archive.  All of
// them are of unknown origin, and opened with the rights of the caller.

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "adapters/outbound/images/files/archive_index.h"
#include "adapters/outbound/images/image_manifest.h"
#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

// Where the bytes of a layer, or of a document, are.
struct ImageFile {
  Descriptor file;  // its position is the first byte; another process may have it as a pipe
  int64_t bytes = std::numeric_limits<int64_t>::max();  // at most; a file may end before
  int64_t bytes_on_disk = 0;                            // without holes
  int64_t begin = 0;                                    // in the file of an archive
  bool is_part = false;                                 // of an archive
};

// Notes where the blob of a layer is, and what it takes on disk.
void SetPlace(const ImageFile& blob, LayerPlan& layer);

// A regular file; nothing blocks but its file server.  kInvalidArgument: it cannot be opened.
// kInternal: another try, or another node, may help.
Result<ImageFile> OpenImageFile(const std::string& path);

// A part of such a file, as an index of it said; the file may be another one by now.  Errors as
// above.
Result<ImageFile> OpenPart(const std::string& path, int64_t begin, int64_t length);

// What a document has.  kInvalidArgument: more than kImageDocumentBytesMax; and errors as above.
Result<std::string> ReadDocument(const ImageFile& file, const std::string& name);

// Errors, of all calls: as OpenImageFile's.
class ImageFiles {
 public:
  // `path`: of a directory.
  static ImageFiles InDirectory(const std::string& path);
  // `path`: of an archive, whose members are looked up now.
  static Result<ImageFiles> InArchive(const std::string& path);

  // The path of the directory or archive.
  const std::string& path() const { return path_; }
  // For messages.
  std::string NameOf(const std::string& member) const;
  Result<ImageFile> Open(const std::string& member) const;
  // What it has, at most kImageDocumentBytesMax.
  Result<std::string> Read(const std::string& member) const;
  bool Has(const std::string& member) const;

 private:
  explicit ImageFiles(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::unique_ptr<ArchiveIndex> index_;  // nullptr: a directory
};

}  // namespace gp
