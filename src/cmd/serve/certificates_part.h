#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/daemon/component.h"
#include "cmd/serve/controller_config.h"
#include "lib/tls/authority.h"
#include "ports/outbound/clock.h"

namespace gp {

// The authority of the cluster and the certificate of the controller; neither, if no connection is
// encrypted and the controller is the only one.
class CertificatesPart : public Component {
 public:
  CertificatesPart(const ControllerConfig& config, Clock& clock) : config_(config), clock_(clock) {}
  Status Start() override;
  // nullptr: no connection is encrypted.
  const Authority* authority() const { return identity_ ? &*authority_ : nullptr; }
  // REQUIRES: a connection is encrypted, or there are several controllers.
  const Authority& common_authority() const { return *authority_; }
  // For connections at this address; nullopt: they are not encrypted.
  std::optional<Identity> IdentityAt(const std::string& address) const;

 private:
  std::vector<std::string> NamesOfThisHost() const;

  const ControllerConfig& config_;
  Clock& clock_;
  std::optional<Authority> authority_;
  std::optional<Identity> identity_;  // of the controller
};

}  // namespace gp
