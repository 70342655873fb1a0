#include "application/replication/members/controllers.h"
#include "adapters/inbound/api/control_api.h"
#include "base/text.h"

namespace gp {
namespace {

void FillController(const ControllerStatus& from, v1::Controller* to) {
  to->set_name(from.member.name);
  to->set_role(from.leads         ? "leader"
               : !from.Lives()    ? "silent"
               : from.IsStandby() ? "standby"
                                  : "unfit");
  to->set_applied(from.member.applied);
  to->set_behind(from.behind);
  to->set_silent_ms(from.silent_for.ToMilliseconds());
  to->set_version(from.member.version);
  to->set_grpc_address(from.member.addresses.grpc);
  to->set_http_address(from.member.addresses.http);
  to->set_unfit(from.member.unfit);
  to->set_differs_after(from.member.differs_after);
  to->set_oldest_format(from.member.formats.oldest);
  to->set_newest_format(from.member.formats.newest);
}

void FillStore(const std::vector<StoreMember>& members,
               google::protobuf::RepeatedPtrField<v1::StoreMember>* to) {
  for (const StoreMember& from : members) {
    v1::StoreMember* member = to->Add();
    member->set_endpoint(from.endpoint);
    member->set_trouble(from.trouble);
    member->set_version(from.version);
    member->set_leads(from.leads);
    member->set_bytes(from.bytes);
  }
}

Error OnlyOne() {
  return Conflict("this controller is the only one (docs/controllers.md says how to run several)");
}

}  // namespace

Result<uint64_t> ControlApi::FormatNow() {
  uint64_t format = 0;
  GP_CHECK_OK(gateway_.Read([&](const State& state) { format = state.format; }));
  return format;
}

Status ControlApi::FillControllers(v1::ListControllersReply* reply) {
  reply->set_format(GP_TRY(FormatNow()));
  if (about_.controllers != nullptr) {
    const ControllersSeen seen = GP_TRY(about_.controllers->Look());
    reply->set_term(seen.term);
    for (const ControllerStatus& one : seen.all) FillController(one, reply->add_controllers());
    FillStore(about_.controllers->StoreSeen(), reply->mutable_store());
    return Ok();
  }
  v1::Controller* only = reply->add_controllers();
  if (about_.journal != nullptr)
    GP_CHECK_OK(
        gateway_.Read([&](const State&) { only->set_applied(about_.journal->LastSequence()); }));
  only->set_name(about_.name);
  only->set_role("leader");
  only->set_version(about_.version);
  return Ok();
}

void ControlApi::FillControllersOf(v1::Cluster* reply) const {
  if (about_.controllers == nullptr) return;
  const std::optional<ControllersSeen> seen = about_.controllers->LastSeen();
  if (!seen) return;
  v1::ClusterControllers* controllers = reply->mutable_controllers();
  controllers->set_leader(about_.name);
  controllers->set_term(seen->term);
  for (const ControllerStatus& one : seen->all)
    if (one.IsStandby()) controllers->add_standbys(one.member.name);
  FillStore(about_.controllers->StoreSeen(), controllers->mutable_store());
}

Status ControlApi::ListControllers(const Caller&, const v1::ListControllersRequest&,
                                   v1::ListControllersReply* reply) {
  return FillControllers(reply);
}

Status ControlApi::StepDown(const Caller& caller, const v1::StepDownRequest&,
                            v1::ListControllersReply* reply) {
  if (about_.controllers == nullptr) return Fail(OnlyOne());
  // Where the reply to the leader before was lost, its successor answers, and goes on.
  if (GP_TRY(IsRepeated(caller))) return FillControllers(reply);
  GP_CHECK_OK(about_.controllers->CheckStandby());
  GP_CHECK_OK(NoteControllers(caller, "StepDown", about_.name, "gives the lead up"));
  GP_CHECK_OK(Execute(caller, RememberRequest{}).status);
  GP_CHECK_OK(FillControllers(reply));
  about_.step_down();
  return Ok();
}

Status ControlApi::RaiseFormat(const Caller& caller, const v1::RaiseFormatRequest& request,
                               v1::ListControllersReply* reply) {
  if (about_.controllers == nullptr) return Fail(OnlyOne());
  if (!GP_TRY(IsRepeated(caller))) {
    std::vector<std::string> unless;
    const uint64_t format =
        FormatOfAll(GP_TRY(about_.controllers->Look()), request.force(), &unless);
    const uint64_t now = GP_TRY(FormatNow());
    if (format <= now)
      return Fail(Conflict(
          "records are written in format " + std::to_string(now) +
          ", and no newer one is read by " + Join(unless, ", ") +
          ": start them with a newer program, or remove those that are gone (admin controllers "
          "remove NAME; --force does without those that are silent)"));
    GP_CHECK_OK(Execute(caller, gp::RaiseFormat{format}).status);
  }
  return FillControllers(reply);
}

Status ControlApi::RemoveController(const Caller& caller,
                                    const v1::RemoveControllerRequest& request,
                                    v1::ListControllersReply* reply) {
  if (about_.controllers == nullptr) return Fail(OnlyOne());
  if (!GP_TRY(IsRepeated(caller))) {
    GP_CHECK_OK(NoteControllers(caller, "RemoveController", request.name(), "removed"));
    GP_CHECK_OK(about_.controllers->Remove(request.name()));
    GP_CHECK_OK(Execute(caller, RememberRequest{}).status);
  }
  return FillControllers(reply);
}

Status ControlApi::NoteControllers(const Caller& caller, const char* operation,
                                   const std::string& name, const char* what) {
  return gateway_
      .Execute(caller.AsOrigin(), "",
               NoteChange{operation, "controller " + Printable(name, 100), what})
      .status;
}

}  // namespace gp
