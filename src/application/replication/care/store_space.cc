#include "application/replication/care/store_space.h"

namespace gp {
namespace {

// Of a hundred parts of the quota.
constexpr uint64_t kRefusesAbove = 80;
constexpr uint64_t kAcceptsBelow = 75;
// Of the file: it grows in steps, and a store whose file has reached its quota takes nothing.
constexpr uint64_t kFileRefusesAbove = 90;

}  // namespace

Status StoreSpace::Look() {
  const StoreBytes bytes = GP_TRY(store_.Bytes());
  used_ = bytes.in_use;
  file_ = bytes.file;
  const uint64_t hundredth = quota_ / 100;
  const bool is_file_long = bytes.file > kFileRefusesAbove * hundredth;
  if (!is_short_ && (bytes.in_use > kRefusesAbove * hundredth || is_file_long)) {
    is_short_ = true;
    log_.Write(LogLevel::kError, Text());
  } else if (is_short_ && bytes.in_use < kAcceptsBelow * hundredth && !is_file_long) {
    is_short_ = false;
    log_.Write(LogLevel::kInfo, "the store of the shared log has room again: jobs are accepted");
  }
  return Ok();
}

Status StoreSpace::AcceptsJobs() const {
  return is_short_ ? Status(Fail(Error{ErrorCode::kResourceExhausted, Text()})) : Ok();
}

std::string StoreSpace::Text() const {
  return "the store of the shared log is nearly full: " + std::to_string(used_ >> 20) + " of " +
         std::to_string(quota_ >> 20) + " MiB are in use, its file has " +
         std::to_string(file_ >> 20) + " MiB, and no jobs are accepted above " +
         std::to_string(kRefusesAbove) + " % and " + std::to_string(kFileRefusesAbove) +
         " %: defragment the members of etcd one after the other (etcdctl defrag) and look what "
         "else fills it, or raise its --quota-backend-bytes and sharing.quota";
}

}  // namespace gp
