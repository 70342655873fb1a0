// The audit: changes and refusals.

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/page.h"
#include "adapters/wire/views/access_view.h"

namespace gp {

Status ControlApi::ListAudit(const Caller&, const v1::ListAuditRequest& request,
                             v1::ListAuditReply* reply) {
  if (about_.audit == nullptr)
    return Fail(Unsupported("this controller keeps nothing on disk, and no audit"));
  if (request.before() < 0) return Fail(InvalidArgument("before: must not be negative"));
  AuditQuery query{request.user(), request.operation(), request.object(), request.refused(),
                   static_cast<uint64_t>(request.before())};
  query.limit = static_cast<size_t>(PageSize(request.limit()));
  // A change is answered before the trail, one of them, has its entry.
  GP_CHECK_OK(gateway_.AwaitObservers());
  const std::vector<WrittenAuditEntry> found = GP_TRY(about_.audit->Read(query));
  for (const WrittenAuditEntry& written : found) AuditView(written, reply->add_entries());
  if (found.size() == query.limit) reply->set_next(static_cast<int64_t>(found.back().entry.number));
  return Ok();
}

}  // namespace gp
