#pragma once

// The credentials of the command line. On the controller's machine none are needed, because the
// kernel vouches for the caller. Elsewhere: the secret of a token, from GPU_PLATFORM_TOKEN or from
// the file of `login`. Never from the command line, where other users see it.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

struct Login {
  std::string server;  // "127.0.0.1:7070", or a list: "c1:7070,c2:7070"
  std::string secret;
  // The controller's authority certificate (PEM); empty: it is on this machine
  std::string authority;
};

// True for "127.0.0.1:7070" and a list of such, false for a directory of sockets.
bool IsAddress(const std::string& server);

// kUnauthenticated: it cannot be the secret of a token.
Status CheckSecret(std::string_view secret);

// nullopt: there is no login. kInvalidArgument: other users can read the file, or it is damaged;
// the message names it.
Result<std::optional<Login>> ReadLogin();
Status KeepLogin(const Login& login);
// False: there was no login.
Result<bool> ForgetLogin();

// GPU_PLATFORM_TOKEN with the authority in GPU_PLATFORM_AUTHORITY; else the login at this server,
// or at a list that has all its addresses; nullopt: there is none.
Result<std::optional<Login>> LoginFor(const std::string& server);

}  // namespace gp
