#pragma once

// With what the command line proves who calls: nothing on the controller's machine, where the
// kernel vouches; else the secret of a token, from GPU_PLATFORM_TOKEN or from where `login` keeps
// it.  Never from the command line: others see it.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

struct Login {
  std::string server;  // "127.0.0.1:7070"
  std::string secret;
  // The certificate (PEM) by which the controller is known; empty: it is on this machine
  std::string authority;
};

// "127.0.0.1:7070" is one, a directory of sockets is not.
bool IsAddress(const std::string& server);

// kUnauthenticated: it cannot be the secret of a token.
Status CheckSecret(std::string_view secret);

// nullopt: nobody has logged in.  kInvalidArgument: others can read the file, or it is damaged;
// names it.
Result<std::optional<Login>> ReadLogin();
Status KeepLogin(const Login& login);
// False: there was none.
Result<bool> ForgetLogin();

// GPU_PLATFORM_TOKEN, and what GPU_PLATFORM_AUTHORITY names; else the login at this server;
// nullopt: there is none.
Result<std::optional<Login>> LoginFor(const std::string& server);

}  // namespace gp
