#pragma once

// Copies of checkpoints: a file or directory that goes to a store once, and comes back to the same
// path on another node.

#include <string>
#include <vector>

#include "adapters/outbound/objects/download.h"
#include "adapters/outbound/objects/servers/object_server.h"
#include "base/result.h"

namespace gp {

// Sends the file, or the files of the directory, to below the URL; `is_fixed`: a complete upload
// of the same content is left alone.  Errors as of Upload.
Result<TransferReport> SendPath(ObjectServer& server, const std::string& path,
                                const ObjectUrl& root, bool is_fixed,
                                const TransferOptions& options);

// Makes the path what SendPath has sent, unless it has that content.  Nobody sees a part of it.
// kNotFound: there is no complete upload.  Other errors as of Download.
Result<TransferReport> RestorePath(ObjectServer& server, const ObjectUrl& root,
                                   const std::string& path, const TransferOptions& options);

// Removes the copies beside this one that are older than one of those that stay (IsReplacedCopy).
Status RemoveReplacedCopies(ObjectServer& server, const ObjectUrl& copy,
                            const std::vector<std::string>& staying);

}  // namespace gp
