#include "cmd/connection/controller_line.h"

#include "cmd/connection/credentials.h"
#include "infrastructure/paths.h"

namespace gp {

// A command that repeats a call stays with the controller that it called first, even if others
// start or stop meanwhile.
Result<std::string> PlaceOfController(const std::string& place) {
  if (!place.empty()) return place;
  static const Result<std::string> found = []() -> Result<std::string> {
    const auto login = GP_TRY(ReadLogin());
    return login ? login->server : ControllerRunDirectory();
  }();
  return found;
}

Result<std::unique_ptr<ControlClient>> OpenController(const std::string& asked,
                                                      ControlClient::WhenKilled when_killed) {
  const std::string place = GP_TRY(PlaceOfController(asked));
  const auto login = GP_TRY(LoginFor(place));
  if (!IsAddress(place)) return ControlClient::Open(place, login ? login->secret : "", when_killed);
  if (!login)
    return Fail(Unauthenticated("no token for " + place + ": gpu-platform login " + place));
  return ControlClient::OpenRemote(place, login->secret, login->authority);
}

}  // namespace gp
