// Prints a link to the dashboard that carries a token of its user.

#include <cstdio>

#include "cmd/cli.h"
#include "cmd/connection/controller_authority.h"
#include "cmd/connection/controller_line.h"
#include "cmd/connection/credentials.h"
#include "cmd/connection/http_address.h"

namespace gp {
namespace {

constexpr int64_t kTokenLifeMs = int64_t{12} * 3'600'000;

Result<std::string> AddressOf(const std::string& server) {
  const std::string place = GP_TRY(PlaceOfController(server));
  if (IsAddress(place))
    return Fail(Unsupported(
        "run this on the controller's machine: it knows where its dashboard is, and who you are"));
  auto address = ReadHttpAddress(place);
  if (!address)
    return Fail(
        Unavailable("the controller does not serve HTTP: start it with --http 127.0.0.1:8080"));
  return *std::move(address);
}

void PrintLink(const std::string& role, Cli& cli) {
  const auto address = AddressOf(cli.server);
  if (!address) return cli.Complain(address.error());
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  v1::IssueTokenRequest request;
  request.set_label("dashboard");
  request.set_role(role);
  request.set_life_ms(kTokenLifeMs);
  const auto reply = (*client)->Call<v1::IssueTokenReply>("IssueToken", request);
  if (!reply) return cli.Complain(reply.error());
  const v1::Token& token = reply->token();
  std::printf("%s/#token=%s\n", address->c_str(), reply->secret().c_str());
  cli.Say("the link is " + token.user() + ", at most " + token.role() + ", until " +
          token.expires_at() + ": keep it secret (revoke it: gpu-platform tokens revoke " +
          token.id() + ")");
  const std::string place = address->substr(address->find("//") + 2);
  if (StaysHere(place))
    cli.Say("from another machine: ssh -L " + place.substr(place.rfind(':') + 1) + ":" + place +
            " this-machine, and the same link");
}

}  // namespace

void AddDashboard(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand("dashboard", "Print a link to the dashboard that logs you in");
  auto role = std::make_shared<std::string>("user");
  sub->add_option("--role", *role, "Highest role that the link gives")
      ->check(CLI::IsMember({"viewer", "user", "operator", "admin"}))
      ->capture_default_str();
  sub->callback([role, &cli] { PrintLink(*role, cli); });
}

}  // namespace gp
