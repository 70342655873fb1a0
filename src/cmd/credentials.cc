#include "cmd/credentials.h"

#include <arpa/inet.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "infrastructure/paths.h"

namespace gp {
namespace {

constexpr const char* kVariable = "GPU_PLATFORM_TOKEN";
constexpr std::string_view kSecretPrefix = "gpp_";
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr size_t kSecretLength = kSecretPrefix.size() + 64;

// $XDG_CONFIG_HOME/gpu-platform, or ~/.config/gpu-platform.
Result<std::string> Directory() {
  if (const char* home = std::getenv("XDG_CONFIG_HOME"); home != nullptr && *home == '/') return std::string(home) + "/gpu-platform";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') return std::string(home) + "/.config/gpu-platform";
  return Fail(InvalidArgument("HOME is not set: nobody knows where a login is kept"));
}

Result<std::string> Path() { return GP_TRY(Directory()) + "/login.json"; }

}  // namespace

Status CheckSecret(std::string_view secret) {
  const bool is_one = secret.starts_with(kSecretPrefix) && secret.size() == kSecretLength && secret.find_first_not_of(kHexDigits, kSecretPrefix.size()) == std::string_view::npos;
  return is_one ? Ok() : Fail(Unauthenticated("this is no token: one is gpp_ and 64 hexadecimal digits (gpu-platform tokens create)"));
}

bool IsAddress(const std::string& server) { return server.find('/') == std::string::npos && server.find(':') != std::string::npos; }

Status CheckHidden(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  in_addr numbers{};
  const bool is_loopback = inet_pton(AF_INET, host.c_str(), &numbers) == 1 && (ntohl(numbers.s_addr) >> 24) == 127;
  if (is_loopback || host == "localhost" || host == "[::1]") return Ok();
  return Fail(PermissionDenied(address + ": the way there is not encrypted, and a token would be seen. Use a tunnel: ssh -L 7070:127.0.0.1:7070 " + host));
}

Result<std::optional<Login>> ReadLogin() {
  const auto path = Path();
  if (!path) return std::optional<Login>();
  struct stat status{};
  if (stat(path->c_str(), &status) != 0) return std::optional<Login>();
  if ((status.st_mode & 077) != 0) return Fail(InvalidArgument(*path + ": others can read it: chmod 600, and make a new token"));
  const auto fields = nlohmann::json::parse(GP_TRY(ReadTextFile(*path)), nullptr, false);
  const bool is_whole = fields.is_object() && fields.contains("server") && fields["server"].is_string() && fields.contains("secret") && fields["secret"].is_string();
  if (!is_whole) return Fail(InvalidArgument(*path + ": is damaged: gpu-platform login writes it anew"));
  return std::optional(Login{fields["server"].get<std::string>(), fields["secret"].get<std::string>()});
}

Status KeepLogin(const Login& login) {
  GP_CHECK_OK(MakeDirectories(GP_TRY(Directory()), 0700));
  const nlohmann::ordered_json fields{{"server", login.server}, {"secret", login.secret}};
  return WriteTextFile(GP_TRY(Path()), fields.dump() + "\n", 0600);
}

Result<bool> ForgetLogin() {
  const std::string path = GP_TRY(Path());
  if (unlink(path.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  return Fail(Internal(path + ": " + std::strerror(errno)));
}

Result<std::optional<std::string>> SecretFor(const std::string& server) {
  if (const char* secret = std::getenv(kVariable); secret != nullptr && *secret != '\0') {
    GP_CHECK_OK(CheckSecret(secret));
    return std::optional<std::string>(secret);
  }
  const auto login = GP_TRY(ReadLogin());
  if (!login || login->server != server) return std::optional<std::string>();
  return std::optional(login->secret);
}

}  // namespace gp
