#include "cmd/connection/identity_file.h"

#include <sys/stat.h>

#include "infrastructure/paths.h"

namespace gp {

Result<Identity> ReadIdentity(const std::string& path) {
  const std::string text = GP_TRY(ReadTextFile(path));
  struct stat status{};
  if (stat(path.c_str(), &status) == 0 && (status.st_mode & 077) != 0)
    return Fail(InvalidArgument(path + ": others can read it: chmod 600"));
  const size_t certificate = text.find("-----BEGIN CERTIFICATE-----");
  if (certificate == std::string::npos || certificate == 0)
    return Fail(InvalidArgument(path + ": holds no key and certificate (PEM)"));
  return Identity{text.substr(0, certificate), text.substr(certificate)};
}

Status KeepIdentity(const std::string& path, const Identity& identity) {
  return WriteTextFile(path, identity.key + identity.certificate, 0600);
}

Result<Authority> KeptAuthority(const std::string& state_directory, Instant now) {
  const std::string path = state_directory + "/authority.pem";
  auto kept = ReadIdentity(path);
  if (!kept && kept.error().code == ErrorCode::kNotFound) {
    kept = GP_TRY(Authority::Make(now));
    GP_CHECK_OK(KeepIdentity(path, *kept));
  }
  if (!kept) return Fail(kept.error());
  auto authority = Authority::From(*kept);
  if (!authority) return Fail(authority.error().Within(path));
  return authority;
}

}  // namespace gp
