#pragma once

// Files of a directory become objects.  The manifest is sent last: where it is, the upload is
// complete.

#include <string>

#include "adapters/outbound/objects/download.h"
#include "adapters/outbound/objects/servers/object_server.h"
#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

// The URL of a name below this one.
ObjectUrl UrlBelow(const ObjectUrl& root, const std::string& name);

// Of the first bytes of the file, in hexadecimal digits.  kConflict: it has become shorter.
Result<std::string> Sha256OfFile(const Descriptor& file, int64_t size);

// Sends all regular files below the directory to places below the URL; symbolic links are left out.
// Objects that are there with the same content are not sent again.  kConflict: a file changes while
// it is read, or an object exists and nothing may be replaced.  kResourceExhausted: there are more
// than bytes_max.  Other errors as of ObjectServer.
Result<TransferReport> Upload(ObjectServer& server, const Descriptor& directory,
                              const ObjectUrl& root, const TransferOptions& options);

}  // namespace gp
