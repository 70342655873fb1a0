#include "cmd/connection/controller_line.h"

#include <map>
#include <mutex>

#include "adapters/outbound/grpc/call_patience.h"
#include "base/text.h"
#include "cmd/connection/address_list.h"
#include "cmd/connection/credentials.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

// A command that connects several times goes on at the address where somebody answered last.
Result<std::shared_ptr<ControllerAddresses>> AddressesAt(const std::string& place) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<ControllerAddresses>> known;
  const std::lock_guard lock(mutex);
  std::shared_ptr<ControllerAddresses>& addresses = known[place];
  if (addresses == nullptr)
    addresses = std::make_shared<ControllerAddresses>(GP_TRY(ParseAddressList(place)));
  return addresses;
}

// The authority that a fingerprint names is fetched from a controller: another one may be taking
// over.
Result<std::optional<Login>> LoginAtAny(const std::string& place, bool waits) {
  CallPatience patience = CallPatience::WithSeveral();
  auto login = LoginFor(place);
  while (waits && !login && login.error().code == ErrorCode::kUnavailable && patience.Pause())
    login = LoginFor(place);
  return login;
}

// Neither a directory nor an address.
Status CheckPlace(const std::string& place) {
  if (place.contains("://"))
    return Fail(InvalidArgument("--server: " + Printable(place, 60) +
                                " is the address of its HTTP; commands take that of serve "
                                "--listen: HOST:PORT"));
  const bool is_directory = place.starts_with('/') || place.starts_with('.');
  if (!is_directory && place.contains(',') && place.contains('/'))
    return Fail(InvalidArgument("--server: " + Printable(place, 60) +
                                ": a list has addresses alone, such as c1:7070,c2:7070"));
  return Ok();
}

}  // namespace

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
  GP_CHECK_OK(CheckPlace(place));
  if (!IsAddress(place)) {
    const auto login = GP_TRY(LoginFor(place));
    return ControlClient::Open(place, login ? login->secret : "", when_killed);
  }
  auto addresses = AddressesAt(place);
  if (!addresses) return Fail(addresses.error().Within("--server"));
  const bool waits = (*addresses)->are_several() && when_killed == ControlClient::WhenKilled::kWait;
  const auto login = GP_TRY(LoginAtAny(place, waits));
  if (!login)
    return Fail(Unauthenticated("no token for " + place + ": gpu-platform login " + place));
  return ControlClient::OpenRemote(*std::move(addresses), login->secret, login->authority,
                                   when_killed);
}

}  // namespace gp
