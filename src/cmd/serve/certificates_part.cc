#include "cmd/serve/certificates_part.h"

#include "cmd/connection/controller_authority.h"
#include "cmd/connection/identity_file.h"
#include "infrastructure/host_name.h"

namespace gp {

bool ListenConfig::IsEncrypted(const std::string& address) const {
  return !address.empty() && (tls || !StaysHere(address));
}

Status CertificatesPart::Start() {
  const ListenConfig& listen = config_.listen;
  const bool is_encrypted = listen.IsEncrypted(listen.grpc) || listen.IsEncrypted(listen.http) ||
                            listen.IsEncrypted(listen.reads);
  if (!is_encrypted && config_.sharing.store.empty()) return Ok();
  authority_ = GP_TRY(KeptAuthority(config_.state_directory, clock_.Now()));
  if (!is_encrypted) return Ok();
  identity_ = GP_TRY(authority_->ForController(NamesOfThisHost(), clock_.Now()));
  return Ok();
}

std::optional<Identity> CertificatesPart::IdentityAt(const std::string& address) const {
  return config_.listen.IsEncrypted(address) ? identity_ : std::nullopt;
}

std::vector<std::string> CertificatesPart::NamesOfThisHost() const {
  std::vector<std::string> names = config_.listen.names;
  names.insert(names.end(), {"localhost", "127.0.0.1", "::1"});
  if (const std::string name = HostName(); name != "localhost") names.push_back(name);
  for (const std::string& address :
       {config_.listen.grpc, config_.listen.http, config_.listen.reads}) {
    const std::string host = address.substr(0, address.rfind(':'));
    if (!host.empty() && host != "localhost")
      names.push_back(host.starts_with('[') ? host.substr(1, host.size() - 2) : host);
  }
  return names;
}

}  // namespace gp
