#include "cmd/jobs/unread_input.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gp {

bool HasUnreadInput(int fd) {
  struct stat what{};
  if (fstat(fd, &what) != 0) return false;
  if (S_ISREG(what.st_mode)) return lseek(fd, 0, SEEK_CUR) < what.st_size;
  int bytes = 0;
  const bool is_stream = S_ISFIFO(what.st_mode) || S_ISSOCK(what.st_mode);
  return is_stream && ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

}  // namespace gp
