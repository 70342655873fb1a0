#pragma once

#include <string_view>

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

// The file with the final status of an attempt.  Its space is reserved before the job starts, so
// that the exit code is not lost if the job fills the disk.
class StatusFile {
 public:
  Status Reserve(int directory_fd);
  // Writes the status; the file appears complete under its name.  Also works without Reserve, if
  // there is space.
  Status Publish(int directory_fd, std::string_view bytes);

 private:
  Descriptor file_;
};

}  // namespace gp
