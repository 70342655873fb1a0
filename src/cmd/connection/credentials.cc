#include "cmd/connection/credentials.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "adapters/wire/bearer.h"
#include "cmd/connection/address_list.h"
#include "cmd/connection/controller_authority.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

constexpr const char* kTokenVariable = "GPU_PLATFORM_TOKEN";
constexpr const char* kAuthorityVariable = "GPU_PLATFORM_AUTHORITY";
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr size_t kSecretLength = kSecretPrefix.size() + 64;

// $XDG_CONFIG_HOME/gpu-platform, or ~/.config/gpu-platform.
Result<std::string> Directory() {
  if (const char* home = std::getenv("XDG_CONFIG_HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/gpu-platform";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.config/gpu-platform";
  return Fail(InvalidArgument("HOME is not set: logins are stored below it"));
}

Result<std::string> Path() { return GP_TRY(Directory()) + "/login.json"; }

}  // namespace

Status CheckSecret(std::string_view secret) {
  const bool is_one =
      secret.starts_with(kSecretPrefix) && secret.size() == kSecretLength &&
      secret.find_first_not_of(kHexDigits, kSecretPrefix.size()) == std::string_view::npos;
  return is_one
             ? Ok()
             : Fail(Unauthenticated("this is no token: a token is gpp_ and 64 hexadecimal digits "
                                    "(gpu-platform tokens create)"));
}

bool IsAddress(const std::string& server) {
  return server.find('/') == std::string::npos && server.find(':') != std::string::npos;
}

Result<std::optional<Login>> ReadLogin() {
  const auto path = Path();
  if (!path) return std::optional<Login>();
  struct stat status{};
  if (stat(path->c_str(), &status) != 0) return std::optional<Login>();
  if ((status.st_mode & 077) != 0)
    return Fail(InvalidArgument(*path + ": others can read it: chmod 600, and make a new token"));
  const auto fields = nlohmann::json::parse(GP_TRY(ReadTextFile(*path)), nullptr, false);
  const auto has = [&](const char* name) {
    return fields.is_object() && fields.contains(name) && fields[name].is_string();
  };
  // Logins of older versions have no authority.
  const bool is_whole =
      has("server") && has("secret") && (!fields.contains("authority") || has("authority"));
  if (!is_whole)
    return Fail(InvalidArgument(*path + ": is damaged: gpu-platform login rewrites it"));
  return std::optional(Login{fields["server"].get<std::string>(),
                             fields["secret"].get<std::string>(), fields.value("authority", "")});
}

Status KeepLogin(const Login& login) {
  GP_CHECK_OK(MakeDirectories(GP_TRY(Directory()), 0700));
  const nlohmann::ordered_json fields{
      {"server", login.server}, {"secret", login.secret}, {"authority", login.authority}};
  return WriteTextFile(GP_TRY(Path()), fields.dump() + "\n", 0600);
}

Result<bool> ForgetLogin() {
  const std::string path = GP_TRY(Path());
  if (unlink(path.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  return Fail(Internal(path + ": " + std::strerror(errno)));
}

Result<std::optional<Login>> LoginFor(const std::string& server) {
  if (const char* secret = std::getenv(kTokenVariable); secret != nullptr && *secret != '\0') {
    GP_CHECK_OK(CheckSecret(secret));
    const char* given = std::getenv(kAuthorityVariable);
    Login login{server, secret, ""};
    if (IsAddress(server)) {
      const std::vector<std::string> addresses = GP_TRY(ParseAddressList(server));
      login.authority = GP_TRY(AuthorityForAll(addresses, given == nullptr ? "" : given));
    }
    return std::optional(std::move(login));
  }
  auto login = GP_TRY(ReadLogin());
  if (!login || !IsWithin(server, login->server)) return std::optional<Login>();
  return login;
}

}  // namespace gp
