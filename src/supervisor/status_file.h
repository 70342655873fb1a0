#pragma once

#include <string_view>

#include "base/result.h"
#include "supervisor/descriptor.h"

namespace gp {

// The final status of an attempt.  Its space is taken before the job starts, so that a disk which
// the job has filled cannot cost it its exit code.
class StatusFile {
 public:
  Status Reserve(int directory_fd);
  // Appears whole under its name.  Without a reservation it tries all the same.
  Status Publish(int directory_fd, std::string_view bytes);

 private:
  Descriptor file_;
};

}  // namespace gp
