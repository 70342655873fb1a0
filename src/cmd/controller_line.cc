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
  const auto secret = GP_TRY(SecretFor(place));
  if (!IsAddress(place)) return secret ? ControlClient::OpenByToken(place, *secret) : ControlClient::Open(place);
  GP_CHECK_OK(CheckHidden(place));
  if (!secret) return Fail(Unauthenticated("no token for " + place + ": gpu-platform login " + place));
  return ControlClient::OpenRemote(place, *secret);
}

}  // namespace gp
