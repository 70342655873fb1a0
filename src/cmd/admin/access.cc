// Identity, roles and access tokens (docs/reference/access.md).

#include <cstdio>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/lifetime_option.h"
#include "cmd/list_tables.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

std::string Everywhere(const std::string& queue) { return queue.empty() ? "everywhere" : queue; }

// Makes a call and passes its answer to `show`.
template <typename Reply, typename Method, typename Request, typename Show>
void Ask(Cli& cli, Method method, const Request& request, Show show) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto reply = (*client)->Call<Reply>(method, request);
  if (!reply) return cli.Complain(reply.error());
  show(*reply);
}

void PrintSelf(const v1::WhoAmIReply& self, Cli& cli) {
  if (cli.PrintDocument(self)) return;
  std::printf("%s, uid %u\n", self.user().c_str(), self.uid());
  if (!self.token().empty())
    std::printf("by %s, %s, until %s\n", self.token().c_str(),
                Everywhere(self.token_queue()).c_str(), self.token_expires_at().c_str());
  Table table({{"QUEUE"}, {"ROLE"}});
  table.Add({Everywhere(""), self.role()});
  for (const v1::Grant& grant : self.grants()) table.Add({grant.queue(), grant.role()});
  cli.PrintTable(table);
}

}  // namespace

Table RoleTable(const v1::ListRolesReply& reply) {
  Table table({{.title = "USER"}, {.title = "QUEUE"}, {.title = "ROLE"}});
  for (const v1::Grant& grant : reply.grants())
    table.Add({grant.subject(), Everywhere(grant.queue()), grant.role()});
  return table;
}

Table TokenTable(const v1::ListTokensReply& reply) {
  Table table({{.title = "TOKEN"},
               {.title = "USER"},
               {.title = "AT MOST"},
               {.title = "QUEUE"},
               {.title = "EXPIRES"},
               {.title = "FOR", .cut = true}});
  for (const v1::Token& token : reply.tokens())
    table.Add({token.id(), token.user(), token.role(), Everywhere(token.queue()),
               token.expires_at(), token.label()});
  return table;
}

namespace {

void PrintRoles(const v1::ListRolesReply& reply, Cli& cli) {
  if (cli.PrintDocument(reply)) return;
  cli.PrintList(RoleTable(reply), "roles granted");
  cli.Say("everybody else: " + reply.others() +
          "; root, and the user that the controller runs as: admin");
}

void PrintTokens(const v1::ListTokensReply& reply, Cli& cli) {
  if (!cli.PrintDocument(reply)) cli.PrintList(TokenTable(reply), "tokens");
}

// The secret is the one line on stdout, so that a script can keep it.
void PrintSecret(const v1::IssueTokenReply& reply, Cli& cli) {
  if (cli.PrintDocument(reply)) return;
  const v1::Token& token = reply.token();
  std::printf("%s\n", reply.secret().c_str());
  cli.Say(token.id() + " stands for " + token.user() + ", at most " + token.role() + ", " +
          Everywhere(token.queue()) + ", until " + token.expires_at());
  cli.Say(
      "it is not shown again: keep it in a file that only you can read (GPU_PLATFORM_TOKEN, or "
      "gpu-platform login)");
}

void AddWhoAmI(CLI::App& app, Cli& cli) {
  CLI::App* sub =
      app.add_subcommand("whoami", "Show your user and roles, as the controller sees them");
  sub->callback([&cli] {
    Ask<v1::WhoAmIReply>(cli, "WhoAmI", v1::WhoAmIRequest(),
                         [&](const auto& reply) { PrintSelf(reply, cli); });
  });
}

void AddGrant(CLI::App& roles, Cli& cli, bool takes) {
  CLI::App* sub = roles.add_subcommand(
      takes ? "revoke" : "grant", takes ? "Revoke a role that was granted"
                                        : "Grant a user a role; it replaces the user's role there");
  auto request = std::make_shared<v1::GrantRoleRequest>();
  sub->add_option_function<std::string>(
         "user", [request](const std::string& user) { request->set_subject(user); },
         "User, or '*': every user without a grant of their own")
      ->required();
  if (!takes) {
    sub->add_option_function<std::string>(
           "role", [request](const std::string& role) { request->set_role(role); },
           "none, viewer, user, operator or admin: each includes the permissions of those before "
           "it")
        ->required()
        ->check(CLI::IsMember({"none", "viewer", "user", "operator", "admin"}));
  }
  sub->add_option_function<std::string>(
         "--queue", [request](const std::string& queue) { request->set_queue(queue); },
         "In this queue and those below; default: everywhere")
      ->type_name("QUEUE");
  sub->callback([request, &cli] {
    Ask<v1::ListRolesReply>(cli, "GrantRole", *request,
                            [&](const auto& reply) { PrintRoles(reply, cli); });
  });
}

void AddCreateToken(CLI::App& tokens, Cli& cli) {
  CLI::App* sub = tokens.add_subcommand(
      "create", "Create an access token: a secret with which programs act as you");
  auto request = std::make_shared<v1::IssueTokenRequest>();
  sub->add_option_function<std::string>(
         "label", [request](const std::string& label) { request->set_label(label); },
         "Purpose of the token")
      ->required();
  sub->add_option_function<std::string>(
         "--role", [request](const std::string& role) { request->set_role(role); },
         "Highest role that the token gives; default: user")
      ->check(CLI::IsMember({"viewer", "user", "operator", "admin"}));
  sub->add_option_function<std::string>(
         "--queue", [request](const std::string& queue) { request->set_queue(queue); },
         "Only in this queue and those below; default: everywhere")
      ->type_name("QUEUE");
  sub->add_option_function<std::string>(
         "--user", [request](const std::string& user) { request->set_user(user); },
         "User that the token stands for; admins only")
      ->type_name("USER");
  AddLifetime(*sub, request, "Lifetime of the token; default: 30d, at most 366d");
  sub->callback([request, &cli] {
    Ask<v1::IssueTokenReply>(cli, "IssueToken", *request,
                             [&](const auto& reply) { PrintSecret(reply, cli); });
  });
}

void AddTokenList(CLI::App& tokens, Cli& cli) {
  CLI::App* sub =
      cli.AddListFlags(tokens.add_subcommand("list", "List your tokens, without their secrets"));
  auto request = std::make_shared<v1::ListTokensRequest>();
  sub->add_flag_function(
      "--all", [request](int64_t) { request->set_all(true); }, "Tokens of all users; admins only");
  sub->callback([request, &cli] {
    Ask<v1::ListTokensReply>(cli, "ListTokens", *request,
                             [&](const auto& reply) { PrintTokens(reply, cli); });
  });
}

void AddRevoke(CLI::App& tokens, Cli& cli) {
  CLI::App* sub = tokens.add_subcommand("revoke", "Revoke a token immediately");
  auto request = std::make_shared<v1::RevokeTokenRequest>();
  sub->add_option_function<std::string>(
         "token", [request](const std::string& id) { request->set_id(id); },
         "Id of the token: token-1")
      ->required();
  sub->callback([request, &cli] {
    Ask<v1::ListTokensReply>(cli, "RevokeToken", *request,
                             [&](const auto& reply) { PrintTokens(reply, cli); });
  });
}

}  // namespace

void AddAccess(CLI::App& app, Cli& cli) {
  AddWhoAmI(app, cli);
  CLI::App* roles = app.add_subcommand("roles", "Roles of users in queues: list, grant, revoke");
  roles->require_subcommand(1);
  cli.AddListFlags(roles->add_subcommand("list", "List the roles that were granted"))
      ->callback([&cli] {
        Ask<v1::ListRolesReply>(cli, "ListRoles", v1::ListRolesRequest(),
                                [&](const auto& reply) { PrintRoles(reply, cli); });
      });
  AddGrant(*roles, cli, false);
  AddGrant(*roles, cli, true);
  CLI::App* tokens = app.add_subcommand(
      "tokens", "Access tokens for programs that act as you: create, list, revoke");
  tokens->require_subcommand(1);
  AddCreateToken(*tokens, cli);
  AddTokenList(*tokens, cli);
  AddRevoke(*tokens, cli);
}

}  // namespace gp
