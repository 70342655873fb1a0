#pragma once

// Objects become files of a directory.  What is complete has a manifest; what is not can go on,
// after the end of the process too.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "adapters/outbound/objects/retries.h"
#include "adapters/outbound/objects/servers/object_server.h"
#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

struct TransferProgress {
  int64_t done_bytes = 0;
  int64_t total_bytes = 0;
  int64_t files = 0;  // that are complete
};

struct TransferOptions {
  int64_t bytes_max = 0;             // of all objects together
  std::vector<std::string> include;  // patterns of names (tree_names.h); empty: all
  std::string sha256;                // of the only object, in hexadecimal digits; empty: unknown
  std::string listing;               // of downloads: what DigestOf said before; empty: unknown
  // Of uploads: this file of the directory alone, under another name; empty: all files.
  struct Single {
    std::string name;
    std::string as;
  } single;
  bool create_only = false;  // of uploads: nothing may be replaced
  size_t objects_at_once = 4;
  RetryLimits retries;
  std::function<void(const TransferProgress&)> on_progress;  // about once a second
};

struct TransferReport {
  std::string digest;   // of the tree (manifest.h); of a survey that of the list (listing.h)
  std::string version;  // of all of it, such as a commit; empty: each object has its own
  int64_t bytes = 0;    // of all files
  int64_t files = 0;
  int64_t unverified = 0;  // files of which only the length is known to be right
  int64_t moved = 0;       // bytes that went over the network or were copied, repeated ones too
  int64_t left_out = 0;    // symbolic links and other files that are no objects
  std::string single;      // of a survey: the name of the only file, where the URL is that of one
  bool operator==(const TransferReport&) const = default;
};

// Fetches all objects at or below the URL into the directory, which belongs to this transfer.
// Nothing is fetched where a name is refused or there are too many bytes.  kResourceExhausted: more
// than bytes_max, or than kObjectsMax.  kConflict: an object has changed since the transfer began,
// and the next one begins from scratch; or another process works in the directory.  Other errors as
// of FetchObject.
Result<TransferReport> Download(ObjectServer& server, const ObjectUrl& root,
                                const Descriptor& directory, const TransferOptions& options);

}  // namespace gp
