#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "lib/tls/certificate.h"

namespace gp {

// Every certificate of a controller has this name beside its own names.  Nodes check this name, so
// the address that they connect to does not matter.  No node's certificate has it.
inline constexpr const char* kControllerName = "controller.gpu-platform";

// The controller's own certificate authority.  It signs the certificates of the controller and of
// nodes that have joined.  A peer that knows its fingerprint can verify that it speaks with this
// controller.  Immutable; any thread.
class Authority {
 public:
  // Makes a new authority, valid for twenty years.
  static Result<Identity> Make(Instant now);
  // kInvalidArgument: key or certificate is damaged, or they do not match.
  static Result<Authority> From(const Identity& identity);

  const std::string& certificate() const { return certificate_; }  // PEM
  const std::string& fingerprint() const { return fingerprint_; }  // 64 hexadecimal digits

  // A secret of 32 bytes that only holders of the authority's key can compute, one for each
  // purpose.
  std::string SecretFor(const std::string& purpose) const;

  // A key and a certificate of the controller, valid for two years.  `names`: host names or IP
  // addresses.  The authority's certificate follows the new one.  kInvalidArgument: a bad name.
  Result<Identity> ForController(const std::vector<std::string>& names, Instant now) const;
  // A certificate of the node, valid for `life`, for the key that signed the request (PEM).
  // kInvalidArgument: the request is malformed, or its signature does not match its key.
  Result<std::string> ForNode(const std::string& request, const std::string& node, Duration life,
                              Instant now) const;

 private:
  struct Keys;

  Authority() = default;

  std::string certificate_;
  std::string fingerprint_;
  std::shared_ptr<const Keys> keys_;
};

}  // namespace gp
