#include "application/replication/care/store_space.h"

namespace gp {
namespace {

// Of a hundred parts of the quota.
constexpr uint64_t kRefusesAbove = 80;
constexpr uint64_t kAcceptsBelow = 75;

}  // namespace

Status StoreSpace::Look() {
  const uint64_t used = GP_TRY(store_.BytesInUse());
  used_ = used;
  const uint64_t hundredth = quota_ / 100;
  if (!is_short_ && used > kRefusesAbove * hundredth) {
    is_short_ = true;
    log_.Write(LogLevel::kError, Text());
  } else if (is_short_ && used < kAcceptsBelow * hundredth) {
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
         std::to_string(quota_ >> 20) + " MiB are in use, and no jobs are accepted above " +
         std::to_string(kRefusesAbove) +
         " %: compact etcd and look what else fills it, or raise its --quota-backend-bytes and "
         "sharing.quota";
}

}  // namespace gp
