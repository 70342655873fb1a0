#include "files/layer_marks.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

namespace gp {

bool HideInLowerLayers(const char* path) { return mknod(path, S_IFCHR, makedev(0, 0)) == 0; }

bool HideContentInLowerLayers(const char* directory) {
  return setxattr(directory, "user.overlay.opaque", "y", 1, 0) == 0;
}

}  // namespace gp
