#include "domain/model/reservation.h"

#include <algorithm>

#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

Status CheckNames(const std::string& field, const std::vector<std::string>& names,
                  std::optional<std::string> (*fault)(std::string_view)) {
  if (names.size() > kReservationNamesMax)
    return Fail(InvalidArgument(field + ": at most " + std::to_string(kReservationNamesMax)));
  for (const std::string& name : names) {
    if (const auto wrong = fault(name)) return Fail(InvalidArgument(field + ": " + *wrong));
  }
  return Ok();
}

}  // namespace

bool Admits(const Reservation& reservation, const std::string& user, const std::string& queue) {
  if (std::ranges::count(reservation.users, user) > 0) return true;
  return std::ranges::any_of(reservation.queues, [&](const std::string& one) {
    return queue == one || queue.starts_with(one + "/");
  });
}

Status ValidateReservation(const Reservation& reservation, Instant now) {
  if (const auto wrong = NameFault(reservation.name))
    return Fail(InvalidArgument("name: " + *wrong));
  if (reservation.ends_at <= now)
    return Fail(
        InvalidArgument("end: " + ToRfc3339(reservation.ends_at) + " is not in the future"));
  if (reservation.ends_at <= reservation.starts_at)
    return Fail(
        InvalidArgument("end: must be after the start, " + ToRfc3339(reservation.starts_at)));
  if (reservation.ends_at - now > kReservationTimeMax)
    return Fail(InvalidArgument("end: more than " + ToText(kReservationTimeMax) + " from now"));
  if (reservation.maintenance && !(reservation.users.empty() && reservation.queues.empty())) {
    return Fail(InvalidArgument(
        "maintenance: nobody uses the nodes meanwhile: name no users and no queues"));
  }
  GP_CHECK_OK(CheckNames("users", reservation.users, NameFault));
  GP_CHECK_OK(CheckNames("queues", reservation.queues, QueueFault));
  if (reservation.note.size() > kReservationNoteMax)
    return Fail(InvalidArgument("note: at most " + std::to_string(kReservationNoteMax) + " bytes"));
  if (const auto wrong = ArgumentFault(reservation.note))
    return Fail(InvalidArgument("note: " + *wrong));
  return Ok();
}

}  // namespace gp
