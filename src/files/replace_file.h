#pragma once

// Small files are written to a temporary name and then renamed, so that a reader finds either the
// old or the new content.  Code that changes a file in place gives the reason there.

#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

// The failures that the new content survives once it is reported as written.
enum class Survives {
  kCrash,     // of this program
  kPowerCut,  // power failure of the machine: costs two syncs
};

// `name` is relative to the directory; the temporary file is `name`.new and belongs to this writer.
// Errors: kInternal, with the file and the reason; the old content then remains.
Status ReplaceFileAt(int directory_fd, const std::string& name, std::string_view bytes,
                     unsigned mode, Survives survives);
Status ReplaceFile(const std::string& path, std::string_view bytes, unsigned mode,
                   Survives survives);

// Makes creations, renames and removals in the directory survive a power failure.
Status SyncDirectory(int directory_fd);

}  // namespace gp
