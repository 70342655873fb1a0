#pragma once

// Whether standard input has data that nobody will read.

namespace gp {

// True of a file that has not been read to its end, and of a pipe or socket that holds bytes now. A
// terminal and /dev/null never hold any.
bool HasUnreadInput(int fd);

}  // namespace gp
