#pragma once

// The one way in which a small file is written: aside, then renamed, so that a reader finds the old
// content or the new and nothing between.  Files that must change in place say why where they do.

#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

// What the new content outlives once it was reported written.
enum class Survives {
  kCrash,     // of this program
  kPowerCut,  // of the machine: costs two syncs
};

// `name` is relative to the directory; the file aside is `name`.new and belongs to this writer.
// kInternal, with the file and the reason; then the old content stands.
Status ReplaceFileAt(int directory_fd, const std::string& name, std::string_view bytes,
                     unsigned mode, Survives survives);
Status ReplaceFile(const std::string& path, std::string_view bytes, unsigned mode,
                   Survives survives);

// What was made, renamed or removed in the directory is there after a power cut too.
Status SyncDirectory(int directory_fd);

}  // namespace gp
