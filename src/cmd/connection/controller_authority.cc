#include "cmd/connection/controller_authority.h"

#include "base/text.h"
#include "infrastructure/paths.h"
#include "lib/http/web_address.h"
#include "lib/tls/certificate.h"

namespace gp {

bool StaysHere(const std::string& address) {
  if (address.starts_with("unix:")) return true;
  const std::string host = address.substr(0, address.rfind(':'));
  return host == "[::1]" || IsLoopback(host);
}

Result<std::string> AuthorityFor(const std::string& address, const std::string& given,
                                 std::chrono::milliseconds patience) {
  if (given.empty() && StaysHere(address)) return std::string();
  if (given.empty()) {
    return Fail(InvalidArgument(address +
                                ": the authority of that controller is needed: sha256:…, printed "
                                "by `serve` at startup, or a file with its certificate"));
  }
  if (given.starts_with(kFingerprintPrefix)) {
    const std::string fingerprint = given.substr(kFingerprintPrefix.size());
    const bool is_one = fingerprint.size() == 64 &&
                        fingerprint.find_first_not_of("0123456789abcdef") == std::string::npos;
    return is_one ? FetchAuthority(address, fingerprint, patience)
                  : Fail(InvalidArgument(
                        "an authority's fingerprint is sha256: and 64 hexadecimal digits"));
  }
  const std::string certificate = GP_TRY(ReadTextFile(given));
  if (const auto facts = ReadCertificate(certificate); !facts)
    return Fail(InvalidArgument(given + ": " + facts.error().message));
  return certificate;
}

Result<std::string> AuthorityForAll(const std::vector<std::string>& addresses,
                                    const std::string& given) {
  constexpr std::chrono::milliseconds kOfSeveral{3'000};
  const auto patience = addresses.size() > 1 ? kOfSeveral : kFetchPatience;
  std::vector<std::string> faults;
  for (const std::string& address : addresses) {
    auto authority = AuthorityFor(address, given, patience);
    if (!authority && authority.error().code == ErrorCode::kUnavailable) {
      faults.push_back(authority.error().message);
      continue;
    }
    if (!authority || !authority->empty()) return authority;
  }
  if (faults.empty()) return std::string();
  return Fail(Unavailable(Join(faults, "; ")));
}

}  // namespace gp
