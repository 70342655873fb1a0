#pragma once

// The controller's own certificate authority.  It vouches for the controller, and for nodes that
// have joined; who knows its fingerprint can be sure to speak with this controller.

#include <memory>
#include <string>
#include <vector>

#include "adapters/certificates/certificate.h"
#include "base/result.h"
#include "base/time.h"

namespace gp {

// What every certificate of a controller names it, whatever else: nodes check this name, and need
// not know by which address they came.  No node's certificate has it.
inline constexpr const char* kControllerName = "controller.gpu-platform";

class Authority {
 public:
  // A new one, for twenty years.
  static Result<Identity> Make(Instant now);
  // kInvalidArgument: key and certificate are damaged, or not each other's.
  static Result<Authority> From(const Identity& identity);

  const std::string& certificate() const { return certificate_; }  // PEM
  const std::string& fingerprint() const { return fingerprint_; }  // 64 hexadecimal digits

  // Of the controller, for two years.  `names`: of hosts, or IP addresses.  The authority's own
  // certificate follows the new one.  kInvalidArgument: a name that cannot be one.
  Result<Identity> ForController(const std::vector<std::string>& names, Instant now) const;
  // Of the node, for so long, for the key that signed the request.  kInvalidArgument: a request
  // that is none, or whose signature is not its key's.
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
