#include "cmd/controller_line.h"

#include "cmd/credentials.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

Result<std::string> DefaultPlace() {
  const auto login = GP_TRY(ReadLogin());
  return login ? login->server : DefaultRunDirectory();
}

}  // namespace

Result<std::unique_ptr<ControlClient>> OpenController(const std::string& place) {
  if (place.empty()) return OpenController(GP_TRY(DefaultPlace()));
  const auto login = GP_TRY(LoginFor(place));
  if (!IsAddress(place)) return login ? ControlClient::OpenByToken(place, login->secret) : ControlClient::Open(place);
  if (!login) return Fail(Unauthenticated("no token for " + place + ": gpu-platform login " + place));
  return ControlClient::OpenRemote(place, login->secret, login->authority);
}

}  // namespace gp
