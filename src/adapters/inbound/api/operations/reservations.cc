// Advance reservations.

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/gpu_name.h"
#include "adapters/wire/views/reservation_view.h"

namespace gp {
namespace {

Result<gp::ReserveNodes> ToCommand(const State& state, const v1::ReserveNodesRequest& request) {
  gp::ReserveNodes command{FromProto(request), request.count()};
  for (const std::string& name : request.nodes())
    command.reservation.nodes.push_back(GP_TRY(FindNodeByName(state, name)));
  return command;
}

}  // namespace

Status ControlApi::FillReservations(v1::ListReservationsReply* reply) {
  return gateway_.Read([&](const State& state) { ReservationsView(state, gateway_.Now(), reply); });
}

Status ControlApi::ListReservations(const Caller&, const v1::ListReservationsRequest&,
                                    v1::ListReservationsReply* reply) {
  return FillReservations(reply);
}

Status ControlApi::ReserveNodes(const Caller& caller, const v1::ReserveNodesRequest& request,
                                v1::Reservation* reply) {
  Result<gp::ReserveNodes> command = Fail(Internal(""));
  const Status read =
      gateway_.Read([&](const State& state) { command = ToCommand(state, request); });
  if (!read) return read;
  if (!command) return Fail(command.error());
  const Outcome outcome = Execute(caller, *std::move(command));
  if (!outcome.status) return outcome.status;
  return gateway_.Read([&](const State& state) {
    const auto made = state.reservations.all.find(request.name());
    if (made != state.reservations.all.end())
      ReservationView(state, made->second, gateway_.Now(), reply);
  });
}

Status ControlApi::DeleteReservation(const Caller& caller,
                                     const v1::DeleteReservationRequest& request,
                                     v1::ListReservationsReply* reply) {
  const Outcome outcome = Execute(caller, EndReservation{request.name()});
  if (!outcome.status) return outcome.status;
  return FillReservations(reply);
}

}  // namespace gp
