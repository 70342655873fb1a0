#pragma once

// The archive in a layer's blob: decompressed, and digested on the way.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/outbound/images/archive_library.h"
#include "lib/secrets/secrets.h"

namespace gp {

class LayerStream {
 public:
  explicit LayerStream(const ArchiveLibrary& library) : library_(library) {}
  ~LayerStream();
  LayerStream(const LayerStream&) = delete;
  LayerStream& operator=(const LayerStream&) = delete;

  // The blob: what follows in the file, at most `blob_bytes`.  `bytes_max`: of the archive. Errors,
  // also of Next: kInvalidArgument (it is damaged), kResourceExhausted (bytes_max), kInternal (the
  // blob's file server fails), kUnsupported (by the host's libarchive).
  Status Open(int blob, int64_t blob_bytes, int64_t bytes_max);
  // The next piece, valid until the next call; empty: the end.
  Result<std::string_view> Next();
  // After the end: "sha256:…" of what was read, and of what it holds.
  struct Digests {
    std::string blob;
    std::string archive;
  };
  Digests End();

 private:
  static la_ssize_t ReadBlob(archive* reader, void* self, const void** buffer);
  Error Failure();

  const ArchiveLibrary& library_;
  archive* reader_ = nullptr;
  int blob_ = -1;
  int read_error_ = 0;
  int64_t blob_left_ = 0;
  int64_t left_ = 0;
  bool is_empty_ = false;
  Sha256Stream compressed_;
  Sha256Stream plain_;
  char buffer_[1 << 16];
};

}  // namespace gp
