#include "application/replication/care/store_compactor.h"

namespace gp {
namespace {

constexpr Duration kForgetsAfter = Duration::Seconds(60);

}  // namespace

Status StoreCompactor::Turn() {
  const int64_t now_ns = clock_.BootNs();
  if (seen_ && now_ns - seen_ns_ < kForgetsAfter.ns) return Ok();
  const std::optional<LogHead> head = GP_TRY(log_.Head());
  if (!head) return Ok();
  if (seen_) GP_CHECK_OK(log_.store().Forget(*seen_));
  seen_ = head->revision;
  seen_ns_ = now_ns;
  return Ok();
}

}  // namespace gp
