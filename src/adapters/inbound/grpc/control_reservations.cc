// Nodes set aside.

#include "adapters/inbound/grpc/control_service.h"
#include "adapters/inbound/grpc/gpu_name.h"
#include "adapters/inbound/grpc/status.h"
#include "adapters/wire/reservation_view.h"

namespace gp {
namespace {

Result<gp::ReserveNodes> ToCommand(const State& state, const v1::ReserveNodesRequest& request) {
  gp::ReserveNodes command{FromProto(request), request.count()};
  for (const std::string& name : request.nodes()) command.reservation.nodes.push_back(GP_TRY(FindNodeByName(state, name)));
  return command;
}

}  // namespace

Status ControlService::FillReservations(v1::ListReservationsReply* reply) {
  return gateway_.Read([&](const State& state) { ReservationsView(state, gateway_.Now(), reply); });
}

grpc::Status ControlService::ListReservations(grpc::ServerContext* context, const v1::ListReservationsRequest*, v1::ListReservationsReply* reply) {
  const Result<User> caller = Caller(*context);
  if (!caller) return ToGrpc(caller.error());
  return ToGrpc(FillReservations(reply));
}

grpc::Status ControlService::ReserveNodes(grpc::ServerContext* context, const v1::ReserveNodesRequest* request, v1::Reservation* reply) {
  const Result<User> caller = Administrator(*context);
  if (!caller) return ToGrpc(caller.error());
  Result<gp::ReserveNodes> command = Fail(Internal(""));
  const Status read = gateway_.Read([&](const State& state) { command = ToCommand(state, *request); });
  if (!read) return ToGrpc(read);
  if (!command) return ToGrpc(command.error());
  const Outcome outcome = gateway_.Execute(Principal(*caller), "", *std::move(command));
  if (!outcome.status) return ToGrpc(outcome.status);
  return ToGrpc(gateway_.Read([&](const State& state) {
    const auto made = state.reservations.find(request->name());
    if (made != state.reservations.end()) ReservationView(state, made->second, gateway_.Now(), reply);
  }));
}

grpc::Status ControlService::DeleteReservation(grpc::ServerContext* context, const v1::DeleteReservationRequest* request,
                                               v1::ListReservationsReply* reply) {
  const Result<User> caller = Administrator(*context);
  if (!caller) return ToGrpc(caller.error());
  const Outcome outcome = gateway_.Execute(Principal(*caller), "", EndReservation{request->name()});
  if (!outcome.status) return ToGrpc(outcome.status);
  return ToGrpc(FillReservations(reply));
}

}  // namespace gp
