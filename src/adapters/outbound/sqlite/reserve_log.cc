#include "adapters/outbound/sqlite/reserve_log.h"

#include <fcntl.h>
#include <unistd.h>

namespace gp {

void ReserveLog(const std::string& database_path, int64_t bytes) {
  const int file = open((database_path + "-wal").c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  const int64_t size = lseek(file, 0, SEEK_END);
  if (size >= 0 && size < bytes) {
    const std::string zeros(static_cast<size_t>(bytes - size), '\0');
    if (write(file, zeros.data(), zeros.size()) > 0) fdatasync(file);
  }
  close(file);
}

}  // namespace gp
