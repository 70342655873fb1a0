// Stores a token, so that it need not be given with every command (docs/reference/access.md).

#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/connection/address_list.h"
#include "cmd/connection/controller_authority.h"
#include "cmd/connection/credentials.h"

namespace gp {
namespace {

// Reads one line; from a terminal without echo.
std::string ReadSecret() {
  termios before{};
  const bool is_terminal = tcgetattr(STDIN_FILENO, &before) == 0;
  if (is_terminal) {
    std::fputs("Token: ", stderr);
    termios hidden = before;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
  }
  std::string secret;
  std::getline(std::cin, secret);
  if (is_terminal) {
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    std::fputs("\n", stderr);
  }
  return secret;
}

void LogIn(const std::string& list, const std::string& given, Cli& cli) {
  if (!IsAddress(list))
    return cli.Complain(InvalidArgument("\"" + list +
                                        "\" is no address such as 127.0.0.1:7070; on the "
                                        "controller's own machine no login is needed"));
  const auto addresses = ParseAddressList(list);
  if (!addresses) return cli.Complain(addresses.error());
  const auto authority = AuthorityForAll(*addresses, given);
  if (!authority) return cli.Complain(authority.error().Within("--authority"));
  const std::string secret = ReadSecret();
  if (secret.empty())
    return cli.Complain(InvalidArgument(
        "no token on stdin (make one on the controller's machine: gpu-platform tokens create)"));
  if (const Status is_one = CheckSecret(secret); !is_one) return cli.Complain(is_one.error());
  const auto client = ControlClient::OpenRemote(std::make_shared<ControllerAddresses>(*addresses),
                                                secret, *authority);
  const auto self = client->Call<v1::WhoAmIReply>("WhoAmI", v1::WhoAmIRequest());
  if (!self) return cli.Complain(self.error());
  const std::string server = Join(*addresses, ",");
  if (const Status kept = KeepLogin({server, secret, *authority}); !kept)
    return cli.Complain(kept.error());
  cli.Say("you are " + self->user() + " at " + server + " until " + self->token_expires_at());
}

}  // namespace

void AddLogin(CLI::App& app, Cli& cli) {
  CLI::App* login = app.add_subcommand(
      "login", "Store a token for a controller on another machine; it is read from stdin");
  auto address = std::make_shared<std::string>();
  login
      ->add_option("address", *address,
                   "Address of the controller: 127.0.0.1:7070; of several controllers all, with "
                   "commas between them: c1:7070,c2:7070,c3:7070")
      ->required()
      ->type_name("HOST:PORT,...");
  auto authority = std::make_shared<std::string>();
  login
      ->add_option("--authority", *authority,
                   "Authority of the controller: sha256:FINGERPRINT, printed by the controller at "
                   "startup, or a file with its certificate")
      ->type_name("AUTHORITY");
  login->callback([address, authority, &cli] { LogIn(*address, *authority, cli); });
  app.add_subcommand("logout",
                     "Remove the stored token; it stays valid until it is revoked or expires")
      ->callback([&cli] {
        const auto forgotten = ForgetLogin();
        if (!forgotten) return cli.Complain(forgotten.error());
        cli.Say(*forgotten ? "login removed" : "not logged in");
      });
}

}  // namespace gp
