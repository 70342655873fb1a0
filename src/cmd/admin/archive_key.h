#pragma once

#include <memory>
#include <string>

#include "adapters/outbound/objects/object_archive.h"
#include "base/result.h"

namespace gp {

// How an archive is reached.
struct ArchiveAccess {
  std::string url;
  std::string credentials_file;  // empty: none
  std::string key_file;
};

// Errors: kInvalidArgument: the URL or the credentials have another form; kNotFound: no such file.
Result<std::unique_ptr<ObjectArchive>> OpenArchiveStore(const ArchiveAccess& access);
// The bytes of the key: 64 hexadecimal digits in the file.
Result<std::string> ReadArchiveKey(const ArchiveAccess& access);
// A new key, in a new file that only its owner can read.  Errors: kConflict: the file exists.
Status MakeArchiveKey(const std::string& path);

}  // namespace gp
